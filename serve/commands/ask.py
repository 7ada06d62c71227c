"""`gama ask`: answer a task."""

import json
import sys
import uuid
from typing import Annotated, Any

import typer

from gama.serve import choices


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
        timeout_s=timeout,
        max_chars=max_chars,
    )
    question = "" if resume else read_task(task, encoding=encoding, max_chars=chosen.max_chars)

    from gama.graph.client import Gama

    gama = Gama(chosen, home=home)
    thread = thread or uuid.uuid4().hex
    try:
        reply = _watch(gama, question, thread, resume, quiet or as_json)
    except KeyboardInterrupt:
        print(f"interrupted: `gama ask --resume --thread {thread}` takes it up where it stopped", file=sys.stderr)
        raise typer.Exit(130) from None
    finally:
        gama.close()
    if as_json:
        print(json.dumps(reply, ensure_ascii=False))
    elif quiet:
        print(_plain(reply["anonymized" if show == "public" else "answer"]))
    else:
        from gama.serve.show import show_reply

        show_reply(reply, question or None, show)


def _watch(gama: Any, question: str, thread: str, resume: bool, silent: bool) -> dict[str, Any]:
    """Run the task; on a terminal say what goes on meanwhile."""
    reply: dict[str, Any] = {}
    steps = gama.watch(question, thread=thread, resume=resume)
    if silent or not sys.stderr.isatty():
        for step in steps:
            reply = step.reply
        return reply
    from rich.console import Console

    with Console(stderr=True).status("reading …") as status:
        for step in steps:
            status.update(f"{step.seconds:5.1f} s  {step.stage.removeprefix('public.')} done …")
            reply = step.reply
    return reply


def _plain(text: str) -> str:
    from gama.serve.show import plain

    return plain(text)
