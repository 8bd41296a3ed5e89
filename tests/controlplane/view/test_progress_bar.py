"""Long work shows a bar, short work shows nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import environment
from tests.support.terminal import Terminal

WORK = """
import sys, time
from controlplane.view.progress_bar import progress_bar
with progress_bar("counting") as tell:
    for done in range(11):
        tell(done, 10)
        time.sleep(float(sys.argv[1]))
print("counted")
"""


@pytest.mark.parametrize(("pause_s", "is_shown"), [("0.12", True), ("0.001", False)])
def test_a_bar_is_shown_while_long_work_lasts_and_taken_away(pause_s: str, is_shown: bool, tmp_path: Path) -> None:
    with Terminal(cwd=tmp_path, argv=(sys.executable, "-c", WORK, pause_s)) as terminal:
        if is_shown:
            terminal.wait_for(r"counting: ━+.* [5-9]0% 0:00:0\d")
        assert terminal.finish() == 0
        assert terminal.is_as_before
        assert terminal.text.strip() == "counted"
        assert (b"counting" in terminal.written) == is_shown


def test_nothing_is_written_where_nobody_looks(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WORK, "0.06"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("counted\n", "")
