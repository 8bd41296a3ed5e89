"""What the report's summary needs of one trial, so that the trial itself need not stay in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agent.events import ModelReplied, StepDone
from controlplane.journal.run_summary import TrialSummary
from controlplane.report.gate_labels import gate_label
from controlplane.view.display_text import ending_texts


@dataclass(frozen=True, slots=True)
class StepCost:
    """What one step took."""

    step: int
    prompt_tokens: int
    cached_tokens: int
    """Of the prompt's tokens, those that a cache held."""
    completion_tokens: int
    model_ms: float
    script_ms: float


@dataclass(frozen=True, slots=True)
class TrialFacts:
    """One trial: what it amounts to, its submissions and its steps' costs."""

    anchor: str
    """Where its page is: `trial-RUN-NUMBER`."""
    run: int
    """The place of its run among those of the report, from 0."""
    summary: TrialSummary
    question: str
    submissions: tuple[frozenset[str], ...]
    """Which gates and rules sent back each submission, by their labels; an empty one was accepted."""
    costs: tuple[StepCost, ...]
    protests: tuple[frozenset[str], ...] = ()
    """Which rules objected to each submission and rejected it no more, by their labels."""

    @property
    def times_sent_back(self) -> int:
        """How many submissions were sent back."""
        return sum(1 for each in self.submissions if each)

    @property
    def words(self) -> tuple[str, ...]:
        """How it ended without an answer of its own or against a rule, and what the grader said."""
        return (*ending_texts(self.summary), *self.summary.details)


def submissions_of(steps: Iterable[StepDone]) -> tuple[frozenset[str], ...]:
    """Return for each submission the labels of what sent it back."""
    return tuple(frozenset(map(gate_label, judged.rejections)) for step in steps for judged in step.verdicts)


def protests_of(steps: Iterable[StepDone]) -> tuple[frozenset[str], ...]:
    """Return for each submission the labels of the rules that objected and rejected it no more."""
    return tuple(frozenset(map(gate_label, judged.protests)) for step in steps for judged in step.verdicts)


def costs_of(steps: Iterable[StepDone], replies: Mapping[int, Sequence[ModelReplied]]) -> tuple[StepCost, ...]:
    """Return what each step took; `replies` holds every reply of the model by step."""
    found = []
    for step in steps:
        told = replies.get(step.step, ())
        usages = [each.usage for each in told] or [step.usage]
        found.append(
            StepCost(
                step=step.step,
                prompt_tokens=sum(each.prompt_tokens for each in usages),
                cached_tokens=sum(each.cached_tokens for each in usages),
                completion_tokens=sum(each.completion_tokens for each in usages),
                model_ms=sum(each.elapsed_ms for each in told),
                script_ms=step.elapsed_ms,
            )
        )
    return tuple(found)
