import errno
import fcntl
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from agent.events import StepDone
from controlplane.errors import JournalUnwritable
from controlplane.journal.journal_lines import JournalWriter, is_being_written
from controlplane.journal.journal_reader import glance_at, open_journal
from tests.support.command import inside
from tests.support.phonebook import PLAYED
from tests.support.scored_journal import EVENTS, read_events, written


def lines_of_kind(path: Path, kind: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [line for line in lines if line["type"] == kind]


def test_every_call_and_verdict_of_a_run_stands_once_and_is_counted(tmp_path: Path) -> None:
    inside("run", *PLAYED, "ada", "--json", cwd=tmp_path)
    (path,) = tmp_path.glob("runs/*.jsonl")
    steps = [event for event in read_events(path) if isinstance(event, StepDone)]
    assert sum(len(step.calls) for step in steps) == len(lines_of_kind(path, "call_done"))
    judged = [line["judged"]["accepted"] for line in lines_of_kind(path, "submission_judged")]
    assert [one.accepted for step in steps for one in step.verdicts] == judged == [False, True]
    texts = {f"@text:{line['key']}": line["text"] for line in lines_of_kind(path, "text")}
    replies = [line["reply"] for line in lines_of_kind(path, "model_replied")]
    assert [step.reply for step in steps] == [texts.get(reply, reply) for reply in replies]
    (trial,) = glance_at(path).trials.values()
    assert trial.rejections == {"6/wording": 1}


def test_a_journal_and_its_folder_are_readable_only_by_their_user(tmp_path: Path) -> None:
    path = tmp_path / "runs" / "r.jsonl"
    with JournalWriter(path, create=True):
        modes = [stat.S_IMODE(place.stat().st_mode) for place in (path.parent, path)]
    assert modes == [0o700, 0o600]


def test_a_writer_that_goes_on_cuts_the_torn_line_first(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", EVENTS[:-1])
    with path.open("ab") as file:
        file.write(b'{"prev":"')
    with open_journal(path) as known, JournalWriter(path, create=False) as journal:
        journal.continue_after(length=known.length, last_hash=known.last_hash)
        journal.write(EVENTS[-1])
    assert list(read_events(path)) == EVENTS


def test_a_file_system_without_locks_is_told_as_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_here(file: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none_here)
    with pytest.raises(JournalUnwritable, match=r"cannot lock the journal .*: No locks available; use a folder on"):
        JournalWriter(tmp_path / "new.jsonl", create=True)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "old.jsonl").touch()
    assert not is_being_written(tmp_path / "old.jsonl")
