"""The reading API: a journal whose trials are read one at a time, on demand.

with open_journal(Path("runs/x.jsonl")) as journal:
    for trial in journal.trials.values():
        print(trial.task_id, trial.score, [step.state for step in trial.steps])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from agent.events import AnswerDone, AnswerSent, CallRecord, ConversationOpened, ModelAsked, ModelReplied, StepDone
from agent.evidence import ResumeState, StepRecord
from agent.model import BENCHMARK_ROLES, request_key
from agent.retry import may_yet_succeed
from controlplane.errors import JournalDamaged, UsageError, did_you_mean
from controlplane.journal.journal_file import journal_id
from controlplane.journal.journal_index import JournalIndex, OpenSteps, event_of, fault_text, line_at, trial_key
from controlplane.journal.run_events import JournalEvent, RunOpened, TrialStarted
from controlplane.journal.run_summary import TrialSummary
from sandbox.interface import error_codes


@dataclass(slots=True)
class TrialRecord(ResumeState):
    """A trial's record, made event by event."""

    started: TrialStarted | None = None
    _asked: str = ""
    """The key of the benchmark's latest request."""

    @classmethod
    def of(cls, events: Iterable[JournalEvent]) -> TrialRecord:
        """Return the record of a trial's events."""
        record = cls()
        for event in events:
            record.fold(event)
        return record

    @property
    def all_calls(self) -> Iterator[CallRecord]:
        """The calls in order: those of turn one, and of each step."""
        yield from self.opening.calls if self.opening else ()
        for step in self.steps:
            yield from step.calls
        yield from self.open_step.calls

    def fold(self, event: JournalEvent) -> None:
        match event:
            case TrialStarted():
                if self.started is None:  # A later start keeps the clock of the first.
                    self.started, self.origin, self.has_begun = event, event.origin, True
                    self.now = datetime.fromisoformat(event.now) if event.now else None
                self.open_step.begin_attempt()
            case ConversationOpened():
                self.opening, self.open_step = event, StepRecord()
            case ModelAsked() if event.role in BENCHMARK_ROLES:
                self._asked = request_key(event.role, event.texts)
            case ModelReplied() if event.role in BENCHMARK_ROLES:
                self.asides.setdefault(self._asked, []).append(event)
            case StepDone():
                self.steps.append(event)
                self.replies[event.step] = tuple(self.open_step.replies)
                self.open_step = StepRecord()
            case AnswerSent():
                self.answer = event
            case AnswerDone():
                if not event.late:
                    self.answers.setdefault(event.step, []).append(event.error)
                code = event.error.code if event.error is not None else error_codes.ALREADY_EXISTS
                if code != error_codes.ALREADY_EXISTS and not may_yet_succeed(code):
                    self.answer = None
            case _:
                self.open_step.add_event(event)


@dataclass(frozen=True, slots=True)
class RecordedTrial:
    """One trial of a journal. Its events are read again on every access and not kept."""

    journal: Journal
    trial_id: str

    @property
    def summary(self) -> TrialSummary:
        """Its totals: state, score, details, outcome, answer, refs, tokens, cost, times, rejections."""
        return self.journal.summary.trials[self.trial_id]

    @property
    def task_id(self) -> str:
        """The task it is an instance of; empty if the task is known only once the trial starts."""
        return self.summary.task_id

    @property
    def score(self) -> float | None:
        """The grader's score, 0 to 1; None while it is sealed or missing, never 0 then."""
        return self.summary.score

    @property
    def has_begun(self) -> bool:
        return trial_key(self.trial_id) in self.journal.places

    def events(self) -> Iterator[JournalEvent]:
        """Yield its events in order, stored texts and numbered parts of steps inserted. Raises `JournalDamaged`."""
        yield from self.journal.events_at(trial_key(self.trial_id))

    @property
    def record(self) -> TrialRecord:
        """Its start, turn one, steps, replies and answer: enough to replay or resume it. Reads the whole trial."""
        return TrialRecord.of(self.events())

    @property
    def steps(self) -> tuple[StepDone, ...]:
        """Its complete steps, each with reply, code, output, calls, citations, verdicts, scratchpad, usage and cost."""
        return tuple(self.record.steps)

    @property
    def opening(self) -> ConversationOpened | None:
        """Its turn one; None if the trial did not get that far."""
        return self.record.opening


class Journal(JournalIndex):
    """A checked journal with its totals; trials are read on demand, until the journal is closed. The file closes with
    the journal, or when the object is collected. Memory grows by some bytes per line of the journal, and by the trial
    that is being read."""

    def __init__(self, path: Path) -> None:
        """Check the journal at `path` and sum it up. Raises `NotAJournal` and `JournalDamaged`."""
        super().__init__(path)
        self.sum_up()
        assert self.summary.opened is not None
        self.opened: RunOpened = self.summary.opened
        """The run's first event: configuration, model, versions."""
        self.trials: Mapping[str, RecordedTrial] = {
            trial_id: RecordedTrial(self, trial_id) for trial_id in self.summary.trials
        }
        """Every trial by its id, in the order in which the benchmark allotted them."""

    @property
    def run(self) -> str:
        """The journal's id, which commands accept as RUN."""
        return journal_id(self.path)

    def setting(self, name: str) -> object:
        """Return the value of a setting of the run; None if it is not recorded."""
        return self.opened.setting(name)

    def events_of_run(self) -> Iterator[JournalEvent]:
        """Yield the events about the run as a whole. Raises `JournalDamaged`."""
        yield from self.events_at(b"")

    def events_at(self, key: bytes) -> Iterator[JournalEvent]:
        """Yield the events of a trial by its `trial_key`; none if nothing happened in it. Raises `JournalDamaged`."""
        open_steps: OpenSteps = {}
        for place in self.places.get(key, ()):
            try:
                event = event_of(line_at(self.file, place), self.texts, open_steps)
            except (ValueError, KeyError) as error:
                msg = f"{self.path} cannot be read at byte {place}: {fault_text(error)}"
                raise JournalDamaged(msg) from error
            yield event

    def find_trial(self, name: str) -> str:
        """Return the id of the trial that `name` means: an id, a task id, or the unique beginning of either. Raises
        `UsageError`."""
        tasks = {trial_id: trial.task_id for trial_id, trial in self.summary.trials.items()}
        exact = [pair[0] for pair in tasks.items() if name in pair]
        starts = [pair[0] for pair in tasks.items() if any(word.startswith(name) for word in pair)]
        if exact or len(starts) == 1:
            return (exact or starts)[0]
        fault = f"no trial {name!r} in {self.run}{did_you_mean(name, tasks.values())}"
        raise UsageError(f"{name!r} fits several trials: {', '.join(starts[:8])}" if starts else fault)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


def open_journal(path: Path) -> Journal:
    """Check the journal at `path`, sum it up, and return it. Raises `NotAJournal` and `JournalDamaged`."""
    return Journal(path)
