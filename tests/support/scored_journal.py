"""Journals of runs with the scores that a test needs."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from controlplane.agent.events import (
    AnswerSent,
    CallEvent,
    ConversationOpened,
    ModelReplied,
    Noticed,
    TrialStarted,
    varying_fields,
)
from controlplane.agent.model import Usage
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.record.trial_step import TrialStep
from controlplane.errors import NotAJournal
from controlplane.journal.journal_lines import GENESIS, json_of, line_of
from controlplane.journal.journal_reader import Journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import (
    AllottedTrial,
    JournalEvent,
    ParentRun,
    RunClosed,
    RunOpened,
    RunStarted,
    RunSubmitted,
    Scored,
    Setting,
    TrialEnded,
    Versions,
)
from controlplane.journal.trial_reader import record_of

Scores = Mapping[str, Sequence[float | None]]

NOW = "2026-04-22T09:30:00+00:00"


def scored_journal(
    path: Path,
    scores: Scores,
    *,
    seed: int = 0,
    benchmark: str = "ecom",
    world: str = "w1",
    parent: str = "",
    how: Literal["rerun", "fork"] = "rerun",
    numbers: Mapping[str, Sequence[int]] | None = None,
    outcome: str = "OUTCOME_OK",
    one_world: bool = False,
) -> Path:
    """Write the journal of a run that is over: for each
    task the scores of its tries, None for a sealed one.

    Each try has a world of its own, unless all tries of a task have `one_world`.
    """
    tries = [
        (task, (numbers or {}).get(task, range(len(each)))[at], score)
        for task, each in scores.items()
        for at, score in enumerate(each)
    ]
    versions = Versions(
        controlplane="1", python="3.11", gates="g", prompts="p", world=world
    )
    settings = (Setting(name="seed", value=seed, source="default"),)
    heads = tuple(
        AllottedTrial(trial_id=f"{task}-r{at}", task_id=task, number=0, repeat=at)
        if one_world
        else AllottedTrial(trial_id=f"{task}-r{at}", task_id=task, number=at)
        for task, at, _ in tries
    )
    opened = RunOpened(
        run=path.stem,
        name="",
        benchmark=benchmark,
        model="m",
        settings=settings,
        versions=versions,
        parent=ParentRun(run=parent, how=how) if parent else None,
    )
    with JournalWriter(path, create=True) as journal:
        journal.write(opened)
        journal.write(RunStarted(run_id="r", trials=heads))
        for task, at, score in tries:
            trial = f"{task}-r{at}"
            asked = f"What is {task} in world {tries[0][1] if how == 'fork' else 0 if one_world else at} of {seed}?"
            journal.write(
                TrialStarted(
                    trial_id=trial,
                    task_id=task,
                    instruction=asked,
                    now=NOW,
                    tool_schema="",
                )
            )
            usage = Usage(prompt_tokens=100, completion_tokens=10)
            journal.write(
                ModelReplied(
                    trial_id=trial, step=1, reply="=1+1", usage=usage, cost_usd=0.01
                )
            )
            journal.write(
                AnswerSent(
                    trial_id=trial, step=1, message="7", outcome=outcome, refs=()
                )
            )
            journal.write(TrialEnded(trial_id=trial, how="answered", elapsed_ms=1000))
            journal.write(
                Scored(
                    trial_id=trial,
                    score=score,
                    details=() if score == 1 else ("wrong",),
                )
            )
        journal.write(RunSubmitted(forced=False, state="evaluated", score=None))
        journal.write(RunClosed(how="finished", exit_code=0))
    return path


def read_events(path: Path) -> Iterator[JournalEvent]:
    """Yield every event of a journal in order, texts resolved.

    Raises `NotAJournal`, `JournalDamaged`.
    """
    is_opened = False
    for event in Journal(path).read_on():
        is_opened = is_opened or isinstance(event, RunOpened)
        yield event
    if not is_opened:
        raise NotAJournal(f"{path} is not a journal: it holds no whole line of one")


def is_announced_call(event: object) -> bool:
    """Return True for the event of a call that is about to be made."""
    return isinstance(event, CallEvent) and event.is_announcement


def records_of(events: Iterable[JournalEvent]) -> dict[str, TrialRecord]:
    """Return each trial's record, by trial id, as if the events had been written and read."""
    of_trial: dict[str, list[JournalEvent]] = {}
    opening_calls: dict[str, TrialStep] = {}
    for event in events:
        trial_id = getattr(event, "trial_id", None)
        if trial_id is None:
            continue
        if isinstance(event, CallEvent) and event.step == 0:
            opening_calls.setdefault(trial_id, TrialStep()).add(event)
        if isinstance(event, ConversationOpened) and trial_id in opening_calls:
            whole_calls = tuple(opening_calls[trial_id].calls)
            event = event.model_copy(update={"calls": whole_calls})
        of_trial.setdefault(trial_id, []).append(event)
    return {trial_id: record_of(of_trial[trial_id]) for trial_id in of_trial}


