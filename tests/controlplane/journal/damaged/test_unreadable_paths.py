"""A journal that is damaged, or no journal at all, is refused in one line, and left as it is.

Any edited byte is found, also behind new hashes. A last line that a kill has cut is no damage. The
version of an older journal is named. Pipes, devices and links without end are not read.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane.errors import JournalDamaged, NotAJournal, UsageError
from controlplane.journal.journal_reader import Journal, name_in, open_journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import SCHEMA_VERSION
from tests.controlplane.journal.foreign.costly.costly_results import deep_list
from tests.controlplane.journal.foreign.costly.many_lines import line_without_end
from tests.controlplane.journal.tried_positions import tried_positions
from tests.support.command import CommandRunner, check_error_line, run_in_process
from tests.support.journals import (
    TWO_TRIALS_EVENTS,
    chained_lines,
    read_events,
    write_journal,
)
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER
from tests.support.product_files import ROOT


@pytest.fixture(scope="session")
def finished_journal(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of the journal of a finished run."""
    folder = tmp_path_factory.mktemp("finished")
    assert run_in_process("run", *PHONEBOOK_WITH_PLAYER, cwd=folder).code == 0
    (path,) = folder.glob("runs/*.jsonl")
    return path.read_bytes()


# A journal whose last line was cut is replayed and resumed, since a kill may cut that line.
#
# A journal is a file of JSON lines, to which a run adds a line for each event. The last line of a
# finished journal is longer than 30 bytes, so that a journal without its last 30 bytes ends in the
# middle of that line. If the cut line goes on with something else, the journal is damaged: no kill
# does so.


