"""The mark: a signature with a user's key on each line of a journal that this user's runs wrote.

The hashes of a journal prove nothing, since anybody can compute them. The tests try what somebody
could do who does not have the key: leave out what a replay would compare, or copy signed lines.
"""

import os
import tracemalloc
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.own_marks import ends_with_mark
from controlplane.sandbox.interface import bounds
from tests.controlplane.journal.foreign.forgeries import ALL_FORGERIES, events_of
from tests.support.command import ROOT, run_in_process
from tests.support.journals.chained_lines import chained_lines

SAMPLE = ROOT / "runs/sample.jsonl"
"""A journal that the makers of the product wrote, and not this user."""


class TestForgeries:
    """What somebody could try who does not have this user's key.

    Each line has the hash of the line before, and a mark, which is a signature with the key.
    Anybody can compute the hashes: `chained_lines(events)` makes lines with valid hashes and
    without marks. `own_journal` is a journal that this user's run has written.
    """

    def test_a_replay_does_not_verify_answers_whose_script_is_said_to_have_been_killed(
        self, tmp_path: Path
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
        self, own_journal: Path, tmp_path: Path
    ) -> None:
        """The last two lines of the user's journal, both with the user's mark, are copied behind a
        stranger's. The first of them has the hash of another line before it."""
        own_lines = own_journal.read_bytes().splitlines(keepends=True)
        forged = tmp_path / "forged.jsonl"
        copied_lines = b"".join(own_lines[-2:])
        forged.write_bytes(SAMPLE.read_bytes() + copied_lines)

        assert ends_with_mark(own_journal)
        assert not ends_with_mark(forged)

    @pytest.mark.usefixtures("own_journal")
    def test_a_huge_file_without_lines_is_searched_for_a_mark_in_little_memory(
        self, tmp_path: Path
    ) -> None:
        """Without a key of the user, which the run has made, no file would be searched."""
        huge_file = tmp_path / "r.jsonl"
        with huge_file.open("wb") as file:
            file.truncate(1 << 30)  # 1 GiB that takes no room on the disk

        tracemalloc.start()
        has_mark = ends_with_mark(huge_file)
        _, peak_bytes = tracemalloc.get_traced_memory()
        tracemalloc.stop()

        assert not has_mark
        assert peak_bytes < 3 * bounds.MOST_LINE_BYTES


@pytest.fixture
def foreign_runs(own_journal: Path, tmp_path: Path) -> Path:
    """A folder `runs` with a forged journal of each kind."""
    runs = tmp_path / "runs"
    runs.mkdir()
    for forge in ALL_FORGERIES:
        forged = runs / f"{forge.__name__}.jsonl"
        forged.write_bytes(forge(own_journal.read_bytes()))
    return runs


class TestLast:
    """The word `last` in a command stands for the newest run that this user has made.

    The folder `runs` has a forged journal of each kind, all of them newer. `own_journal` is
    the journal of a run that this user has made.
    """

    def test_last_is_the_users_own_run_although_others_are_newer(
        self, own_journal: Path, foreign_runs: Path, tmp_path: Path
    ) -> None:
        """`show last` must not show a stranger's run, which a user may take for their own."""
        copy_of_own = foreign_runs / own_journal.name
        copy_of_own.write_bytes(own_journal.read_bytes())
        os.utime(copy_of_own, (1, 1))  # the oldest of all

        shown = run_in_process("show", "last", "--json", cwd=tmp_path)

        assert shown.json["run"] == own_journal.stem

    @pytest.mark.usefixtures("foreign_runs")
    def test_last_names_no_run_if_all_are_of_others(self, tmp_path: Path) -> None:
        """The folder has journals, all of them forged."""
        refused = run_in_process("show", "last", cwd=tmp_path)

        assert refused.code == UsageError.exit_code, refused.err
        assert "you wrote none of the journals" in refused.err
