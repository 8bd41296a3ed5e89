"""`replay --verify` fails if a journal says that a trial ended in another way than its lines show.

A trial ends "answered" if the model's own answer was sent, with a "fallback" if the product sent an
answer of its own because none of the model's was accepted, and otherwise "unanswered". Here the
model's answer was sent, and a forger has changed `answer_sent.fallback` or `trial_ended.how`.
"""

from pathlib import Path

import pytest

from controlplane.errors import ReplayDiverged
from tests.controlplane.commands.replay_verify.forged_copies import (
    Change,
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
    ("change", "message_part"),
    [
        pytest.param(
            set_fields("answer_sent", fallback=True),
            "end: recorded 'answered', and its other lines imply 'fallback'",
            id="the answer is called a fallback, the end is not",
        ),
        pytest.param(
            set_fields("trial_ended", how="fallback"),
            "end: recorded 'fallback', and its other lines imply 'answered'",
            id="the end is called a fallback, the answer is not",
        ),
        pytest.param(
            set_fields("trial_ended", how="unanswered"),
            "end: recorded 'unanswered'",
            id="unanswered, despite the answer",
        ),
    ],
)
def test_another_end_than_the_other_lines_imply_is_an_error(
    change: Change,
    message_part: str,
    versions: dict[str, str] | None,
    journal_of_two_submissions: Path,
    tmp_path: Path,
) -> None:
    """How a trial ended follows from its other lines, whatever the gates (checks of an answer)
    would say now."""
    forged = forged_copy(
        journal_of_two_submissions, tmp_path, change, versions=versions
    )

    result = run_in_process("replay", forged, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.err
    assert message_part in result.err
