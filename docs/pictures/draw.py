"""Draw the graphs as SVG, from the graphs themselves: no outside host takes part.

npm pack mermaid@11 && tar xzf mermaid-11*.tgz package/dist/mermaid.min.js
pip install playwright && playwright install chromium
python docs/pictures/draw.py package/dist/mermaid.min.js
"""

import re
import sys
from pathlib import Path

from gama.serve.drawing import draw

HERE = Path(__file__).parent
SETTINGS = """{startOnLoad: false, theme: 'neutral', htmlLabels: false, fontFamily: 'Helvetica, Arial, sans-serif',
flowchart: {htmlLabels: false, useMaxWidth: false, curve: 'basis', nodeSpacing: 28, rankSpacing: 34,
subGraphTitleMargin: {top: 6, bottom: 16}}}"""
COLOURS = ["style part fill:#f4f6fb,stroke:#7a8bb0"]
BOTH = ["style private fill:#f2faf4,stroke:#3c7a4b", "style public fill:#eef3fc,stroke:#46639c",
        "style airlock fill:#e4f1e7,stroke:#3c7a4b"]  # fmt: skip


def source(which: str) -> str:
    """Return the chart from top to bottom, coloured; of the many ways back one has a label."""
    head, label, rest = draw(which).replace("flowchart LR", "flowchart TB").partition("== anonymized answer ==>")
    return "\n".join([head + label + rest.replace("== anonymized answer ==>", "==>"),
                      *COLOURS, *(BOTH if which == "gama" else [])])  # fmt: skip


def tidy(svg: str, title: str) -> str:
    """Take out what only scripts read, round the numbers, and put white paper behind it."""
    svg = re.sub(r' (?:data|aria)-[a-z-]+="[^"]*"| role="[^"]*"', "", svg)
    svg = re.sub(r"(\d+\.\d{2})\d+", r"\1", svg)
    x, y, width, height = re.search(r'viewBox="(\S+) (\S+) (\S+) (\S+)"', svg).groups()
    paper = f"<rect x='{x}' y='{y}' width='{width}' height='{height}' fill='white'/>"
    return svg.replace("<style>", f"<title>{title}</title><style>", 1).replace("</style>", "</style>" + paper, 1)


def main(script: str, browser: str | None = None) -> None:
    """Write both pictures.

    Args:
        script: Mermaid's own bundle.
        browser: program of a Chromium, where Playwright has none of its own.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        page = started.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page()
        page.add_script_tag(path=script)
        for which in ("gama", "public"):
            code = f"async code => {{ mermaid.initialize({SETTINGS}); return (await mermaid.render('g', code)).svg }}"
            (HERE / f"{which}.svg").write_text(tidy(page.evaluate(code, source(which)), f"The graph {which}"), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
