"""Commands that the list of runs names work.

`runs` prints in a terminal how to show and to compare runs. The page of `view`, which shows the list
in a browser, says how to start a first run: "Start one: /bin/controlplane run ...".
"""

import html
import re
from pathlib import Path

from tests.controlplane.commands.named_commands.printed_commands import commands_in_text
from tests.controlplane.report.running_view import serving_view
from tests.support.command import (
    run_in_process,
)
from tests.support.terminal import Terminal


def test_the_commands_below_the_list_of_runs_work(tmp_path: Path) -> None:
    """The user has to fill the names of two runs in: `compare RUN RUN`."""
    for name in ("one", "two"):
        run = run_in_process("run", "calendar-date.1", "--name", name, cwd=tmp_path)
        assert run.code == 0
    with Terminal("runs", cwd=tmp_path, columns=200) as terminal:
        assert terminal.finish() == 0
        show, compare = commands_in_text(terminal.text)

    assert run_in_process(*show, cwd=tmp_path).code == 0
    assert compare == ["compare", "RUN", "RUN"]
    assert run_in_process("compare", "one", "two", cwd=tmp_path).code == 0


def test_the_command_on_the_page_of_an_empty_list_of_runs_works(tmp_path: Path) -> None:
    """`view` serves the list as a web page."""
    with serving_view(tmp_path) as view:
        page = view.text("/")
    (text,) = re.findall(r"Start one: <code>([^<]+)</code>", page)
    (command,) = commands_in_text(html.unescape(text))

    assert command[0] == "run"
    assert run_in_process(*command, cwd=tmp_path).code == 0
    assert list(tmp_path.glob("runs/*.jsonl"))
