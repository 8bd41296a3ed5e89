"""Journals for tests: written with the scores or events that a test needs, and read back.

    path = scored_journal(tmp_path / "r1.jsonl", {"t01": [1.0, 0.0]})

is a run with two trials of the task `t01`, of which the first was right. A journal records a
run: it is a file of JSON lines, one for each event. Each line carries the hash of the line
before it, so that a changed line is noticed.
"""

import json
import re
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
"""The scores of each task's trials: `{"t01": [1.0, None]}`; None for a score that the benchmark
keeps to itself."""

NOW = "2026-04-22T09:30:00+00:00"
"""The time in the world of every trial."""

CHAIN_FIELDS = ("prev", "hash", "mark")
"""The fields of a line that bind it to the lines before it, and to the key of the machine."""


@dataclass(frozen=True, slots=True)
class _ScoredTrial:
    """A trial that a journal is to have."""

    task_id: str
    number: int
    """Counts the trials of the task from 0, unless `numbers` of `scored_journal` says otherwise."""
    score: float | None

    @property
    def trial_id(self) -> str:
        return f"{self.task_id}-r{self.number}"


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
    outcome: str = "OUTCOME_OK",
    one_world: bool = False,
) -> Path:
    """Write the journal of a run that is over, with these scores, and return its path.

    `world_version` is the version of the benchmark's data. `parent` is the id of the run that
    this one was made from, by a `rerun` or a `fork`. `numbers` has the numbers of a task's trials
    if they are not 0, 1, 2, …: `{"t01": [1]}` for a rerun of its second trial. `one_world` is
    True if all trials of a task have the same data (see `_world_number`).
    """
    trials = _scored_trials(scores, numbers or {})
    opened = RunOpened(
        run=path.stem,
        name="",
        benchmark=benchmark,
        model="m",
        settings=(Setting(name="seed", value=seed, source="default"),),
        versions=Versions(
            controlplane="1", python="3.11", gates="g", prompts="p", world=world_version
        ),
        parent=ParentRun(run=parent, how=how) if parent else None,
    )
    allotted_trials = tuple(
        _allotted_trial(trial, one_world=one_world) for trial in trials
    )
    with JournalWriter(path, create=True) as journal:
        journal.write(opened)
        journal.write(RunStarted(run_id="r", trials=allotted_trials))
        for trial in trials:
            if how == "fork":
                # Each trial of a fork goes on from the same trial, the first one.
                world_number = trials[0].number
            else:
                world_number = _world_number(trial, one_world=one_world)
            instruction = f"What is {trial.task_id} in world {world_number} of {seed}?"
            for event in _trial_events(trial, instruction, outcome):
                journal.write(event)
        journal.write(RunSubmitted(forced=False, state="evaluated", score=None))
        journal.write(RunClosed(how="finished", exit_code=0))
    return path


def _scored_trials(
    scores: Scores, numbers: Mapping[str, Sequence[int]]
) -> list[_ScoredTrial]:
    """Return a trial for each score, numbered from 0 in its task or by `numbers`."""
    trials: list[_ScoredTrial] = []
    for task_id, task_scores in scores.items():
        task_numbers = numbers.get(task_id, range(len(task_scores)))
        for index, score in enumerate(task_scores):
            trials.append(_ScoredTrial(task_id, task_numbers[index], score))
    return trials


def _world_number(trial: _ScoredTrial, *, one_world: bool) -> int:
    """Return the number of a trial's *world*: the files and records that the agent finds.

    A benchmark makes a world for each trial of a task, with a number of its own, unless all
    trials of the task have one world.
    """
    return 0 if one_world else trial.number


def _allotted_trial(trial: _ScoredTrial, *, one_world: bool) -> AllottedTrial:
    """Return the trial as the start of a run names it.

    `number` is that of its world, and `repeat` counts the trials in one and the same world.
    """
    return AllottedTrial(
        trial_id=trial.trial_id,
        task_id=trial.task_id,
        number=_world_number(trial, one_world=one_world),
        repeat=trial.number if one_world else 0,
    )


