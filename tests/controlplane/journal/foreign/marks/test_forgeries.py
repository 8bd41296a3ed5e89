"""What somebody could try who does not have the user's key.

Each line of a journal has the hash of the line before, and a mark: a signature with the key of the user
whose run wrote it. Anybody can compute the hashes: `chained_lines(events)` makes lines with valid
hashes and without marks. `own_journal` is a journal that this user's run has written.
"""

import os
import tracemalloc
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.journal.journal_lines import ends_with_mark
from controlplane.journal.journal_reader import open_journal
from controlplane.sandbox.interface import bounds
from tests.controlplane.journal.foreign.forgeries import ALL_FORGERIES, events_of
from tests.support.command import run_in_process
from tests.support.journals import chained_lines
from tests.support.product_files import ROOT

# The word `last` in a command stands for the newest run that this user has made.
#
# `show last` must not show a stranger's run, which a user may take for their own. The folder `runs` has a
# forged journal of each kind, all of them newer than the user's own.


@pytest.fixture
def foreign_runs(own_journal: Path, tmp_path: Path) -> Path:
    """A folder `runs` with a forged journal of each kind."""
    runs = tmp_path / "runs"
    runs.mkdir()
    for forge in ALL_FORGERIES:
        forged = runs / f"{forge.__name__}.jsonl"
        forged.write_bytes(forge(own_journal.read_bytes()))
    return runs


def test_last_is_the_users_own_run_although_others_are_newer(
    own_journal: Path, foreign_runs: Path, tmp_path: Path
) -> None:
    copy_of_own = foreign_runs / own_journal.name
    copy_of_own.write_bytes(own_journal.read_bytes())
    os.utime(copy_of_own, (1, 1))  # the oldest of all

    shown = run_in_process("show", "last", "--json", cwd=tmp_path)

    assert shown.json["run"] == own_journal.stem


@pytest.mark.usefixtures("foreign_runs")
def test_last_names_no_run_if_all_are_of_others(tmp_path: Path) -> None:
    """The folder has journals, all of them forged."""
    refused = run_in_process("show", "last", cwd=tmp_path)

    assert refused.code == UsageError.exit_code, refused.err
    assert "you wrote none of the journals" in refused.err


def test_last_is_the_users_run_that_was_killed_after_a_stored_text(
    own_journal: Path, tmp_path: Path
) -> None:
    """A long text has a line without a mark, before that of the event that refers to it. A process
    that is killed, or whose disk is full, may leave it as the last line."""
    lines = own_journal.read_bytes().splitlines(keepends=True)
    after_opening = [
        number for number, line in enumerate(lines) if b'"type":"text"' in line
    ][-1]
    runs = tmp_path / "runs"
    runs.mkdir()
    killed = runs / own_journal.name
    killed.write_bytes(b"".join(lines[: after_opening + 1]) + b'{"prev":"')

    shown = run_in_process("show", "last", "--json", cwd=tmp_path)

    assert shown.json["run"] == own_journal.stem, shown.err


# A huge file without lines is searched for a user's mark in little memory.
#
# The last line of a user's journal ends with a mark, a signature with the user's key. Any file may lie in
# the folder of the journals, here one of 1 GiB.


@pytest.mark.usefixtures("own_journal")  # This fixture plays a run, which makes a key.
def test_a_huge_file_without_lines_is_searched_for_a_mark_in_little_memory(
    tmp_path: Path,
) -> None:
    """A user without a key has no marks, and no file would be searched."""
    huge_file = tmp_path / "r.jsonl"
    with huge_file.open("wb") as file:
        file.truncate(1 << 30)  # 1 GiB that takes no room on the disk

    tracemalloc.start()
    has_mark = ends_with_mark(huge_file)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert not has_mark
    # The search gives up at a line of more than 64 MiB, of which there may be two copies.
    assert peak_bytes < 3 * bounds.MOST_LINE_BYTES


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