VARYING = re.compile(rf'("(?:{"|".join(sorted(varying_fields()))})":)[0-9.]+')
"""The fields that vary from run to run, with their numbers."""


def timeless(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the lines of the one journal below `folder` by
    trial, and those of its texts and of the run itself."""
    (path,) = (folder / "runs").glob("*.jsonl")
    text = path.read_text().replace(path.stem, "JOURNAL")
    if named := re.search(r'"run_id":"[^"]*-([0-9a-f]{8})"', text):
        text = text.replace(named[1], "RUN")
    lines: dict[str, list[dict[str, Any]]] = {}
    for line in VARYING.sub(r"\g<1>0", text).splitlines():
        fields = {
            name: value
            for name, value in json.loads(line).items()
            if name not in ("prev", "hash", "mark")
        }
        if fields["type"] == "run_opened":
            fields["settings"] = [
                setting
                for setting in fields["settings"]
                if setting["name"] != "workers"
            ]
        lines.setdefault(
            fields.get("trial_id", "texts" if fields["type"] == "text" else ""), []
        ).append(fields)
    lines["texts"].sort(key=lambda fields: str(fields["key"]))
    return lines


VERSIONS = Versions(controlplane="1", python="3.11", gates="g", prompts="p")
OPENED = RunOpened(
    run="r", name="n", benchmark="b", model="m", settings=(), versions=VERSIONS
)
LONG = "a long text " * 17
EVENTS: list[JournalEvent] = [
    OPENED,
    Noticed(trial_id="t1", text=LONG),
    CallEvent(
        operation="read",
        arguments={},
        trial_id="t1",
        step=1,
        number=0,
        result={"content": LONG, "lines": [LONG, {"a": "@text:fake"}]},
    ),
    Noticed(trial_id="t2", text="not a lone surrogate \ufffd and @text:"),
    Noticed(trial_id="t2", text="@text:0123"),
    CallEvent(
        operation="read",
        arguments={},
        trial_id="t2",
        step=1,
        number=1,
        result={"path": "/a", "hash": "sha1:zz", "prev": "0" * 32},
    ),
    CallEvent(
        operation="read",
        arguments={},
        trial_id="t2",
        step=1,
        number=2,
        result={"of": [{"prev": "p"}, {"a": [], "hash": "0" * 32}], "hash": "f" * 32},
    ),
    Noticed(trial_id="t2", text=',"hash":"0123456789abcdef0123456789abcdef"}'),
    CallEvent(
        operation="read",
        arguments={},
        trial_id="t2",
        step=1,
        number=3,
        result={"n": [-1.5e-09, 1e22, 0, True, None, {}, [[]]], "hash": None},
    ),
    RunClosed(how="finished", exit_code=0),
]


def chained(
    events: Iterable[dict[str, Any]], previous: str = GENESIS, key: bytes | None = None
) -> bytes:
    """Return the lines of these events in a chain of their
    own behind the hash `previous`, marked by `key`."""
    data = b""
    for event in events:
        fields = {
            name: value
            for name, value in event.items()
            if name not in ("prev", "hash", "mark")
        }
        line, previous = line_of(json_of(fields), previous, key)
        data += line
    return data


def written(path: Path, events: list[JournalEvent]) -> Path:
    with JournalWriter(path, create=True) as journal:
        for event in events:
            journal.write(event)
    return path
