"""`replay --verify` fails if lines of a journal contradict each other about the sent answer.

The journal's line `answer_sent` has, among others, these fields, of which a forger changes one:

    message "7", outcome "OUTCOME_OK", refs (), failed ()

`refs` are the files that the answer cites, and `failed` names the gates (checks of the answer) that
objected. The lines before say that the model submitted "7", and that all gates accepted it.
"""

from pathlib import Path

import pytest

from controlplane.errors import ReplayDiverged
from tests.controlplane.commands.replay_verify.forged_copies import (
    forged_copy,
    set_fields,
)
from tests.support.command import run_in_process


@pytest.mark.parametrize(
    "versions",
    [
        pytest.param(None, id="same versions"),
        pytest.param({"gates": "another"}, id="another version of gates"),
    ],
)
@pytest.mark.parametrize(
    ("field", "value", "message_part"),
    [
        pytest.param(
            "message",
            "8",
            "step 2, message: recorded '8', and its other lines imply '7'",
            id="another answer than the one submitted",
        ),
        pytest.param(
            "outcome",
            "OUTCOME_DENIED_SECURITY",
            "step 2, outcome: recorded",
            id="another outcome",
        ),
        pytest.param(
            "refs", ("/other",), "step 2, refs: recorded", id="another cited file"
        ),
        pytest.param(
            "failed",
            ("4",),
            "step 2, failed: recorded",
            id="an objection of gate 4, which had none",
        ),
    ],
)
def test_another_sent_answer_than_the_other_lines_imply_is_an_error(
    field: str,
    value: object,
    message_part: str,
    versions: dict[str, str] | None,
    journal_of_two_submissions: Path,
    tmp_path: Path,
) -> None:
    """What was sent follows from the recorded verdicts, whatever gates say now."""
    change = set_fields("answer_sent", **{field: value})
    forged = forged_copy(
        journal_of_two_submissions, tmp_path, change, versions=versions
    )

    result = run_in_process("replay", forged, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.err
    assert message_part in result.err