def test_a_journal_whose_last_line_was_cut_is_replayed_and_resumed(
    finished_journal: bytes, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    (tmp_path / "it.jsonl").write_bytes(finished_journal[:-30])

    replay = run_command_here("replay", "it.jsonl", "--verify")
    resumed = run_command_here("resume", "it.jsonl")

    assert replay.code == 0, replay.err
    assert "the last line was cut off" in replay.out
    assert resumed.code in (0, 1)  # 1: a trial has no answer.


@pytest.mark.parametrize(
    "command",
    [("show",), ("replay", "--verify"), ("resume",), ("submit",), ("poll",)],
    ids=" ".join,
)
def test_a_journal_whose_cut_line_goes_on_is_damaged_and_not_changed(
    command: tuple[str, ...],
    finished_journal: bytes,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    damaged_journal = finished_journal[:-30] + b"and more\n"
    (tmp_path / "it.jsonl").write_bytes(damaged_journal)

    result = run_command_here(*command, "it.jsonl")

    check_error_line(result, JournalDamaged.exit_code, "it.jsonl", "is damaged at line")
    assert (tmp_path / "it.jsonl").read_bytes() == damaged_journal


# A journal of which a line was changed or is missing is refused in one line, and left as it is.
#
# A journal is a file of JSON lines, each with a hash of its own bytes, and the hash of the line before
# it. So a change shows:
#
#     the sixth line is missing    ->    ... is damaged at line 6: it does not follow the line before it


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


@pytest.mark.parametrize(
    "command",
    [("show",), ("replay", "--verify"), ("resume",), ("submit",), ("poll",)],
    ids=" ".join,
)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            without_its_sixth_line,
            "is damaged at line 6: it does not follow the line before it",
        ),
        (
            changed_in_its_first_line,
            "is damaged at line 1 … its bytes do not match its hash",
        ),
        (
            changed_in_its_eighth_line,
            "is damaged at line 8 … its bytes do not match its hash",
        ),
    ],
)
def test_a_damaged_journal_is_refused_in_one_line_and_left_as_it_is(
    change: Callable[[bytes], bytes],
    message: str,
    command: tuple[str, ...],
    finished_journal: bytes,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    """A command that continues a run must not write to a journal that it does not understand."""
    path = tmp_path / "it.jsonl"
    path.write_bytes(change(finished_journal))
    bytes_before = path.read_bytes()

    result = run_command_here(*command, "it.jsonl")

    parts = message.split(" … ")
    check_error_line(result, JournalDamaged.exit_code, "it.jsonl", *parts)
    assert path.read_bytes() == bytes_before


# An edit of any byte of a journal is found: the journal is damaged, or not the user's own any more.
#
# A journal is a file of JSON lines, one for each event of a run. Each line has the hash of the line
# before it. At the end of a line may be a *mark*, a signature that only this user can make.


def test_an_edit_of_any_byte_is_found(tmp_path: Path, heavy: bool) -> None:
    """One byte is changed: some in turn, in the heavy form every one."""
    path = write_journal(tmp_path / "r.jsonl", TWO_TRIALS_EVENTS)
    journal_bytes = path.read_bytes()
    # The last byte is left out: without its line feed, a journal is right, too.
    edited_positions = tried_positions(journal_bytes[:-1], heavy)
    edited_path = tmp_path / "edited.jsonl"

    for position in edited_positions:
        edited_bytes = bytearray(journal_bytes)
        edited_bytes[position] ^= 1
        edited_path.write_bytes(edited_bytes)

        try:
            with open_journal(edited_path) as journal:
                is_own = journal.is_own
            events = list(read_events(edited_path))
        except (JournalDamaged, NotAJournal):
            continue

        # The byte was in a mark. So the events are the same, but the journal is not the user's.
        assert not is_own, position
        assert events == TWO_TRIALS_EVENTS, position


# A text that was changed in a journal is found, even if all lines are chained by new hashes.
#
# A journal is a file of JSON lines, each with the hash of the line before it. Anybody can write such
# a chain. But a long text is a line of its own, which other lines name by a *key*, the hash of the
# text:
#
#     {"type": "text", "key": "3f2a...", "text": "It is 24-11-2027. and more"}
#     ->    does not match its key


def test_a_changed_text_with_a_new_chain_of_hashes_is_found(tmp_path: Path) -> None:
    sample_journal = ROOT / "runs/sample.jsonl"
    events = [json.loads(line) for line in sample_journal.read_bytes().splitlines()]
    for event in events:
        if event["type"] == "text":
            event["text"] += " and more"
    forged_path = tmp_path / "forged.jsonl"
    forged_path.write_bytes(chained_lines(events))

    with pytest.raises(JournalDamaged, match="does not match its key"):
        open_journal(forged_path)


# A journal of an older version is refused, and the message names the version.
#
# The first event of a journal has the version of its form, `schema_version`. The product reads its
# present version only.


def test_a_journal_of_an_older_version_is_refused_with_its_version(
    tmp_path: Path,
) -> None:
    older_version = SCHEMA_VERSION - 1
    first_event, *_ = Journal(ROOT / "runs/sample.jsonl").read_on()
    older_event = first_event.model_copy(update={"schema_version": older_version})
    with JournalWriter(tmp_path / "older.jsonl", create=True) as journal:
        journal.write(older_event)

    shown = run_in_process("show", tmp_path / "older.jsonl", cwd=tmp_path)

    assert shown.code == NotAJournal.exit_code
    assert f"schema version {older_version}" in shown.err


# A file that is not a journal is refused in one line, and no command changes it.
#
# A journal is the record of a run, a file of JSON lines, each with a hash.
#
#     it.jsonl with "a letter to a friend"    ->    controlplane: ... it.jsonl is not a journal ...


@pytest.mark.parametrize(
    "command",
    [("show",), ("replay", "--verify"), ("resume",), ("submit",), ("poll",)],
    ids=" ".join,
)
@pytest.mark.parametrize(
    ("content", "message_part"),
    [
        pytest.param(b"a letter to a friend\n", "is not a journal", id="letter"),
        pytest.param(b'{"type": "run_opened"}\n', "is not a journal", id="other JSON"),
        pytest.param(
            b"", "is not a journal: it holds no whole line of one", id="nothing"
        ),
        pytest.param(
            b'{"prev":"' + b"0" * 31,
            "is not a journal",
            id="the beginning of the first line of a journal",
        ),
    ],
)
def test_a_file_that_is_not_a_journal_is_refused_in_one_line_and_left_as_it_is(
    content: bytes,
    message_part: str,
    command: tuple[str, ...],
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    """A command that continues a run must not write to such a file."""
    path = tmp_path / "it.jsonl"
    path.write_bytes(content)

    result = run_command_here(*command, "it.jsonl")

    check_error_line(result, NotAJournal.exit_code, "it.jsonl", message_part)
    assert path.read_bytes() == content


# A path in place of a journal is a pipe, a device, a folder or a link to itself.
#
# A journal is the record of a run, a file of JSON lines. A folder of journals may come from
# somebody else, and reading a pipe, or the device /dev/zero, would never end. So such a path is
# refused:
#
#     controlplane show /dev/zero    ->    ... a pipe or a device ...


def make_link_to_endless_device(path: Path) -> None:
    """Make a file from which a program could read zeros for ever."""
    path.symlink_to("/dev/zero")


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
    command: str, make: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    make(path)

    result = run_in_process(*command.split(), path, cwd=tmp_path)

    assert result.code == UsageError.exit_code, result.err
    assert "a pipe or a device" in result.err
    assert name_in(path) == ""


def test_one_bad_journal_does_not_spoil_the_list_of_runs(tmp_path: Path) -> None:
    """`controlplane runs` lists the good journal of the folder, although it has to look at all."""
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "good.jsonl").write_bytes((ROOT / "runs/sample.jsonl").read_bytes())
    os.mkfifo(runs / "pipe.jsonl")
    make_link_to_endless_device(runs / "device.jsonl")
    (runs / "folder.jsonl").mkdir()
    (runs / "loop.jsonl").symlink_to(runs / "loop.jsonl")
    (runs / "deep.jsonl").write_bytes(deep_list())
    (runs / "no-line.jsonl").write_bytes(line_without_end())

    listed = run_in_process("runs", "--json", cwd=tmp_path)

    assert listed.code == 0, listed.err
    assert "good" in listed.out
