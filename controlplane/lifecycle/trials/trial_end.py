"""The end of a trial: its last answer, and its end at the benchmark.

An answer that the gates accept is sent at once, and ends the trial. If there is none, the trial
sends a fallback answer: the last one that the gates rejected, or a text that says why there is none.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from controlplane.agent.events import AnswerSent, now_ms
from controlplane.agent.failure_codes import may_yet_succeed
from controlplane.agent.gated_exit import fallback_answer
from controlplane.agent.loop import LeftOpen, TrialSession
from controlplane.agent.model import ModelError
from controlplane.benchmark import Benchmark, TrialScore
from controlplane.lifecycle.benchmark_calls import call_or_failure
from controlplane.lifecycle.trials.solver_work import WorkEnd
from controlplane.lifecycle.trials.trial_errors import leave_ungraded
from controlplane.lifecycle.trials.trial_reports import HowEnded, TrialReports
from controlplane.sandbox.interface import CallError, bounds
from controlplane.score_scale import ScoreScale

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class TrialEnd:
    """Ends a trial, once its solver has worked on it.

    `end` sends a last answer, if the solver has sent none, asks the benchmark to end the trial, and
    records the score and the end. If one of these fails, the trial is left open or has failed.

    | the last answer | what is recorded |
    |---|---|
    | was sent, by the solver or by `end` | the score and the end |
    | is refused, such as an invalid one | the same; the refusal is the reason if there is no other |
    | cannot be sent now, such as in an outage | the trial is left open; a resumed run sends it |
    """

    session: TrialSession
    """What the solver worked with. Its gated exit is the one way by which answers leave the trial."""
    benchmark: Benchmark
    scale: ScoreScale
    """The benchmark's scale. What is not on it is no score."""
    reports: TrialReports
    """Writes the trial's events to the journal."""
    repeats_last: bool
    """What is sent for a trial whose submissions the gates all rejected. True: the last of these
    submissions. False: a text that says that there is no answer."""

    def end(self, work_end: WorkEnd, started_at: float) -> None:
        """Send a last answer if the solver has sent none, and end the trial.

        `started_at` is the start of this attempt, by `time.monotonic`.
        """
        session = self.session
        session.steps.end()

        # 1. The last answer
        reason = work_end.no_answer_reason  # empty if the solver reached an answer
        failure = None
        if not session.gated_exit.outlet.is_answered:
            failure = self._send_last_answer(reason)
        if failure is not None:
            if may_yet_succeed(failure.code):
                # A resumed run sends the answer again.
                self.reports.left_open(f"its answer could not be sent ({failure})")
                return
            if not reason:
                reason = f"its answer was refused ({failure})"

        # 2. The end. `_end_at_benchmark` records the score before `ended` records the trial's end.
        # If the process is killed in between, a resumed run ends the trial again.
        has_ended = self._end_at_benchmark()
        if has_ended:
            self.reports.ended(
                _how_ended(session),
                reason=reason,
                out_of_budget=work_end.is_out_of_budget,
                elapsed_ms=round((time.monotonic() - started_at) * 1000, 1),
            )

    def _send_last_answer(self, reason: str) -> CallError | None:
        """Send the answer that the gates accepted earlier or, without one, the fallback.

        The fallback is chosen by `repeats_last`; it may state the `reason`. Returns the error if the
        environment refuses the answer, after retries; None if it was sent.
        """
        gated_exit = self.session.gated_exit
        outlet = gated_exit.outlet
        answer = outlet.accepted
        if answer is None:
            answer = fallback_answer(gated_exit, reason, repeats_last=self.repeats_last)
        # "Late" means after the solver's work: the answer does not belong to one of its steps.
        late_answer = answer.model_copy(update={"late": True, "at_ms": now_ms()})
        return _retried(lambda: outlet.send(late_answer), self.reports)

    def _end_at_benchmark(self) -> bool:
        """End the trial at the benchmark, and record its score if there is one by now.

        Returns False if that fails. Then the trial
        has been recorded as failed or left open.
        """
        trial_id = self.reports.trial_id
        try:
            score = _retried(lambda: self.benchmark.end_trial(trial_id), self.reports)
        except (LeftOpen, ModelError) as error:
            leave_ungraded(error, self.reports)
            return False
        if isinstance(score, CallError):
            self.reports.failed("end", str(score))
            return False
        if not isinstance(score, TrialScore | None):
            msg = f"end_trial returned {score!r}, not a TrialScore"
            raise TypeError(msg)

        self.reports.controls.health.note_progress()
        if score is not None:
            self.reports.score(score.within(self.scale))
        return True


def _retried(call: Callable[[], Result], reports: TrialReports) -> Result | CallError:
    """Return the result of a call that ends the trial, or its failure after retries.

    Retries go on for up to `END_RETRY_S` seconds, or until the run stops. Each is a sign of life,
    so that a trial that waits for its benchmark does not count as stuck.
    """

    def note_sign_of_life(text: str) -> None:
        reports.controls.note_sign_of_life(reports.trial_id)

    return call_or_failure(
        call,
        limit_s=bounds.END_RETRY_S,
        stop=reports.controls.stop,
        on_retry=note_sign_of_life,
    )


def _how_ended(session: TrialSession) -> HowEnded:
    """Return how a trial ended: with the solver's answer, with the fallback, or with neither."""
    outlet = session.gated_exit.outlet
    if not outlet.is_answered:
        return "unanswered"
    answer: AnswerSent | None = outlet.accepted
    # The outlet keeps only answers that the gates accepted. So without one, the answer that was
    # sent can only be the fallback.
    if answer is None or answer.fallback:
        return "fallback"
    return "answered"
