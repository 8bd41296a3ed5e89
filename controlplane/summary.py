"""What a run amounts to, folded from its events one by one: the live view, the tables and the exit code read it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from agent.events import AnswerSent, CallSent, ModelAsked, ModelReplied, Noticed, StepDone
from controlplane.journal.events import (
    JournalEvent,
    RunClosed,
    RunNotice,
    RunOpened,
    RunPolled,
    RunStarted,
    RunSubmitted,
    Scored,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
    TrialStarted,
)

WAITING: Final = "waiting"
RUNNING: Final = "running"
OPEN: Final = "open"
FAILED: Final = "failed"


@dataclass(slots=True)
class TrialSummary:
    """One trial so far."""

    trial_id: str
    task_id: str = ""
    state: str = WAITING
    """waiting, running, answered, fallback, unanswered, open (left so), failed (to start or to end)."""
    step: int = 0
    doing: str = ""
    outcome: str = ""
    answer: str = ""
    refs: tuple[str, ...] = ()
    score: float | None = None
    details: tuple[str, ...] = ()
    reason: str = ""
    started_ms: int = 0
    elapsed_ms: float = 0.0
    tokens: int = 0
    cost_usd: float = 0.0
    rejections: Counter[int] = field(default_factory=Counter)
    """How often each gate rejected."""

    @property
    def is_over(self) -> bool:
        """It needs nothing more of anybody."""
        return self.state in ("answered", "fallback", "unanswered", FAILED)


@dataclass(slots=True)
class RunSummary:
    """A run so far."""

    opened: RunOpened | None = None
    run_id: str = ""
    trials: dict[str, TrialSummary] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    submitted: bool = False
    state: str = ""
    """What the benchmark last said: running, pending, evaluated."""
    run_score: float | None = None
    closed: str = ""
    last_ms: int = 0

    def fold(self, event: JournalEvent) -> None:
        """Take one more event into account."""
        self.last_ms = max(self.last_ms, event.at_ms)
        match event:
            case RunOpened():
                self.opened = event
            case RunStarted():
                self.run_id = event.run_id
                for each in event.trials:
                    self.trials[each.trial_id] = TrialSummary(each.trial_id, each.task_id)
            case RunSubmitted() | RunPolled():
                self.submitted = True
                self.state = event.state
                self.run_score = event.score
            case RunNotice():
                self.notices.append(event.text)
            case RunClosed():
                self.closed = event.how
            case _:
                trial_id = getattr(event, "trial_id", None)
                if trial_id is not None:
                    self._fold_trial(self.trials.setdefault(trial_id, TrialSummary(trial_id)), event)

    def _fold_trial(self, trial: TrialSummary, event: JournalEvent) -> None:
        match event:
            case TrialStarted():
                trial.task_id, trial.state = event.task_id, RUNNING
                trial.started_ms, trial.doing = event.at_ms, "reading"
            case ModelAsked():
                trial.step, trial.doing = event.step, "thinking"
            case ModelReplied():
                trial.doing = "running"
                trial.tokens += event.usage.prompt_tokens + event.usage.completion_tokens
                trial.cost_usd += event.cost_usd or 0.0
            case CallSent():
                trial.doing = _call_text(event)
            case StepDone():
                trial.step = event.step
                for judged in event.verdicts:
                    if not judged.accepted:
                        trial.rejections.update(
                            each.gate for each in judged.verdicts if each.enforced and each.result == "reject"
                        )
            case AnswerSent():
                trial.outcome, trial.answer, trial.refs = event.outcome, event.message, event.refs
                trial.doing = "answering"
            case TrialEnded():
                trial.state, trial.reason, trial.elapsed_ms, trial.doing = event.how, event.reason, event.elapsed_ms, ""
            case TrialFailed():
                trial.state, trial.reason, trial.doing = FAILED, event.error, ""
            case TrialLeftOpen():
                trial.state, trial.reason, trial.doing = OPEN, event.reason, ""
            case Scored():
                trial.score, trial.details = event.score, event.details
            case Noticed():
                self.notices.append(event.text)
            case _:
                pass

    def count(self, *states: str) -> int:
        """Return how many trials are in one of `states`."""
        return sum(each.state in states for each in self.trials.values())

    @property
    def scores(self) -> list[float]:
        """The scores that are known."""
        return [each.score for each in self.trials.values() if each.score is not None]

    @property
    def mean_score(self) -> float | None:
        """The mean of the known scores; None while there are none."""
        return sum(self.scores) / len(self.scores) if self.scores else None

    @property
    def tokens(self) -> int:
        """Tokens of all trials."""
        return sum(each.tokens for each in self.trials.values())

    @property
    def cost_usd(self) -> float:
        """What the endpoints said that it cost."""
        return sum(each.cost_usd for each in self.trials.values())

    @property
    def rejections(self) -> Counter[int]:
        """How often each gate rejected, over all trials."""
        total: Counter[int] = Counter()
        for each in self.trials.values():
            total.update(each.rejections)
        return total

    @property
    def worst_first(self) -> list[TrialSummary]:
        """The trials, worst score first; those without a score before those with one."""
        order = {FAILED: 0, "unanswered": 1, "fallback": 2, OPEN: 3, WAITING: 4, RUNNING: 5}
        return sorted(
            self.trials.values(),
            key=lambda each: (each.score if each.score is not None else -1, order.get(each.state, 9), each.task_id),
        )


def _call_text(event: CallSent) -> str:
    subject = event.arguments.get("path", "")
    args = event.arguments.get("args")
    words = " ".join(str(each) for each in args) if isinstance(args, list) else ""
    return f"{event.operation} {subject} {words}".strip()[:80]
