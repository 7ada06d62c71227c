"""The words of the protocols: names of fields, and the values that are theirs and not the user's."""

CONTROL = frozenset(
    """
    model role type object id tool_call_id call_id tool_use_id item_id response_id previous_response_id status
    service_tier reasoning_effort effort verbosity truncation detail finish_reason stop_reason prompt_cache_retention
    cache_control ttl format voice encoding_format tool_choice function_call summary mode display phase syntax
    media_type speed inference_geo search_context_size environment execution caller_id server_label connector_id
    file_id container_id vector_store_ids include modalities betas allowed_callers require_approval skill_id version
    """.split()
)
"""Fields whose strings are words of the protocol or its identifiers, as long as they look like one."""

LINKS = frozenset({"id", "tool_call_id", "call_id", "tool_use_id"})
"""Identifiers by which parts of one request name each other: another one does as well, if it is the same in all."""

POINTERS = frozenset(
    """
    item_id response_id previous_response_id caller_id server_label connector_id file_id container_id vector_store_ids
    skill_id betas allowed_callers
    """.split()
)
"""Identifiers by which a request names what the other side has."""

USERS = frozenset({"user", "user_id", "safety_identifier", "prompt_cache_key"})
"""Identifiers of whom a request is made for."""

OPAQUE = frozenset("encrypted_content signature thought_signature encrypted_index encrypted_stdout obfuscation".split())
"""Fields whose strings were made by the other side and mean something to it alone."""

MADE_THERE = OPAQUE - {"obfuscation"}
"""Those of them that a client sends back."""

STRUCTURE = frozenset(
    """
    messages content input system instructions tools functions function tool_calls tool_choice function_call
    response_format json_schema text format reasoning output summary stream_options prediction audio thinking
    output_config output_format citations custom allowed_tools source cache_control image_url input_audio file
    document tool_references context_management edits message parts
    """.split()
)
"""Fields that hold further parts of the protocol; what lies under any other field is the user's own data."""

SCHEMAS = frozenset({"parameters", "input_schema", "schema"})
"""Fields that hold a JSON schema."""

NAMES = frozenset({"name", "tool_name"})
"""Fields whose strings must be made of letters, digits, hyphens and underscores."""

MEDIA = frozenset(
    """
    image_url input_audio file input_image input_file image document audio video video_url input_video
    computer_screenshot container_upload image_generation_call
    """.split()
)
"""Types of a content part that hold something else than text."""

SCHEMA_WORDS = frozenset(
    """
    type format pattern $ref $schema $id $anchor contentEncoding contentMediaType title_type
    """.split()
)
"""Keywords of JSON schema whose strings are its own."""

_SCHEMA_KEYS = """
    title items prefixItems additionalItems contains properties patternProperties additionalProperties
    propertyNames unevaluatedItems unevaluatedProperties dependentRequired dependentSchemas required enum const default
    examples example anyOf oneOf allOf not if then else $defs definitions $comment minimum maximum exclusiveMinimum
    exclusiveMaximum multipleOf minLength maxLength minItems maxItems minContains maxContains uniqueItems minProperties
    maxProperties nullable readOnly writeOnly deprecated discriminator strict
"""

_VALUES = """
    system developer user assistant tool function string integer number boolean object array null auto none required any
    json_object json_schema text input_text output_text refusal tool_use tool_result thinking redacted_thinking
    ephemeral enabled disabled adaptive max_tokens max_completion_tokens temperature top_p top_k presence_penalty
    frequency_penalty stop stop_sequences stream include_usage seed user metadata parallel_tool_calls strict store
    logprobs top_logprobs logit_bias n low medium high minimal concise detailed default flex priority scale
    function_call_output custom_tool_call custom_tool_call_output arguments output name description properties items
    enum const default examples additionalProperties anyOf oneOf allOf not minimum maximum minLength maxLength minItems
    maxItems uniqueItems chat completions responses embeddings models messages post get v1 budget_tokens
    image image_url input_image input_audio file document base64 url data media prompt variables dimensions float
    encoding_format modalities safety_identifier prompt_cache_key background conversation web_search grammar lark regex
    2023-06-01 true false date time email uri date-time http https api openai anthropic organization project beta
    is_error content_type application json part parts index delta
"""

WORDS = " ".join(sorted({*CONTROL, *OPAQUE, *STRUCTURE, *SCHEMAS, *NAMES, *SCHEMA_WORDS, *_VALUES.split()}))
"""All of it: what the guard lets pass where a private value happens to be one of these words."""

KNOWN = (
    frozenset(WORDS.split())
    | frozenset(_SCHEMA_KEYS.split())
    | USERS
    | MEDIA
    | frozenset(
        """
    mcp mcp_servers mcp_call mcp_list_tools mcp_approval_request server_url authorization authorization_token headers
    tool_calls reasoning_content refusal annotations citations prompt_cache_options web_search_options store_id
    extra_body extra_content google anthropic_beta container reasoning_text summary_text reasoning item_reference
    function_tool tool_call local_shell file_search code_interpreter computer_use_preview web_search_preview apply_patch
    server_tool_use web_search_tool_result web_fetch_tool_result tool_search custom_tool_call_input mcp_toolset
    source_type file_data filename image_file detail_level input_schema output_schema json server_name action queries
    query sources results score attributes container_file url_citation start_index end_index cited_text
    document_index document_title search_result_location content_block encrypted context top_level user_location
    approximate country region city timezone stop_details input_examples defer_loading eager_input_streaming strict
    max_uses allowed_domains blocked_domains max_content_tokens clear_thinking clear_tool_uses trigger keep value
    """.split()
    )
)
"""Words that are read nowhere: fields and values of the protocols, and keywords of JSON schema."""

NUMBERS = frozenset(
    """
    max_tokens max_completion_tokens max_output_tokens temperature top_p top_k n seed presence_penalty
    frequency_penalty top_logprobs budget_tokens dimensions max_tool_calls
    """.split()
)
"""Fields of a request whose numbers are settings."""
