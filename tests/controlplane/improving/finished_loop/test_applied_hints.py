"""`improve apply last` shows the best hints of a loop, and writes them only with `--apply`.

The loop has found better hints, which are not yet written into the user's file. `FIRST_HINTS` is the
text of the file before the loop.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controlplane.improving.finished_loop.finished_loops import FinishedLoop
from tests.controlplane.improving.served_loop import FIRST_HINTS

pytestmark = pytest.mark.second_tier


@pytest.fixture
def hints_file(finished_loop: FinishedLoop) -> Iterator[Path]:
    """The file that the loop edits. Other tests share it, so it gets its first text back."""
    path = finished_loop.folder / "hints.txt"
    yield path
    path.write_text(FIRST_HINTS, encoding="utf-8")


def test_the_best_hints_are_written_only_with_the_option_apply(
    finished_loop: FinishedLoop, hints_file: Path
) -> None:
    """Without it, `improve apply` only shows what it would change."""
    shown = finished_loop.command("improve", "apply", "last")
    assert shown.code == 6  # A change is shown, and not made.
    assert "nothing is written" in shown.err
    assert hints_file.read_text(encoding="utf-8") == FIRST_HINTS

    applied = finished_loop.command("improve", "apply", "last", "--apply")
    assert applied.code == 0, applied.err
    assert "+Read the record twice." in applied.out
    assert hints_file.read_text(encoding="utf-8") == finished_loop.best_hints
