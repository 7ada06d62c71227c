"""`gama ask`: answer a task."""

import json
import sys
import uuid
import warnings
from typing import Annotated, Any

import typer

from gama.serve import choices
from gama.state.options import Options

RAW_TEXT = "WARNING: ANONYMIZATION IS OFF. The text goes to the public model AS IT IS, with everything private in it."
HOME_ONLY = ("answer", "entities", "formulas")
"""Parts of a reply that hold private values; the rest has crossed, or may."""


@choices.with_options("ask")
def ask(
    options: Options,
    task: choices.Task = None,
    query: choices.Query = None,
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
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the answer only.")] = False,
    encoding: choices.Encoding = None,
    thread: Annotated[
        str | None,
        typer.Option(
            help="Conversation to continue or resume; what was asked in it before goes along.",
            rich_help_panel="Storage",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Take up the thread's interrupted run.", rich_help_panel="Storage")
    ] = False,
    home: choices.Home = None,
    store: choices.Store = None,
) -> None:
    """Answer a task with the help of a public model that never sees what is private.

    Shows the private spans found, the text that left, the domains, the experts' answers, the rounds of disproof, and
    the restored answer.
    """
    from gama.guard.terminal import say
    from gama.serve.terminal import read_task
    from gama.state.errors import OptionError, RawTextWarning

    choices.check("--show", show, ("all", "private", "public"))
    if resume and not thread:
        raise OptionError("option --resume: name the thread too, as the interrupted run printed it: --thread THREAD")
    if resume and task is not None:
        raise OptionError("option --resume: it takes up the thread's own task; ask a new question without it")
    if not options.switches.ampp:
        say(RAW_TEXT)
    question = "" if resume else read_task(task, encoding=encoding, max_chars=options.max_chars).text

    from gama.graph.client import Gama
    from gama.privacy.decide import balancing
    from gama.serve.terminal import follow, leave_on_interrupt, write_text

    gama = Gama(balancing(options), home=home, store=store)
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
        from gama.serve.render import show_reply

        show_reply(reply, question or None, show, explain=explain)


def _write_json(reply: dict[str, Any], show: str, explain: bool) -> None:
    from gama.serve.explain import explanation

    left_out = HOME_ONLY if show == "public" else ()
    shown = {key: part for key, part in reply.items() if key not in left_out}
    json.dump(shown | ({"explanation": explanation(reply)} if explain else {}), sys.stdout, ensure_ascii=False)
    print()
