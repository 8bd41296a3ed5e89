"""One trial from start to end: whatever happens in it, it ends with an answer, or is left open on purpose."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from agent.attempt import Attempt, History
from agent.events import CallRecord, Noticed, now_ms
from agent.exit import GatedExit
from agent.model import ModelError
from agent.recorder import Recorder, only_reads
from controlplane.benchmark import BenchmarkError, Trial, TrialHead
from controlplane.delivery import deliver
from controlplane.errors import ControlPlaneError
from controlplane.journal.events import (
    JournalEvent,
    Scored,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
    TrialStarted,
)
from controlplane.surface_text import surface_to_text
from controlplane.workshop import Workshop
from sandbox.operations import CallError

Emit: TypeAlias = Callable[[JournalEvent], None]
Ending: TypeAlias = Literal["answered", "fallback", "unanswered"]

END_PATIENCE_S = 900.0
"""Seconds for which a trial that cannot be ended in passing is tried again."""


@dataclass(frozen=True, slots=True)
class Controls:
    """How a run tells its trials to stop, and how a trial tells its run."""

    stop: threading.Event = field(default_factory=threading.Event)
    """Running trials are left open after their step."""
    no_new: threading.Event = field(default_factory=threading.Event)
    """Trials that have not started do not start."""
    pause: Callable[[str], None] = lambda reason: None
    """Called where every further trial would fail the same way: the model is down, the key is wrong."""


def run_trial(workshop: Workshop, head: TrialHead, emit: Emit, controls: Controls, history: History) -> None:
    """Run one trial and emit what happens. Raises only what makes the whole run end (`ControlPlaneError`)."""
    if controls.no_new.is_set():
        return
    started = time.monotonic()
    try:
        trial = workshop.benchmark.start_trial(head.trial_id)
    except BenchmarkError as error:
        answer = history.answer
        if answer is not None and error.code == "failed_precondition":
            # It was answered, and it ended before that could be written down.
            how: Ending = "fallback" if answer.fallback else "answered"
            emit(TrialEnded(trial_id=head.trial_id, how=how, reason="", elapsed_ms=0.0))
        else:
            emit(TrialFailed(trial_id=head.trial_id, phase="start", error=f"{error.code}: {error.message}"))
        return
    _TrialRun(workshop, trial, emit, controls, history).run(started)


class _TrialRun:
    def __init__(self, workshop: Workshop, trial: Trial, emit: Emit, controls: Controls, history: History) -> None:
        self.workshop = workshop
        self.trial = trial
        self.emit = emit
        self.controls = controls
        self.history = history
        self.recorder = Recorder(trial.trial_id, trial.environment, emit)
        self.gated = GatedExit(self.recorder, emit, trial.instruction, workshop.gates)

    def run(self, started: float) -> None:
        trial = self.trial
        now = trial.environment.now() or datetime.fromtimestamp(now_ms() // 1000, UTC)
        self.emit(
            TrialStarted(
                trial_id=trial.trial_id,
                task_id=trial.task_id,
                instruction=trial.instruction,
                now=now.isoformat(),
                surface=surface_to_text(trial.environment.surface),
            )
        )
        attempt = Attempt(
            trial_id=trial.trial_id,
            task_id=trial.task_id,
            instruction=trial.instruction,
            environment=self.recorder,
            now=now,
            history=self.history,
            stop=self.controls.stop,
        )
        reason = self._take_up(attempt)
        if reason and self.controls.stop.is_set():
            self.emit(TrialLeftOpen(trial_id=trial.trial_id, reason=reason))
            return
        how: Ending = "answered"
        if reason:
            how = "fallback" if self.gated.last_word(reason) else "unanswered"
        self._end(how, reason, started)

    def _take_up(self, attempt: Attempt) -> str:
        """Solve, or deliver what an interrupted attempt had to say already; return why there is no answer, or ''."""
        if self.trial.is_fresh:
            try:
                self._bring_forward()
            except CallError as error:
                return f"the changes of the interrupted attempt could not be made again: {error}"
        answer = self.history.answer
        if answer is not None:
            undelivered = self._answer_again()
            gave_up = "the trial had given up before it was interrupted" if answer.fallback else ""
            return undelivered or gave_up
        try:
            return self.workshop.solver.solve(attempt, self.gated, self.emit)
        except ModelError as error:
            if error.affects_all:
                self.controls.pause(str(error))
            return f"the model failed: {error}"
        except ControlPlaneError:
            raise
        except Exception as error:  # noqa: BLE001 - the border of a trial: whatever breaks in it costs this trial alone
            where = traceback.extract_tb(error.__traceback__)[-1]
            text = f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"
            self.emit(Noticed(trial_id=self.trial.trial_id, text=f"the trial broke: {text}"))
            return f"the trial broke: {type(error).__name__}"

    def _answer_again(self) -> str:
        answer = self.history.answer
        assert answer is not None
        try:
            self.trial.environment.answer(answer.message, answer.outcome, answer.refs)
        except CallError as error:
            if error.code != "already_exists":
                return f"the answer could not be delivered: {error}"
        self.gated.answered = True
        return ""

    def _bring_forward(self) -> None:
        """Make the changes of an interrupted attempt again, in an environment that has forgotten them."""
        surface = self.trial.environment.surface
        calls: list[CallRecord] = [each for step in self.history.steps for each in step.calls]
        for each in (*calls, *self.history.pending_calls):
            if each.result is not None and not only_reads(surface, each.operation, each.arguments):
                self.trial.environment.call(each.operation, each.arguments)

    def _end(self, how: Ending, reason: str, started: float) -> None:
        trial_id = self.trial.trial_id
        score = deliver(
            lambda: self.workshop.benchmark.end_trial(trial_id), patience_s=END_PATIENCE_S, stop=self.controls.stop
        )
        if isinstance(score, str):
            self.emit(TrialFailed(trial_id=trial_id, phase="end", error=score))
            return
        # The score first: a trial that has ended is never asked about again.
        if score is not None:
            self.emit(Scored(trial_id=trial_id, score=score.score, details=score.details))
        elapsed_ms = round((time.monotonic() - started) * 1000, 1)
        self.emit(TrialEnded(trial_id=trial_id, how=how, reason=reason, elapsed_ms=elapsed_ms))
