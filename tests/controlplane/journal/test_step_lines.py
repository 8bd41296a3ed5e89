"""Every call, verdict and reply stands in the journal once; whoever reads it gets whole steps."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent.events import CallRecord, CallSent, ConversationOpened, StepDone
from agent.events.trial_events import CallDone, ModelReplied
from agent.model.model_protocol import Usage
from controlplane.errors import JournalDamaged
from controlplane.journal.journal_digest import glance_at
from controlplane.journal.journal_reader import Chain, new_events, read_events
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent
from tests.controlplane.journal.written_journal import OPENED, written
from tests.support.in_process_command import inside
from tests.support.phonebook import PLAYED

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
    ConversationOpened(trial_id="t", system="s", turn_one=("one",), calls=(CALL,)),
    ModelReplied(trial_id="t", step=1, reply="the reply", usage=USAGE, cost_usd=0.5),
    *sent_and_done(1),
    StepDone(trial_id="t", step=1, reply="the reply", code="x", calls=(CALL,), usage=USAGE, cost_usd=0.5),
    StepDone(trial_id="t", step=2),
]


def lines_of(path: Path, kind: str) -> list[dict[str, Any]]:
    lines = [json.loads(each) for each in path.read_bytes().splitlines()]
    return [each for each in lines if each["type"] == kind]


def test_a_step_is_read_as_it_was_emitted(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", [OPENED, *TRIAL])
    assert list(read_events(path))[1:] == TRIAL


def test_a_line_of_a_step_holds_numbers(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", [OPENED, *TRIAL])
    first, second = lines_of(path, "step")
    assert (first["calls"], first["verdicts"], second["calls"]) == ([0], [], [])
    assert not {"reply", "usage", "cost_usd"} & first.keys()
    assert lines_of(path, "conversation_opened")[0]["calls"] == [0]
    assert path.read_text().count("the reply") == 1


def test_a_step_is_joined_wherever_reading_went_on(tmp_path: Path) -> None:
    path, chain = tmp_path / "r.jsonl", Chain()
    found: list[JournalEvent] = []
    with JournalWriter(path, create=True) as journal:
        for each in (OPENED, *TRIAL):
            journal.write(each)
            found += new_events(path, chain)
    assert found[1:] == TRIAL


def test_a_number_that_no_line_has_is_damage(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", [OPENED, *TRIAL[3:4], TRIAL[6]])
    with pytest.raises(JournalDamaged, match="line 3: it names calls that are in no line before it"):
        list(read_events(path))


def test_every_call_and_verdict_of_a_run_stands_once_and_is_counted(tmp_path: Path) -> None:
    inside("run", *PLAYED, "ada", "--json", cwd=tmp_path)
    (path,) = tmp_path.glob("runs/*.jsonl")
    steps = [each for each in read_events(path) if isinstance(each, StepDone)]
    assert sum(len(each.calls) for each in steps) == len(lines_of(path, "call_done"))
    judged = [each["judged"]["accepted"] for each in lines_of(path, "submission_judged")]
    assert [one.accepted for each in steps for one in each.verdicts] == judged == [False, True]
    texts = {f"@text:{each['key']}": each["text"] for each in lines_of(path, "text")}
    replies = [each["reply"] for each in lines_of(path, "model_replied")]
    assert [each.reply for each in steps] == [texts.get(each, each) for each in replies]
    (trial,) = glance_at(path, at_trials=True).trials.values()
    assert trial.rejections == {"8/answer-form": 1}