def _trial_events(
    trial: _ScoredTrial, instruction: str, outcome: str
) -> list[JournalEvent]:
    """Return the events of a trial of one step, which takes a second and costs a cent."""
    trial_id = trial.trial_id
    return [
        TrialStarted(
            trial_id=trial_id,
            task_id=trial.task_id,
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
        AnswerSent(trial_id=trial_id, step=1, message="7", outcome=outcome, refs=()),
        TrialEnded(trial_id=trial_id, how="answered", elapsed_ms=1000),
        Scored(
            trial_id=trial_id,
            score=trial.score,
            details=() if trial.score == 1 else ("wrong",),
        ),
    ]


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

    Raises `NotAJournal`, `JournalDamaged`.
    """
    is_opened = False
    for event in Journal(path).read_on():
        if isinstance(event, RunOpened):
            is_opened = True
        yield event
    if not is_opened:
        raise NotAJournal(f"{path} is not a journal: it holds no whole line of one")


def is_announced_call(event: object) -> bool:
    """Return True for the event of a call that is about to be made."""
    return isinstance(event, CallEvent) and event.is_announcement


def trial_records_of(events: Iterable[JournalEvent]) -> dict[str, TrialRecord]:
    """Return each trial's record, by trial id, as if the events had been written and read.

    The calls that opened a conversation (those of step 0) are written as lines of their own
    before it. The reader of a journal puts them into `ConversationOpened`, and so does this.
    """
    trial_events: dict[str, list[JournalEvent]] = {}
    opening_steps: dict[str, TrialStep] = {}
    for event in events:
        trial_id = getattr(event, "trial_id", None)
        if trial_id is None:
            continue
        if isinstance(event, CallEvent) and event.step == 0:
            opening_steps.setdefault(trial_id, TrialStep()).add(event)
        if isinstance(event, ConversationOpened) and trial_id in opening_steps:
            opening_calls = tuple(opening_steps[trial_id].calls)
            event = event.model_copy(update={"calls": opening_calls})
        trial_events.setdefault(trial_id, []).append(event)
    return {trial_id: record_of(trial_events[trial_id]) for trial_id in trial_events}


NUMBER_OF_VARYING_FIELD = re.compile(
    rf'("(?:{"|".join(sorted(varying_fields()))})":)[0-9.]+'
)
"""Finds the number of a field that varies from run to run, as in `"elapsed_ms":1034`."""

RUN_ID_ENDING = re.compile(r'"run_id":"[^"]*-([0-9a-f]{8})"')
"""Finds the random ending of the run's id, as in `"run_id":"local-0f3a91bc"`."""


def lines_without_times(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the lines of the one journal below `folder`, without what differs between two
    equal runs: ids, times, hashes, and the number of workers.

    Returns `{"t1": [...], "texts": [...], "": [...]}`: the lines of each trial; those of long
    texts, sorted, because trials that run side by side write them in any order; and those of the
    run itself.
    """
    (path,) = (folder / "runs").glob("*.jsonl")
    text = path.read_text().replace(path.stem, "JOURNAL")
    run_id_ending = RUN_ID_ENDING.search(text)
    if run_id_ending:
        text = text.replace(run_id_ending[1], "RUN")
    text = NUMBER_OF_VARYING_FIELD.sub(r"\g<1>0", text)

    lines: dict[str, list[dict[str, Any]]] = {}
    for line in text.splitlines():
        fields = _without_chain(json.loads(line))
        if fields["type"] == "run_opened":
            fields["settings"] = _without_workers(fields["settings"])
        lines.setdefault(_owner_of(fields), []).append(fields)
    lines["texts"].sort(key=lambda fields: str(fields["key"]))
    return lines


def _without_chain(fields: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a line's fields without those that `CHAIN_FIELDS` names."""
    return {name: value for name, value in fields.items() if name not in CHAIN_FIELDS}


def _without_workers(settings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a run's settings except the number of its workers."""
    return [setting for setting in settings if setting["name"] != "workers"]


def _owner_of(fields: dict[str, Any]) -> str:
    """Return the key of a line in the result of `lines_without_times`."""
    if "trial_id" in fields:
        return str(fields["trial_id"])
    if fields["type"] == "text":
        return "texts"
    return ""


# Events, for journals that a test writes itself.

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


# A journal writes a long text once, as a line with a key, and refers to it by `@text:KEY`. Each
# line ends with the hash of the line before it (`prev`) and its own (`hash`). The texts and
# results of this short run look like all that, to show that readers are not taken in.
TWO_TRIALS_EVENTS: list[JournalEvent] = [
    RUN_OPENED,
    Noticed(trial_id="t1", text=LONG_TEXT),
    # The long text once more, and a reference to a text that does not exist.
    _read_event(
        "t1", 0, {"content": LONG_TEXT, "lines": [LONG_TEXT, {"a": "@text:fake"}]}
    ),
    Noticed(trial_id="t2", text="not a lone surrogate \ufffd and @text:"),
    Noticed(trial_id="t2", text="@text:0123"),
    # Fields that are called like those of a line.
    _read_event("t2", 1, {"path": "/a", "hash": "sha1:zz", "prev": "0" * 32}),
    _read_event(
        "t2",
        2,
        {"of": [{"prev": "p"}, {"a": [], "hash": "0" * 32}], "hash": "f" * 32},
    ),
    # The end of a line.
    Noticed(trial_id="t2", text=',"hash":"0123456789abcdef0123456789abcdef"}'),
    # Numbers in all notations.
    _read_event(
        "t2", 3, {"n": [-1.5e-09, 1e22, 0, True, None, {}, [[]]], "hash": None}
    ),
    RunClosed(how="finished", exit_code=0),
]
"""The events of a short run of two trials, `t1` and `t2`."""


def chained_lines(
    events: Iterable[dict[str, Any]], previous: str = GENESIS, key: bytes | None = None
) -> bytes:
    """Return the lines of these events as a whole chain, as a forger would write them.

    The first line follows the one with the hash `previous`. With a `key`, each line also has a
    mark: a signature with the key of the machine that wrote it.
    """
    data = b""
    for event in events:
        line, previous = line_of(json_of(_without_chain(event)), previous, key)
        data += line
    return data


def write_journal(path: Path, events: list[JournalEvent]) -> Path:
    """Write a journal of these events, and return its path."""
    with JournalWriter(path, create=True) as journal:
        for event in events:
            journal.write(event)
    return path
