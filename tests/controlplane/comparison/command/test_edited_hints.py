"""`compare` tells of hints that were edited between two runs.

Hints are a text of the user for the model, `--hints hint.md`. Both runs name the same file. Its text is
part of the prompts, whose hash both journals have recorded:

    settings prompt texts '3f2a...' → '91bc...'
"""

import re
from pathlib import Path

from tests.support.command import run_in_process


def test_hints_that_were_edited_between_two_runs_are_a_difference(
    tmp_path: Path,
) -> None:
    run = ("run", "calendar-date.1", "--hints", "hint.md")
    (tmp_path / "hint.md").write_text("Answer in English.")
    assert run_in_process(*run, "--name", "before", cwd=tmp_path).code == 0
    (tmp_path / "hint.md").write_text("Answer in Dutch.")
    assert run_in_process(*run, "--name", "after", cwd=tmp_path).code == 0

    comparison = run_in_process("compare", "before", "after", cwd=tmp_path)

    assert re.search(
        r"^settings prompt texts '[0-9a-f]+' → '[0-9a-f]+'$",
        comparison.out,
        re.MULTILINE,
    ), comparison.out
