"""`gama ask`: answer a task."""

import json
import sys
import uuid
from typing import Annotated

import typer

from gama.serve import choices

HOME_ONLY = ("answer", "entities")
"""Parts of a reply that hold private values; the rest has crossed, or may."""


def ask(
    task: choices.Task = None,
    public: choices.Public = None,
    base_url: choices.BaseUrl = None,
    private: choices.Private = None,
    private_base_url: choices.PrivateBaseUrl = None,
    trust_private: choices.TrustPrivate = False,
    show: Annotated[
        str, typer.Option(help="What is shown: all, private (what you may see) or public (what left).")
    ] = "all",
    as_json: choices.Json = False,
    k: choices.K = None,
    rounds: choices.Rounds = None,
    alpha: choices.Alpha = None,
    topk: choices.TopK = None,
    fusion: choices.Fusion = None,
    style: choices.Style = None,
    seed: choices.Seed = None,
    region: choices.Region = None,
    deny: choices.Deny = None,
    allow: choices.Allow = None,
    tool: choices.Tool = None,
    mcp: choices.Mcp = None,
    pack: choices.Pack = None,
    timeout: choices.Timeout = None,
    max_chars: choices.MaxChars = None,
    encoding: choices.Encoding = None,
    thread: Annotated[str | None, typer.Option(help="Conversation to continue or resume.", show_default=False)] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Take up the thread's interrupted run.")] = False,
    home: choices.Home = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the answer only.")] = False,
) -> None:
    """Answer a task with the help of a public model that never sees what is private.

    Shows the private spans found, the text that left, the domains, the experts' answers, the rounds of disproof, and
    the restored answer.
    """
    from gama.serve.inputs import read_task
    from gama.state.errors import OptionError

    if show not in ("all", "private", "public"):
        raise OptionError(f"option --show: {show!r} is none of all, private, public")
    if resume and not thread:
        raise OptionError("option --resume: name the thread too, as the interrupted run printed it: --thread THREAD")
    chosen = choices.options(
        public_model=public,
        public_base_url=base_url,
        private_model=private,
        private_base_url=private_base_url,
        trust_private_model=trust_private or None,
        k=k,
        max_rounds=rounds,
        alpha=alpha,
        topk_mode=topk,
        fusion=fusion,
        style=style,
        seed=seed,
        default_region=region,
        deny=deny,
        allow=allow,
        tools=tool,
        mcp=mcp,
        domain_packs=pack,
        timeout_s=timeout,
        max_chars=max_chars,
    )
    question = "" if resume else read_task(task, encoding=encoding, max_chars=chosen.max_chars).text

    from gama.graph.client import Gama
    from gama.serve.interrupt import leave_on_interrupt
    from gama.serve.progress import follow
    from gama.serve.terminal import write_text

    gama = Gama(chosen, home=home)
    thread = thread or uuid.uuid4().hex
    try:
        with leave_on_interrupt(f"interrupted: `gama ask --resume --thread {thread}` takes it up where it stopped"):
            reply = follow(gama.watch(question, thread=thread, resume=resume), silent=quiet or as_json)
    finally:
        gama.close()
    if as_json:
        left_out = HOME_ONLY if show == "public" else ()
        json.dump({key: part for key, part in reply.items() if key not in left_out}, sys.stdout, ensure_ascii=False)
        print()
    elif quiet:
        write_text(reply["anonymized" if show == "public" else "answer"], verbatim=False)
    else:
        from gama.serve.show import show_reply

        show_reply(reply, question or None, show)
