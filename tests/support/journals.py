"""Journals of runs that are over, with the scores that a test needs.

    path = scored_journal(tmp_path / "r1.jsonl", {"t01": [1.0, 0.0]})

is a run with two trials of the task `t01`, of which the first was right. A journal records a run: it
is a file of JSON lines, one for each event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from controlplane.agent.events import (
    AnswerSent,
    CallEvent,
    ConversationOpened,
    ModelReplied,
    Noticed,
    TrialStarted,
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
    ResolvedSetting,
    RunClosed,
    RunOpened,
    RunStarted,
    RunSubmitted,
    Scored,
    TrialEnded,
    Versions,
)
from controlplane.journal.trial_reader import record_of

# Lines of a journal with new hashes, as somebody who forges a journal would write them.
#
# Each line has the hash of the line before it (`prev`) and its own (`hash`), so that a changed line is
# noticed. Where a machine has a key, each line also has a `mark`: a signature with this key.

CHAIN_FIELDS = ("prev", "hash", "mark")
"""The fields of a line that bind it to the lines before it, and to the key of the machine."""


def without_chain(fields: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a line's fields without those that `CHAIN_FIELDS` names."""
    return {name: value for name, value in fields.items() if name not in CHAIN_FIELDS}


def chained_lines(
    events: Iterable[dict[str, Any]], previous: str = GENESIS, key: bytes | None = None
) -> bytes:
    """Return the lines of these events with new hashes, as somebody who forges a journal would.

    `previous` is the hash of the line before the first one. With a `key`, each line also has a
    mark: a signature with the key of the machine that wrote it.
    """
    data = b""
    for event in events:
        line, previous = line_of(json_of(without_chain(event)), previous, key)
        data += line
    return data


# Events of a journal, read back for a test.
#
# A journal records a run: it is a file of JSON lines, one for each event, such as `run_opened`, a call
# of a trial, or a score. `list(read_events(path))` -> `[RunOpened(...), RunStarted(...), ...]`.


def first_line_with(part: bytes, lines: Sequence[bytes]) -> int:
    """Return the index of the first line of a journal with this part, such as `b'"run_started"'`.

    Fails the test if there is none.
    """
    for index, line in enumerate(lines):
        if part in line:
            return index
    raise AssertionError(f"no line with {part!r}")


def read_events(path: Path) -> Iterator[JournalEvent]:
    """Yield every event of a journal in order, with long texts in place of references to them.

    Raises `NotAJournal` at the end of a file without the event that opens a run, and
    `JournalDamaged` at a line that was changed.
    """
    is_opened = False
    for event in Journal(path).read_on():
        if isinstance(event, RunOpened):
            is_opened = True
        yield event
    if not is_opened:
        raise NotAJournal(f"{path} is not a journal: it holds no whole line of one")


def is_announced_call(event: object) -> bool:
    """Return True for the event that announces a call, before the event with its result."""
    return isinstance(event, CallEvent) and event.is_under_way


# Events for journals that a test writes itself, and what writes them.
#
# write_journal(tmp_path / "r.jsonl", [RUN_OPENED, Noticed(trial_id="t1", text="a notice")])

VERSIONS = Versions(controlplane="1", python="3.11", gates="g", prompts="p")
"""The versions of the program and its parts, as the start of a run records them."""
RUN_OPENED = RunOpened(
    run="r", name="n", benchmark="b", model="m", settings=(), versions=VERSIONS
)
"""The first event of every journal."""
LONG_TEXT = "a long text " * 17
"""Long enough that the journal writes it once, as a text of its own, and then refers to it."""


def _read_event(trial_id: str, number: int, result: dict[str, Any]) -> CallEvent:
    """Return the event of a read with this result."""
    return CallEvent(
        operation="read",
        arguments={},
        trial_id=trial_id,
        step=1,
        number=number,
        result=result,
    )


