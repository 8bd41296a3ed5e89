"""`replay --verify` fails if a forger has changed what a script called, or with which arguments.

A replay runs the scripts of a journal again, and takes the results of their calls from the journal.
So it knows which calls a script makes, and compares them with the recorded ones: a journal with
`call.arguments = {"forged": 1}` differs.
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
    "change",
    [
        pytest.param(set_fields("call", arguments={"forged": 1}), id="call.arguments"),
        pytest.param(set_fields("step", calls=()), id="step.calls"),
    ],
)
def test_a_forged_field_that_is_compared_is_a_difference(
    change: Change, journal_of_two_submissions: Path, tmp_path: Path
) -> None:
    """A call and a step have further compared fields, which the other tests forge."""
    forged = forged_copy(journal_of_two_submissions, tmp_path, change)

    result = run_in_process("replay", forged, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.out
