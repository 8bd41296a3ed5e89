"""`replay --verify` of a journal that another version of Python has recorded.

Each minor version of Python words some errors in another way. So their texts may differ from what
the scripts of the journal do now. What a script prints or answers must still be the same.
"""

from pathlib import Path

import pytest

from controlplane.errors import ReplayDiverged
from tests.controlplane.commands.replay_verify.changed_texts import (
    change_answer,
    change_error_text_of_step,
    change_error_text_of_verdict,
    change_output,
)
from tests.controlplane.commands.replay_verify.forged_copies import Change, forged_copy
from tests.support.command import run_in_process


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(change_error_text_of_step, id="error text of a step"),
        pytest.param(change_error_text_of_verdict, id="error text of a verdict"),
    ],
)
def test_under_another_python_error_texts_may_differ(
    change: Change, journal_of_two_submissions: Path, tmp_path: Path
) -> None:
    forged = forged_copy(
        journal_of_two_submissions, tmp_path, change, versions={"python": "3.99.1"}
    )

    result = run_in_process("replay", forged, "--verify", cwd=tmp_path)

    assert result.code == 0, result.out + result.err
    message = "not compared: error texts (recorded under Python 3.99.1)"
    assert message in result.out + result.err


@pytest.mark.parametrize(
    ("change", "message_part"),
    [
        pytest.param(change_answer, "step 1, verdicts: recorded", id="answer"),
        pytest.param(
            change_output,
            "it was recorded under Python 3.99.1, and what this one",
            id="output",
        ),
    ],
)
def test_under_another_python_other_differences_are_errors(
    change: Change, message_part: str, journal_of_two_submissions: Path, tmp_path: Path
) -> None:
    """The message also names the other Python, which may be the cause."""
    forged = forged_copy(
        journal_of_two_submissions, tmp_path, change, versions={"python": "3.99.1"}
    )

    result = run_in_process("replay", forged, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.out + result.err
    assert message_part in result.out + result.err
    assert "recorded under Python" in result.out + result.err
