"""Makes the pictures of the pages from real runs: `python docs/pictures.py [terminal|view]`.

- run.svg: a run of the embedded benchmark that is under way, in a terminal
- walk.svg: a rejected answer, in the walk through a trial (`controlplane replay`)
- view-*.png: the pages of `controlplane view`, in a headless browser

Needs the extra `test` (`pip install -e '.[test]'`), and Chromium for the pages.
"""

import base64
import io
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.style import Style
from rich.text import Text

# the folder of `tests` and the product
sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.controlplane.report.listed_runs import serving_view
from tests.support.browser import Browser
from tests.support.command import run_controlplane
from tests.support.terminal import Terminal

DOCS = Path(__file__).parent
EXAMPLES = DOCS / "examples"
REPLIES_WITH_REJECTION = f"scripted:{EXAMPLES / 'rejection.toml'}"

FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""The part of rich's SVG that fetches fonts from the network; any fixed-width font will do."""


# Pictures of the terminal.


def terminal_pictures(folder: Path) -> None:
    with Terminal("run", "--name", "demo", cwd=folder, rows=18) as terminal:
        terminal.wait_for(r"1\d of \d\d ·")  # about a third of the trials are over
        save_picture("run.svg", terminal, "controlplane run")
        terminal.finish()

    trial = "calendar-date.1"
    with Terminal(
        "run", trial, "--model", REPLIES_WITH_REJECTION, cwd=folder
    ) as terminal:
        terminal.finish()
    with Terminal("replay", "last", "--trial", trial, cwd=folder, rows=30) as terminal:
        terminal.wait_for("q quit")
        terminal.press("r", r"step 2 of[\s\S]*q quit\s*$")  # to the next rejection
        save_picture("walk.svg", terminal, f"controlplane replay last --trial {trial}")


def save_picture(name: str, terminal: Terminal, title: str) -> None:
    (DOCS / name).write_text(svg_of(terminal, title), encoding="utf-8")


def svg_of(terminal: Terminal, title: str) -> str:
    """Draw the terminal's screen, without the empty lines at its end."""
    screen = terminal.screen
    lines = []
    for y in range(screen.lines):
        line = Text()
        for x in range(screen.columns):
            character = screen.buffer[y][x]
            line.append(character.data, style_of(character))
        lines.append(line)
    while lines and not lines[-1].plain.strip():
        lines.pop()

    console = Console(
        record=True, width=screen.columns, file=io.StringIO(), force_terminal=True
    )
    for line in lines:
        console.print(line)
    svg = FONTS.sub("", console.export_svg(title=title, unique_id="picture"))
    svg_lines = [line.rstrip() for line in svg.splitlines()]
    return "\n".join(svg_lines) + "\n"


def style_of(character: Any) -> Style:
    """Return rich's style for a character of pyte's screen.

    pyte names colours `default`, `brown` (rich: `yellow`), `brightred` (`bright_red`) or by six
    hexadecimal digits.
    """
    colour = character.fg
    if colour == "default":
        return Style(bold=character.bold)
    if colour == "brown":
        colour = "yellow"
    elif re.fullmatch("[0-9a-f]{6}", colour):
        colour = f"#{colour}"
    else:
        colour = colour.replace("bright", "bright_")
    return Style(color=colour, bold=character.bold)


# Pictures of the pages of `controlplane view`.


@dataclass(frozen=True)
class ViewPicture:
    """A page, and the task on it whose trial is opened, if any.

    The path has `{gated}` and `{free}` for the ids of the runs with and without gates.
    """

    file_name: str
    path: str
    opened_task: str = ""


VIEW_PICTURES = (
    ViewPicture("view-runs.png", "/"),
    ViewPicture("view-trial.png", "/runs/{gated}", opened_task="basket-checkout.1"),
    ViewPicture("view-pair.png", "/runs/{gated},{free}"),
)

RUN_LINKS = """
[...document.querySelectorAll('.trials tbody a')].map(link => [link.textContent, link.pathname])
"""
"""JavaScript for the names and the paths of the listed runs."""


def view_pictures(folder: Path) -> None:
    make_runs_for_view(folder)
    with serving_view(folder, "runs") as view, Browser() as browser:
        browser.size(1280, 800)
        light = {"name": "prefers-color-scheme", "value": "light"}
        browser.send("Emulation.setEmulatedMedia", features=[light])
        browser.visit(view.address)
        browser.wait("document.querySelectorAll('.trials tbody tr').length === 4")
        run_ids = {}
        for name, path in browser.value(RUN_LINKS):
            run_ids[name] = path.removeprefix("/runs/")

        for picture in VIEW_PICTURES:
            path = picture.path.format(
                gated=run_ids["shop-gated"], free=run_ids["shop-free"]
            )
            browser.visit(f"http://127.0.0.1:{view.port}{path}")
            if picture.opened_task:
                open_trial(browser, picture.opened_task)
            screenshot = browser.send("Page.captureScreenshot", format="png")
            image = base64.b64decode(screenshot["data"])
            (DOCS / picture.file_name).write_bytes(image)


def make_runs_for_view(folder: Path) -> None:
    """Make the four runs that the list shows: three of the benchmark, and a question."""
    run_command(folder, "run", "--name=shop-gated", "--model=recorded")
    run_command(folder, "run", "--name=shop-free", "--model=recorded", "--gates=none")
    run_command(folder, "run", "--name=first-try", "--model=baseline")
    question = "Until when may loan-02 be kept?"
    files = str(EXAMPLES / "library" / "desk")
    replies = f"scripted:{EXAMPLES / 'ask.toml'}"
    run_command(folder, "ask", question, files, f"--model={replies}")


def run_command(folder: Path, *words: str) -> None:
    """Run the product; its exit code is 1 if an answer was not right, which is no error here."""
    result = run_controlplane(*words, "--quiet", cwd=folder)
    assert result.code in (0, 1), result.err


def open_trial(browser: Browser, task: str) -> None:
    """Open a trial of the run, and go to the step in which its answer was rejected."""
    links = "[...document.querySelectorAll('.trials a')]"
    browser.value(f"{links}.find(link => link.text === {task!r}).click()")
    browser.wait("document.querySelector('.step.back') !== null")
    browser.press("r")


PICTURE_MAKERS = {"terminal": terminal_pictures, "view": view_pictures}

if __name__ == "__main__":
    for kind in sys.argv[1:] or PICTURE_MAKERS:
        with tempfile.TemporaryDirectory() as temporary_folder:
            folder = Path(temporary_folder) / "shop"
            folder.mkdir()
            PICTURE_MAKERS[kind](folder)