TWO_TRIALS_EVENTS: list[JournalEvent] = [
    RUN_OPENED,
    Noticed(trial_id="t1", text=LONG_TEXT),
    # A result with the long text twice, and with a text that looks like a reference to one.
    _read_event(
        "t1", 0, {"content": LONG_TEXT, "lines": [LONG_TEXT, {"a": "@text:fake"}]}
    ),
    Noticed(trial_id="t2", text="not a lone surrogate \ufffd and @text:"),
    Noticed(trial_id="t2", text="@text:0123"),
    # Results with the fields `prev` and `hash`, which also end each line.
    _read_event("t2", 1, {"path": "/a", "hash": "sha1:zz", "prev": "0" * 32}),
    _read_event(
        "t2",
        2,
        {"of": [{"prev": "p"}, {"a": [], "hash": "0" * 32}], "hash": "f" * 32},
    ),
    # A text that looks like the end of a line.
    Noticed(trial_id="t2", text=',"hash":"0123456789abcdef0123456789abcdef"}'),
    # Numbers in all notations, and values that JSON writes in words.
    _read_event(
        "t2", 3, {"n": [-1.5e-09, 1e22, 0, True, None, {}, [[]]], "hash": None}
    ),
    RunClosed(how="finished", exit_code=0),
]
"""The events of a short run of two trials, whose texts and results look like parts of a journal.

A journal writes a long text once, as a line with a key, and refers to it by `@text:KEY`. Each
line ends with the hash of the line before it (`prev`) and its own (`hash`). A reader must not
mistake the texts and results here for any of that."""


def write_journal(path: Path, events: list[JournalEvent]) -> Path:
    """Write a journal of these events, and return its path."""
    with JournalWriter(path, create=True) as journal:
        for event in events:
            journal.write(event)
    return path


# The events of a trial with a score, as the journal of a run has them.

NOW = "2026-04-22T09:30:00+00:00"
"""The time in the world of every trial."""


@dataclass(frozen=True, slots=True)
class ScoredTrial:
    """A trial that a journal is to have."""

    allotted: AllottedTrial
    """Its id, task and world, as the start of the run announces it."""
    score: float | str | None
    """A text is why it has none."""


def trial_events(trial: ScoredTrial, instruction: str) -> list[JournalEvent]:
    """Return the events of a trial of one step, which takes a second and costs a cent.

    The model replies with the script `=1+1`, and the answer 7 is sent and scored.
    """
    trial_id = trial.allotted.trial_id
    return [
        TrialStarted(
            trial_id=trial_id,
            task_id=trial.allotted.task_id,
            instruction=instruction,
            now=NOW,
            tool_schema="",
        ),
        ModelReplied(
            trial_id=trial_id,
            step=1,
            reply="=1+1",
            usage=Usage(prompt_tokens=100, completion_tokens=10),
            cost_usd=0.01,
        ),
        AnswerSent(
            trial_id=trial_id, step=1, message="7", outcome="OUTCOME_OK", refs=()
        ),
        TrialEnded(trial_id=trial_id, how="answered", elapsed_ms=1000),
        Scored(
            trial_id=trial_id,
            score=None if isinstance(trial.score, str) else trial.score,
            details=() if trial.score == 1 else ("wrong",),
            unscored=trial.score if isinstance(trial.score, str) else "",
        ),
    ]


# Trials that a journal is to have, each with a score, and the events of each.
#
# `scored_trials({"t01": [1.0, 0.0]}, {}, one_world=False)` are two trials of the task `t01`, in the
# worlds 0 and 1. A trial has a *world*: the files and records that its agent finds.

Scores = Mapping[str, Sequence[float | str | None]]
"""The scores of each task's trials: `{"t01": [1.0, None, "no reward"]}`; None for a score that the
benchmark keeps to itself, a text for why there is none."""


