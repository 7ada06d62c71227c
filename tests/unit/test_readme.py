"""The README's drawn graph, its example and its commands are the real ones."""

import contextlib
import io
import re
from pathlib import Path

from gama.serve.drawing import draw

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_drawn_graph_is_the_graph():
    block = README.split("<!-- graph:begin")[1].split("<!-- graph:end -->")[0]
    assert draw("gama") in block, "make the README's graph anew: gama graph"


def test_the_first_example_gives_the_output_shown():
    code, shown = re.search(
        r"```python\n(from gama import Anonymizer.*?)```\s*```text\n(.*?)```", README, re.DOTALL
    ).groups()
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "README.md", "exec"), {})
    assert out.getvalue() == shown


def test_every_link_leads_somewhere():
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_command_named_exists():
    from gama.serve.cli import app

    known = {command.callback.__name__ for command in app.registered_commands}
    known |= {group.name for group in app.registered_groups}
    named = set(re.findall(r"`gama ([a-z]+)", README))
    assert named and named <= known
