"""Makes the pages' pictures from real runs: `python -m tests.bench.page_pictures`.

- run.svg: a running run of the embedded benchmark, in a pseudo-terminal
- walk.svg: a rejected answer in the walk through a trial
- report-*.webp: the HTML report in two widths, light and dark, in a headless browser

Needs the extra `test` (`pip install -e '.[test]'`), and Chromium for the report.
"""

from __future__ import annotations

import io
import itertools
import re
import tempfile
from pathlib import Path

from rich.console import Console
from rich.style import Style
from rich.text import Text

from tests.support.browser import Browser
from tests.support.command import controlplane
from tests.support.terminal import Terminal

DOCS = Path(__file__).parents[2] / "docs"
FORMAT_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""The part of rich's template that fetches fonts from the network; any fixed-width font will do."""
REJECTION = DOCS / "examples" / "rejection.toml"


def picture_of(terminal: Terminal, title: str) -> str:
    """Return the terminal's screen as SVG."""
    screen = terminal.screen
    console = Console(record=True, width=screen.columns, file=io.StringIO(), force_terminal=True)
    rows = [Text.assemble(*(_cell(screen.buffer[y][x]) for x in range(screen.columns))) for y in range(screen.lines)]
    while rows and not rows[-1].plain.strip():
        rows.pop()
    for row in rows:
        console.print(row)
    svg = FORMAT_FONTS.sub("", console.export_svg(title=title, unique_id="picture"))
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def _cell(char: object) -> tuple[str, Style]:
    """Return one character cell of pyte's screen with its style."""
    name = getattr(char, "fg", "default")
    colour = None if name == "default" else {"brown": "yellow"}.get(name, name.replace("bright", "bright_"))
    if colour is not None and re.fullmatch("[0-9a-f]{6}", colour):
        colour = f"#{colour}"
    return getattr(char, "data", " "), Style(color=colour, bold=getattr(char, "bold", False))


def terminal_pictures(folder: Path) -> None:
    """Make the pictures of the terminal."""
    with Terminal("run", "--name", "demo", cwd=folder, rows=18) as terminal:
        terminal.wait_for(r"[1-4]\d of \d\d")
        (DOCS / "run.svg").write_text(picture_of(terminal, "controlplane run"), encoding="utf-8")
        terminal.finish()
    with Terminal("run", "calendar-date.1", "--model", f"scripted:{REJECTION}", cwd=folder) as terminal:
        terminal.finish()
    with Terminal("replay", "last", "--trial", "calendar-date.1", cwd=folder, rows=30) as terminal:
        terminal.wait_for("q quit")
        terminal.press("r", r"step 2 of[\s\S]*q quit\s*$")
        picture = picture_of(terminal, "controlplane replay last --trial calendar-date.1")
        (DOCS / "walk.svg").write_text(picture, encoding="utf-8")


def report_pictures(folder: Path) -> None:
    """Make the pictures of the report: one run, several, and a trial, each in two widths and two themes."""
    for name in ("before", "after", "later"):
        played = ("--benchmark", "tests.support.wavering_shop", "--set", f"salt={name}", "--limit", "40")
        done = controlplane("run", "--quiet", "--name", name, *played, cwd=folder)
        assert done.code in (0, 1), done.err
    for name, runs in (("one", ("before",)), ("several", ("before", "after", "later"))):
        controlplane("report", *runs, "-o", f"{name}.html", cwd=folder)
    with Browser() as browser:
        for width, theme in itertools.product((1280, 400), ("light", "dark")):
            browser.size(width, 900 if width == 1280 else 860)
            browser.media(prefers_color_scheme=theme)
            for name, file, anchor in (("run", "one", ""), ("runs", "several", ""), ("trial", "one", "#trial-1-1/2")):
                browser.open(folder / f"{file}.html", anchor=anchor)
                browser.wait("scrollY > 0" if anchor else "document.documentElement.dataset.ready === ''")
                picture = browser.picture(kind="webp")
                (DOCS / f"report-{name}-{width}-{theme}.webp").write_bytes(picture)


if __name__ == "__main__":
    for make in (terminal_pictures, report_pictures):
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder))