def scored_trials(
    scores: Scores, numbers: Mapping[str, Sequence[int]], *, one_world: bool
) -> list[ScoredTrial]:
    """Return a trial for each score. The trials of a task are numbered:

    - `{"t01": [1.0, 0.0]}` has the trials `t01-r0` and `t01-r1`
    - with `numbers={"t01": [4, 7]}`, these are `t01-r4` and `t01-r7`

    The number is that of the trial's world; or if all trials are in `one_world`, which is world 0,
    the number of the try.
    """
    trials: list[ScoredTrial] = []
    for task_id, task_scores in scores.items():
        task_numbers = numbers.get(task_id, range(len(task_scores)))
        for number, score in zip(task_numbers, task_scores, strict=True):
            allotted = AllottedTrial(
                trial_id=f"{task_id}-r{number}",
                task_id=task_id,
                number=0 if one_world else number,  # of the world
                repeat=number if one_world else 0,  # number of the try in this world
            )
            trials.append(ScoredTrial(allotted, score))
    return trials


def scored_journal(
    path: Path,
    scores: Scores,
    *,
    seed: int = 0,
    benchmark: str = "ecom",
    world_version: str = "w1",
    parent: str = "",
    how: Literal["rerun", "fork"] = "rerun",
    numbers: Mapping[str, Sequence[int]] | None = None,
    one_world: bool = False,
) -> Path:
    """Write the journal of a run that is over, with these scores, and return its path.

    A trial has a *world*: the files and records that its agent finds, in a `world_version`. The
    scores `{"t01": [1.0, 0.0]}` are those of the task t01

    - in the worlds 0 and 1;
    - twice in the world 0 if all trials are in `one_world`;
    - in the worlds 4 and 5 with `numbers={"t01": [4, 5]}`.

    `parent` is the id of the run that this one continues: a *rerun* plays some of its trials again,
    a *fork* plays one of them several times, from a step in the middle on.
    """
    trials = scored_trials(scores, numbers or {}, one_world=one_world)
    opened = RunOpened(
        run=path.stem,
        name="",
        benchmark=benchmark,
        model="m",
        settings=(ResolvedSetting(name="seed", value=seed, source="default"),),
        versions=Versions(
            controlplane="1", python="3.11", gates="g", prompts="p", world=world_version
        ),
        parent=ParentRun(run=parent, how=how) if parent else None,
    )
    allotted_trials = tuple(trial.allotted for trial in trials)
    with JournalWriter(path, create=True) as journal:
        journal.write(opened)
        journal.write(RunStarted(run_id="r", trials=allotted_trials))
        for trial in trials:
            world = trial.allotted.number
            if how == "fork":  # All are in the world of the trial that it continues.
                world = trials[0].allotted.number
            instruction = (
                f"What is {trial.allotted.task_id} in world {world} of {seed}?"
            )
            for event in trial_events(trial, instruction):
                journal.write(event)
        journal.write(RunSubmitted(forced=False, state="evaluated", score=None))
        journal.write(RunClosed(how="finished", exit_code=0))
    return path


# What happened in each trial, from the events of a run.
#
# A journal records a run: it is a file of JSON lines, one for each event.
# `trial_records_of(read_events(path))["t01-r0"]` is the record of one trial: its steps, replies and answer.


def trial_records_of(events: Iterable[JournalEvent]) -> dict[str, TrialRecord]:
    """Return each trial's record, by trial id, as if the events had been written and read.

    Calls before the model's first reply have the step number 0, and come before the event
    `ConversationOpened`. A journal has this event without calls; who reads the journal adds them to
    it. So does this function:

        CallEvent(step=0, operation="read"), ConversationOpened(calls=())
        -> CallEvent(step=0, operation="read"), ConversationOpened(calls=(read,))

    The call counts once: at `ConversationOpened`, a record drops the calls that came before.
    """
    trial_events: dict[str, list[JournalEvent]] = {}
    opening_steps: dict[str, TrialStep] = {}
    for event in events:
        trial_id = getattr(event, "trial_id", None)
        if trial_id is None:  # an event of the run
            continue
        if isinstance(event, CallEvent) and event.step == 0:
            opening_step = opening_steps.setdefault(trial_id, TrialStep())
            opening_step.add(event)
        if isinstance(event, ConversationOpened) and trial_id in opening_steps:
            opening_calls = tuple(opening_steps[trial_id].calls)
            event = event.model_copy(update={"calls": opening_calls})
        trial_events.setdefault(trial_id, []).append(event)
    return {trial_id: record_of(trial_events[trial_id]) for trial_id in trial_events}
