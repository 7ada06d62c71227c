"""`gama ask`: answer a task."""

import json
import sys
import uuid
import warnings
from typing import Annotated, Any

import typer

from gama.serve import choices

RAW_TEXT = "WARNING: ANONYMIZATION IS OFF. The text goes to the public model AS IT IS, with everything private in it."
HOME_ONLY = ("answer", "entities")
"""Parts of a reply that hold private values; the rest has crossed, or may."""


def ask(
    task: choices.Task = None,
    public: choices.Public = None,
    base_url: choices.BaseUrl = None,
    public_graph: choices.PublicGraph = None,
    private: choices.Private = None,
    private_base_url: choices.PrivateBaseUrl = None,
    trust_private: choices.TrustPrivate = False,
    show: Annotated[
        str, typer.Option(help="What is shown: all, private (what you may see) or public (what left).")
    ] = "all",
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Also show how the answer came about: route, rounds, calls, tokens and seconds per stage."
        ),
    ] = False,
    as_json: choices.Json = False,
    route: choices.Route = None,
    disprove: choices.Disprove = None,
    k: choices.K = None,
    rounds: choices.Rounds = None,
    checks: choices.Checks = None,
    prompts: choices.Prompts = None,
    alpha: choices.Alpha = None,
    topk: choices.TopK = None,
    query: choices.Query = None,
    select: choices.Select = None,
    select_votes: choices.SelectVotes = None,
    select_never: choices.SelectNever = None,
    fusion: choices.Fusion = None,
    style: choices.Style = None,
    strategy: choices.Strategy = None,
    seed: choices.Seed = None,
    region: choices.Region = None,
    pner: choices.Pner = None,
    weights: choices.Weights = None,
    recognizers: choices.Recognizers = None,
    disable: choices.Disable = None,
    keep: choices.Keep = None,
    threshold: choices.Threshold = None,
    deny: choices.Deny = None,
    allow: choices.Allow = None,
    tool: choices.Tool = None,
    mcp: choices.Mcp = None,
    pack: choices.Pack = None,
    timeout: choices.Timeout = None,
    max_tokens: choices.MaxTokens = None,
    max_cost: choices.MaxCost = None,
    prices: choices.PriceFile = None,
    rate_limit: choices.RateLimit = None,
    max_concurrent: choices.MaxConcurrent = None,
    max_chars: choices.MaxChars = None,
    encoding: choices.Encoding = None,
    without: choices.Without = None,
    ablation_mode: choices.AblationMode = None,
    allow_raw: choices.AllowRaw = False,
    trace: choices.Trace = False,
    thread: Annotated[str | None, typer.Option(help="Conversation to continue or resume.", show_default=False)] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Take up the thread's interrupted run.")] = False,
    home: choices.Home = None,
    store: choices.Store = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the answer only.")] = False,
) -> None:
    """Answer a task with the help of a public model that never sees what is private.

    Shows the private spans found, the text that left, the domains, the experts' answers, the rounds of disproof, and
    the restored answer.
    """
    from gama.serve.inputs import read_task
    from gama.serve.terminal import say
    from gama.state.errors import OptionError, RawTextWarning

    if show not in ("all", "private", "public"):
        raise OptionError(f"option --show: {show!r} is none of all, private, public")
    if resume and not thread:
        raise OptionError("option --resume: name the thread too, as the interrupted run printed it: --thread THREAD")
    chosen = choices.options(
        public_model=public,
        public_base_url=base_url,
        public_graph=public_graph,
        private_model=private,
        private_base_url=private_base_url,
        trust_private_model=trust_private or None,
        route=route,
        disprove=disprove,
        k=k,
        max_rounds=rounds,
        max_checks=checks,
        prompts=str(prompts) if prompts else None,
        alpha=alpha,
        topk_mode=topk,
        select=select,
        select_votes=select_votes,
        select_never=select_never,
        fusion=fusion,
        style=style,
        strategies=strategy,
        seed=seed,
        default_region=region,
        pner=pner,
        weights=weights,
        recognizers=recognizers,
        disable=disable,
        keep=keep,
        thresholds=threshold,
        deny=deny,
        allow=allow,
        tools=tool,
        mcp=mcp,
        domain_packs=pack,
        timeout_s=timeout,
        max_tokens=max_tokens,
        max_cost=max_cost,
        prices=prices,
        rate_limit_per_minute=rate_limit,
        max_concurrent=max_concurrent,
        max_chars=max_chars,
        ablation_mode=ablation_mode,
        allow_raw=allow_raw or None,
        trace=trace or None,
        **choices.switches(without),
    )
    if not chosen.switches.ampp:
        say(RAW_TEXT)
    question = "" if resume else read_task(task, encoding=encoding, max_chars=chosen.max_chars).text

    from gama.graph.client import Gama
    from gama.serve.interrupt import leave_on_interrupt
    from gama.serve.progress import follow
    from gama.serve.terminal import write_text

    gama = Gama(chosen, home=home, store=store)
    thread = thread or uuid.uuid4().hex
    try:
        with leave_on_interrupt(f"interrupted: `gama ask --resume --thread {thread}` takes it up where it stopped"):
            with warnings.catch_warnings():
                # Said above, in words for a person.
                warnings.simplefilter("ignore", RawTextWarning)
                reply = follow(gama.watch(question, query=query, thread=thread, resume=resume), silent=quiet or as_json)
    finally:
        gama.close()
    if as_json:
        _write_json(reply, show, explain)
    elif quiet:
        write_text(reply["anonymized" if show == "public" else "answer"], verbatim=False)
    else:
        from gama.serve.render_rich import show_reply

        show_reply(reply, question or None, show, explain=explain)


def _write_json(reply: dict[str, Any], show: str, explain: bool) -> None:
    from gama.serve.explain import explanation

    left_out = HOME_ONLY if show == "public" else ()
    shown = {key: part for key, part in reply.items() if key not in left_out}
    json.dump(shown | ({"explanation": explanation(reply)} if explain else {}), sys.stdout, ensure_ascii=False)
    print()
