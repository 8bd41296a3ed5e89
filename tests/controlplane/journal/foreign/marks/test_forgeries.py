"""What somebody could try who does not have the user's key.

Each line of a journal has the hash of the line before, and a mark: a signature with the key of the user
whose run wrote it. Anybody can compute the hashes: `chained_lines(events)` makes lines with valid
hashes and without marks. `own_journal` is a journal that this user's run has written.
"""

from pathlib import Path

from controlplane.journal.journal_lines import ends_with_mark
from controlplane.journal.journal_reader import open_journal
from tests.controlplane.journal.foreign.forgeries import events_of
from tests.support.command import ROOT, run_in_process
from tests.support.journals.chained_lines import chained_lines

SAMPLE = ROOT / "runs/sample.jsonl"
"""A journal that the makers of the product wrote, and not this user."""


def test_a_replay_does_not_verify_answers_whose_script_is_said_to_have_been_killed(
    tmp_path: Path,
) -> None:
    """`replay --verify` runs the recorded scripts again and compares their outputs. It cannot
    repeat a script that the sandbox has killed at a time limit. So a forger says that all
    scripts were killed, and invents their outputs. The replay says that it has not verified
    these answers."""
    events = events_of(SAMPLE.read_bytes())
    for event in events:
        if event["type"] == "step":
            event["ending"] = "killed"
            event["output"] = "forged"
    forged = tmp_path / "forged.jsonl"
    forged.write_bytes(chained_lines(events))
    with open_journal(forged) as journal:
        trial_ids = ", ".join(journal.trials)

    replay = run_in_process("replay", forged, "--verify", cwd=tmp_path)

    assert replay.code == 0, replay.err
    assert (
        f"the accepted answers of {trial_ids}, given in steps that a limit ended"
        in replay.out
    )


def test_lines_copied_from_the_users_journal_do_not_mark_a_strangers_journal(
    own_journal: Path, tmp_path: Path
) -> None:
    """The last two lines of the user's journal, both with the user's mark, are copied behind a
    stranger's. The first of them has the hash of another line before it."""
    own_lines = own_journal.read_bytes().splitlines(keepends=True)
    forged = tmp_path / "forged.jsonl"
    copied_lines = b"".join(own_lines[-2:])
    forged.write_bytes(SAMPLE.read_bytes() + copied_lines)

    assert ends_with_mark(own_journal)
    assert not ends_with_mark(forged)
