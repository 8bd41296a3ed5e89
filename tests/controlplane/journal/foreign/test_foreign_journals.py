"""What the commands do with a stranger's journal of a run.

Each line of a journal has a *mark*: a signature with the key of the user whose run wrote it. A line
without this user's mark may come from a stranger, and it names programs and modules to run. A journal
with such a line is *foreign*: it can be read, and no more, unless the user says `--trust`.

To *forge* is to make a foreign journal of one that this user's run has written (`own_journal`).
"""

import re
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.journal.journal_reader import open_journal
from tests.controlplane.journal.foreign.forgeries import (
    ALL_FORGERIES,
    Forge,
    events_of,
    resumed_by_another,
    unmarked,
)
from tests.support.command import run_in_process


@pytest.fixture
def foreign_journal(
    request: pytest.FixtureRequest, own_journal: Path, tmp_path: Path
) -> Path:
    """A foreign journal of a finished run. The test's parameter is the function that forges it."""
    forge: Forge = request.param
    path = tmp_path / "foreign.jsonl"
    path.write_bytes(forge(own_journal.read_bytes()))
    return path


each_forgery = pytest.mark.parametrize("foreign_journal", ALL_FORGERIES, indirect=True)
"""Runs a test with five foreign journals: all lines without marks or with those of another key, a
changed score, another model for the rest of the run, and a harmless line at the end."""


class TestFinishedRun:
    """The run of a foreign journal is over: it can be read.

    `foreign_journal` is a copy of this user's journal with lines that lack this user's mark.
    The reader says which one is the first: `fault_of_marks` is "you did not write its line 12
    here", or "" if all lines have the mark.
    """

    @each_forgery
    def test_a_journal_with_an_unmarked_line_can_be_read(
        self, foreign_journal: Path, tmp_path: Path
    ) -> None:
        """`show` prints it as any other."""
        with open_journal(foreign_journal) as journal:
            fault = journal.fault_of_marks

        assert re.fullmatch(r"you did not write its line \d+ here", fault), fault
        assert run_in_process("show", foreign_journal, cwd=tmp_path).code == 0

    @each_forgery
    def test_a_replay_says_what_it_cannot_verify_without_marks(
        self, foreign_journal: Path, tmp_path: Path
    ) -> None:
        """A replay runs the recorded scripts again. What it cannot compute, such as the settings of
        the run, only a mark proves."""
        with open_journal(foreign_journal) as journal:
            fault = journal.fault_of_marks

        replay = run_in_process("replay", foreign_journal, "--verify", cwd=tmp_path)

        assert replay.code == 0, replay.err
        assert f"not verified, as {fault}: settings" in replay.out


class TestActionsOnAFinishedRun:
    """No command acts on a foreign journal of a run that is over.

    Some of its lines lack this user's mark. The journal stays as it is, byte for byte, and its
    benchmark and model are used for nothing.
    """

    @each_forgery
    @pytest.mark.parametrize(
        "command", [("resume",), ("submit", "--force"), ("poll",)], ids=" ".join
    )
    def test_commands_that_continue_a_run_leave_a_foreign_journal_as_it_is(
        self, command: tuple[str, ...], foreign_journal: Path, tmp_path: Path
    ) -> None:
        """`resume`, `submit` and `poll` add lines to a journal. Here each of them is refused, or finds
        that the run is over. In neither case may it write a line."""
        bytes_before = foreign_journal.read_bytes()
        verb, *options = command

        run_in_process(verb, foreign_journal, *options, cwd=tmp_path)

        assert foreign_journal.read_bytes() == bytes_before

    @each_forgery
    @pytest.mark.parametrize(
        "command",
        [
            ("rerun",),
            ("fork", "--trial", "seat-001-t0", "--step", "1"),
            ("judge", "--grader"),
        ],
        ids=" ".join,
    )
    def test_no_new_run_is_made_from_a_foreign_journal(
        self, command: tuple[str, ...], foreign_journal: Path, tmp_path: Path
    ) -> None:
        """`rerun` repeats a run, `fork` plays a trial on from one of its steps, and `judge
        --grader` scores its answers again. All three would take the benchmark and the model from
        the journal."""
        with open_journal(foreign_journal) as journal:
            fault = journal.fault_of_marks
        verb, *options = command

        refused = run_in_process(verb, foreign_journal, *options, cwd=tmp_path)

        assert refused.code == UsageError.exit_code
        assert f"can only be read: {fault}; if you trust" in refused.err


def journal_up_to_last_trial(journal: bytes) -> bytes:
    """Return the lines of a journal up to the start of its last trial, which is then open."""
    before_start, start_of_last_trial, _ = journal.rpartition(b'"type":"trial_started"')
    whole_lines = len(before_start.splitlines())
    assert start_of_last_trial
    return b"".join(journal.splitlines(keepends=True)[:whole_lines])


def foreign_journal_of_open_run(forge: Forge, own_journal: Path, folder: Path) -> Path:
    """Write a foreign journal of a run that was interrupted in its last trial.

    Behind its whole lines stands `{"prev":"09af...","at_ms":`, half of a line, as after a crash. A
    command that continues the run first cuts the half line off. So the file is the same afterwards
    only if the command has left it alone.
    """
    forged = forge(journal_up_to_last_trial(own_journal.read_bytes()))
    last_hash = events_of(forged)[-1]["hash"]
    half_line = f'{{"prev":"{last_hash}","at_ms":'
    path = folder / "foreign.jsonl"
    path.write_bytes(forged + half_line.encode())
    return path


CONTINUING_COMMANDS = [("resume",), ("submit", "--force")]
"""The commands that would act on an open run."""


class TestOpenRun:
    """The run of a foreign journal is not over: only `--trust` continues it.

    The journal ends in the last trial, so that there is something to continue. `resume` would
    play the trial, and `submit --force` would end the run without it. `own_journal` is a
    journal that this user's run has written, of two trials.
    """

    @pytest.mark.parametrize("forge", [unmarked, resumed_by_another])
    @pytest.mark.parametrize("command", CONTINUING_COMMANDS, ids=" ".join)
    def test_an_open_run_is_not_continued_if_its_journal_is_not_trusted(
        self, command: tuple[str, ...], forge: Forge, own_journal: Path, tmp_path: Path
    ) -> None:
        """A stranger wrote all lines again, or added a line by which the run goes on with another
        model. Not a byte of either journal changes."""
        foreign = foreign_journal_of_open_run(forge, own_journal, tmp_path)
        bytes_before = foreign.read_bytes()
        verb, *options = command

        refused = run_in_process(verb, foreign, *options, cwd=tmp_path)

        assert refused.code == UsageError.exit_code, refused.err
        assert "--trust" in refused.err
        assert foreign.read_bytes() == bytes_before

    @pytest.mark.parametrize("command", CONTINUING_COMMANDS, ids=" ".join)
    def test_an_open_run_is_continued_if_its_journal_is_trusted(
        self, command: tuple[str, ...], own_journal: Path, tmp_path: Path
    ) -> None:
        """`--trust` holds for this command only: the journal does not become the user's own."""
        foreign = foreign_journal_of_open_run(unmarked, own_journal, tmp_path)
        verb, *options = command

        continued = run_in_process(verb, foreign, *options, "--trust", cwd=tmp_path)

        assert continued.code == 0, continued.err
        with open_journal(foreign) as journal:
            assert journal.summary.submitted
            assert not journal.is_own
