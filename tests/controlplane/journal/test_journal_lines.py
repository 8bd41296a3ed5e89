import errno
import fcntl
import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agent.events import CallRecord, CallSent, ConversationOpened, StepDone
from agent.events.trial_events import CallDone, ModelReplied
from agent.model.model_protocol import Usage
from controlplane.errors import JournalUnwritable
from controlplane.journal.journal_file import is_being_written
from controlplane.journal.journal_lines import JournalWriter
from controlplane.journal.journal_reader import Journal, glance_at, open_journal
from controlplane.journal.run_events import JournalEvent, RunNotice, Setting
from tests.support.command import inside
from tests.support.phonebook import PLAYED
from tests.support.scored_journal import EVENTS, OPENED, read_events, written

ARGUMENTS = {"name": "ada"}
CALL = CallRecord(operation="lookup", arguments=ARGUMENTS, result={"number": "17"}, shown_chars=3, elapsed_ms=1.5)
USAGE = Usage(prompt_tokens=5, completion_tokens=2)


def sent_and_done(step: int) -> list[JournalEvent]:
    told = {"shown_chars": CALL.shown_chars, "elapsed_ms": CALL.elapsed_ms}
    return [
        CallSent(trial_id="t", step=step, number=0, operation="lookup", arguments=ARGUMENTS),
        CallDone(trial_id="t", step=step, number=0, result=CALL.result, **told),
    ]


TRIAL: list[JournalEvent] = [
    *sent_and_done(0),
    ConversationOpened(trial_id="t", system="s", first_message=("one",), calls=(CALL,)),
    ModelReplied(trial_id="t", step=1, reply="the reply", usage=USAGE, cost_usd=0.5),
    *sent_and_done(1),
    StepDone(trial_id="t", step=1, reply="the reply", code="x", calls=(CALL,), usage=USAGE, cost_usd=0.5),
    StepDone(trial_id="t", step=2),
]


def lines_of_kind(path: Path, kind: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [line for line in lines if line["type"] == kind]


def test_a_step_is_read_as_it_was_emitted(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", [OPENED, *TRIAL])
    assert list(read_events(path))[1:] == TRIAL


def test_a_step_is_joined_wherever_reading_went_on(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    found: list[JournalEvent] = []
    with JournalWriter(path, create=True) as journal:
        growing = Journal(path)
        for each in (OPENED, *TRIAL):
            journal.write(each)
            found += growing.read_on()
    assert found[1:] == TRIAL


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


LONG = "a long text, " * 40


def test_a_text_that_repeats_is_stored_once(tmp_path: Path) -> None:
    events = [*EVENTS, RunNotice(text=LONG), RunNotice(text=LONG)]
    path = written(tmp_path / "run.jsonl", events)
    assert path.read_bytes().count(LONG.encode()) == 1
    assert [event.text for event in [*read_events(path)][-2:]] == [LONG, LONG]


@pytest.mark.parametrize(
    ("options", "played"),
    [
        ({}, "b"),
        ({"profile": "hard"}, "b profile=hard"),
        ({"profile": "dev", "names": "own"}, "b names=own profile=dev"),
        ({"url": "https://127.0.0.1:9/v1", "policy": "blind"}, "b policy=blind"),
        ({"profile": "expert", "parts": "-helpers"}, "b profile=expert -helpers"),
    ],
)
def test_options_that_are_words_stand_behind_the_benchmark(options: Mapping[str, str], played: str) -> None:
    parts, chosen = options.get("parts"), {name: value for name, value in options.items() if name != "parts"}
    given = {"seed": 3, "set": chosen, **({"parts": parts} if parts else {})}
    settings = tuple(Setting(name=name, value=value, source="flag") for name, value in given.items())
    assert OPENED.model_copy(update={"settings": settings}).played == played


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
