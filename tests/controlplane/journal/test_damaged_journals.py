"""Files that are not journals, damaged journals, and paths that are not files.

A journal is a file of JSON lines, each with a hash of its bytes and the hash of the line before it.
What is not a journal, or was changed, is refused in one line, and no command changes such a file.
No pipe or device is waited for.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane.errors import JournalDamaged, NotAJournal, UsageError
from controlplane.journal.journal_reader import name_in
from tests.controlplane.journal.foreign.costly_lines import line_without_end
from tests.controlplane.journal.foreign.costly_results import deep_list
from tests.support.command import ROOT, CommandRunner, check_error_line, run_in_process
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER

OK = 0

SAMPLE = ROOT / "runs/sample.jsonl"
"""The journal of a small run, which is part of the repository."""


def make_link_to_endless_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


class TestPathsThatAreNotFiles:
    """A path in place of a journal is a pipe, a device, a folder or a link to itself.

    A folder of journals may come from somebody else. Reading a pipe, or the device /dev/zero,
    would never end.
    """

    @pytest.mark.parametrize(
        "make",
        [
            pytest.param(os.mkfifo, id="pipe"),
            pytest.param(make_link_to_endless_device, id="endless device"),
        ],
    )
    @pytest.mark.parametrize(
        "command",
        [
            "show",
            "replay",
            "show --follow",
            "show --follow --json",
            "resume",
            "submit",
            "judge",
        ],
    )
    def test_a_pipe_or_a_device_is_not_read_as_a_journal(
        self, command: str, make: Callable[[Path], None], tmp_path: Path
    ) -> None:
        """Reading it would never end."""
        path = tmp_path / "r.jsonl"
        make(path)

        result = run_in_process(*command.split(), path, cwd=tmp_path)

        assert result.code == UsageError.exit_code, result.err
        assert "a pipe or a device" in result.err
        assert name_in(path) == ""

    def test_one_bad_journal_does_not_spoil_the_list_of_runs(
        self, tmp_path: Path
    ) -> None:
        """Beside a good journal, the folder has a pipe, a device, a folder, a link to itself, and
        hostile journals. `controlplane runs` lists the good one."""
        runs = tmp_path / "runs"
        runs.mkdir()
        (runs / "good.jsonl").write_bytes(SAMPLE.read_bytes())
        os.mkfifo(runs / "pipe.jsonl")
        make_link_to_endless_device(runs / "device.jsonl")
        (runs / "folder.jsonl").mkdir()
        (runs / "loop.jsonl").symlink_to(runs / "loop.jsonl")
        (runs / "deep.jsonl").write_bytes(deep_list())
        (runs / "no-line.jsonl").write_bytes(line_without_end())

        listed = run_in_process("runs", "--json", cwd=tmp_path)

        assert listed.code == OK, listed.err
        assert "good" in listed.out


A_TRIAL_FAILED = 1
"""The exit code of a run if a trial has no answer."""


@pytest.fixture(scope="module")
def finished_journal(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of the journal of a finished run."""
    folder = tmp_path_factory.mktemp("finished")
    assert run_in_process("run", *PHONEBOOK_WITH_PLAYER, cwd=folder).code == OK
    (path,) = folder.glob("runs/*.jsonl")
    return path.read_bytes()


def replaced_by_a_letter(data: bytes) -> bytes:
    return b"a letter to a friend\n"


def replaced_by_other_json(data: bytes) -> bytes:
    return b'{"type": "run_opened"}\n'


def emptied(data: bytes) -> bytes:
    return b""


def cut_in_its_first_line(data: bytes) -> bytes:
    """Nothing is left but the beginning of the first line."""
    return data[:40]


def cut_in_its_last_line(data: bytes) -> bytes:
    return data[:-30]


def without_its_sixth_line(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join(lines[:5] + lines[6:])


def changed_in_its_first_line(data: bytes) -> bytes:
    """The type of the first event, `run_opened`, and a name in it have a letter in upper case."""
    data = data.replace(b'"phonebook', b'"Phonebook', 1)
    return data.replace(b"run_opened", b"run_Opened", 1)


def changed_in_its_eighth_line(data: bytes) -> bytes:
    """The event has another time."""
    lines = data.splitlines(keepends=True)
    lines[7] = lines[7].replace(b'"at_ms":1', b'"at_ms":2', 1)
    return b"".join(lines)


def cut_and_followed_by_other_text(data: bytes) -> bytes:
    """Only the last line may be cut. Here, another line follows the cut one."""
    return cut_in_its_last_line(data) + b"and more\n"


class TestDamagedJournals:
    """The journal of a finished run is cut, changed, or replaced by another text.

    A function such as `without_its_sixth_line` takes the bytes of the journal, and returns them
    with a change. Each line has a hash of its own bytes, and the hash of the line before it.
    """

    @pytest.mark.parametrize(
        "command",
        [("show",), ("replay", "--verify"), ("resume",), ("submit",), ("poll",)],
        ids=" ".join,
    )
    @pytest.mark.parametrize(
        ("change", "code", "error_parts"),
        [
            (replaced_by_a_letter, NotAJournal.exit_code, ["is not a journal"]),
            (replaced_by_other_json, NotAJournal.exit_code, ["is not a journal"]),
            (
                emptied,
                NotAJournal.exit_code,
                ["is not a journal: it holds no whole line of one"],
            ),
            (cut_in_its_first_line, NotAJournal.exit_code, ["is not a journal"]),
            (
                without_its_sixth_line,
                JournalDamaged.exit_code,
                ["is damaged at line 6: it does not follow the line before it"],
            ),
            (
                changed_in_its_first_line,
                JournalDamaged.exit_code,
                ["is damaged at line 1", "its bytes do not match its hash"],
            ),
            (
                changed_in_its_eighth_line,
                JournalDamaged.exit_code,
                ["is damaged at line 8", "its bytes do not match its hash"],
            ),
            (
                cut_and_followed_by_other_text,
                JournalDamaged.exit_code,
                ["is damaged at line"],
            ),
        ],
    )
    def test_a_damaged_journal_is_refused_in_one_line_and_left_as_it_is(
        self,
        change: Callable[[bytes], bytes],
        code: int,
        error_parts: list[str],
        command: tuple[str, ...],
        finished_journal: bytes,
        run_command_here: CommandRunner,
        tmp_path: Path,
    ) -> None:
        """A command that continues a run must not write to a journal whose lines it does not
        understand."""
        path = tmp_path / "it.jsonl"
        path.write_bytes(change(finished_journal))
        bytes_before = path.read_bytes()

        result = run_command_here(*command, "it.jsonl")

        check_error_line(result, code, "it.jsonl", *error_parts)
        assert path.read_bytes() == bytes_before

    def test_a_journal_whose_last_line_was_cut_is_replayed_and_resumed(
        self, finished_journal: bytes, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        """A kill may cut the last line. That is not damage."""
        (tmp_path / "it.jsonl").write_bytes(cut_in_its_last_line(finished_journal))

        replay = run_command_here("replay", "it.jsonl", "--verify")
        resumed = run_command_here("resume", "it.jsonl")

        assert replay.code == OK, replay.err
        assert "the last line was cut off" in replay.out
        assert resumed.code in (OK, A_TRIAL_FAILED)
