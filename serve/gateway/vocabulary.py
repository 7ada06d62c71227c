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

OPAQUE = frozenset({"encrypted_content", "signature", "thought_signature", "encrypted_index", "obfuscation"})
"""Fields whose strings were made by the other side and mean something to it alone."""

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

NUMBERS = frozenset(
    """
    max_tokens max_completion_tokens max_output_tokens temperature top_p top_k n seed presence_penalty
    frequency_penalty top_logprobs budget_tokens dimensions max_tool_calls
    """.split()
)
"""Fields of a request whose numbers are settings."""
