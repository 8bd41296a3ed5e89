"""`replay --verify` fails if a journal differs in one text from what its scripts do when run again.

This is the strict case: the journal says that this version of Python has recorded it, so that even
the words of an error must be the same. The record, of which one text is changed here:

    step 1   error "KeyError: 'nothing'", and what a gate says of it: "... did not answer"
    step 2   output "{'answer': '7', ...}"

A gate is a check of a submitted answer, and a verdict is what it says.
"""

from pathlib import Path

import pytest

from controlplane.errors import ReplayDiverged
from tests.controlplane.commands.replay_verify.changed_texts import (
    change_error_text_of_step,
    change_error_text_of_verdict,
    change_output,
)
from tests.controlplane.commands.replay_verify.forged_copies import Change, forged_copy
from tests.support.command import run_in_process


@pytest.mark.parametrize(
    ("change", "message_part"),
    [
        pytest.param(
            change_error_text_of_step,
            "step 1, error: recorded",
            id="error text of a step",
        ),
        pytest.param(
            change_error_text_of_verdict,
            "step 1, verdicts: recorded",
            id="error text of a verdict",
        ),
        pytest.param(change_output, "step 2, output: recorded", id="output"),
    ],
)
def test_under_the_same_python_every_difference_is_an_error(
    change: Change,
    message_part: str,
    journal_of_two_submissions: Path,
    tmp_path: Path,
) -> None:
    """The message names the step and the field. It does not say that another Python is the
    cause."""
    forged = forged_copy(journal_of_two_submissions, tmp_path, change)

    result = run_in_process("replay", forged, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.out + result.err
    assert message_part in result.out + result.err
    assert "recorded under Python" not in result.out + result.err
