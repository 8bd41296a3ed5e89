"""Makes the pictures of the pages from real runs: `python docs/pictures.py [terminal|view]`.

- run.svg: a running run of the embedded benchmark, in a pseudo-terminal
- walk.svg: a rejected answer in the walk through a trial
- view-*.png: the pages of `controlplane view`, in a headless browser

Needs the extra `test` (`pip install -e '.[test]'`), and Chromium for the pages.
"""

from __future__ import annotations

import io
import re
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.style import Style
from rich.text import Text

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.controlplane.report.viewed import serving_view
from tests.support.browser import Browser
from tests.support.command import run_controlplane
from tests.support.terminal import Terminal

DOCS = Path(__file__).parent
FORMAT_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""The part of rich's template that fetches fonts from the network; any fixed-width font will do."""
REJECTION = DOCS / "examples" / "rejection.toml"


def picture_of(terminal: Terminal, title: str) -> str:
    """Return the terminal's screen as SVG."""
    screen = terminal.screen
    console = Console(
        record=True, width=screen.columns, file=io.StringIO(), force_terminal=True
    )
    rows = [
        Text.assemble(*(_cell(screen.buffer[y][x]) for x in range(screen.columns)))
        for y in range(screen.lines)
    ]
    while rows and not rows[-1].plain.strip():
        rows.pop()
    for row in rows:
        console.print(row)
    svg = FORMAT_FONTS.sub("", console.export_svg(title=title, unique_id="picture"))
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def _cell(char: object) -> tuple[str, Style]:
    """Return one character cell of pyte's screen with its style."""
    name = getattr(char, "fg", "default")
    colour = (
        None
        if name == "default"
        else {"brown": "yellow"}.get(name, name.replace("bright", "bright_"))
    )
    if colour is not None and re.fullmatch("[0-9a-f]{6}", colour):
        colour = f"#{colour}"
    return getattr(char, "data", " "), Style(
        color=colour, bold=getattr(char, "bold", False)
    )


def terminal_pictures(folder: Path) -> None:
    """Make the pictures of the terminal."""
    with Terminal("run", "--name", "demo", cwd=folder, rows=18) as terminal:
        terminal.wait_for(r"1\d of \d\d ·")  # About a third of the trials are over.
        (DOCS / "run.svg").write_text(
            picture_of(terminal, "controlplane run"), encoding="utf-8"
        )
        terminal.finish()
    with Terminal(
        "run", "calendar-date.1", "--model", f"scripted:{REJECTION}", cwd=folder
    ) as terminal:
        terminal.finish()
    with Terminal(
        "replay", "last", "--trial", "calendar-date.1", cwd=folder, rows=30
    ) as terminal:
        terminal.wait_for("q quit")
        terminal.press("r", r"step 2 of[\s\S]*q quit\s*$")
        picture = picture_of(
            terminal, "controlplane replay last --trial calendar-date.1"
        )
        (DOCS / "walk.svg").write_text(picture, encoding="utf-8")


PAGES = {
    "view-runs": ("/", ""),
    "view-trial": ("/runs/{one}", "basket-checkout.1"),
    "view-pair": ("/runs/{one},{two}", ""),
}
"""Each picture's address, and the task whose trial it opens."""


def view_pictures(folder: Path) -> None:
    """Make the pictures of `controlplane view`:
    the list of runs, a trial, and two runs side by side."""
    for name, how in (
        ("shop-gated", ()),
        ("shop-free", ("--gates", "none")),
        ("first-try", ("--model", "baseline")),
    ):
        done = run_controlplane(
            "run", "--quiet", "--name", name, "--model", "recorded", *how, cwd=folder
        )
        assert done.code in (0, 1), done.err
    question = (
        "Until when may loan-02 be kept?",
        DOCS / "examples" / "library" / "desk",
    )
    done = run_controlplane(
        "ask",
        *question,
        "--model",
        f"scripted:{DOCS / 'examples' / 'ask.toml'}",
        cwd=folder,
    )
    assert done.code == 0, done.err
    with serving_view(folder, "runs") as view, Browser() as browser:
        browser.size(1280, 800)
        browser.media(prefers_color_scheme="light")
        browser.visit(view.address)
        browser.wait("document.querySelectorAll('.trials tbody tr').length === 4")
        links = browser.value(
            "[...document.querySelectorAll('.trials tbody a')].map(e => [e.textContent, e.pathname])"
        )
        ids = {name: path.removeprefix("/runs/") for name, path in links}
        for name, (path, task) in PAGES.items():
            address = path.format(one=ids["shop-gated"], two=ids["shop-free"])
            browser.visit(f"http://127.0.0.1:{view.port}{address}")
            if task:
                browser.value(
                    f"[...document.querySelectorAll('.trials a')].find(e => e.text === {task!r}).click()"
                )
                browser.wait("document.querySelector('.step.back') !== null")
                browser.press("r")
            (DOCS / f"{name}.png").write_bytes(browser.picture())


if __name__ == "__main__":
    makers = {"terminal": terminal_pictures, "view": view_pictures}
    for each in sys.argv[1:] or makers:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made) / "shop"
            folder.mkdir()
            makers[each](folder)
