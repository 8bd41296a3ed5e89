"""`replay --verify` names the part of the product of which another version recorded the journal.

A user can then tell whether a difference comes from that version, and was not forged:

    under another version of gates

Gates are checks of a submitted answer.
"""

from pathlib import Path

from tests.controlplane.commands.replay_verify.changed_texts import change_answer
from tests.controlplane.commands.replay_verify.forged_copies import forged_copy
from tests.support.command import run_in_process


def test_the_other_version_of_a_part_is_named(
    journal_of_two_submissions: Path, tmp_path: Path
) -> None:
    forged = forged_copy(
        journal_of_two_submissions,
        tmp_path,
        change_answer,
        versions={"gates": "another"},
    )

    result = run_in_process("replay", forged, "--verify", cwd=tmp_path)

    assert "under another version of gates" in result.out
