"""The facts of a step. A new figure is a field here: it appears wherever steps are shown or exported.

A field has a docstring, the function that reads it, unless the step's summary has a field of its name,
and, if it is shown beside a step, its text, such as `$0.02`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Any, Final

from controlplane.agent.events import ModelReplied, StepDone
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.reply import action_of
from controlplane.agent.reply.unusable_reply import Unusable
from controlplane.errors import UsageError
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.quantity_texts import cost_text, span_text

# The keys of a field's metadata.
_OF: Final = "of"
"""The function that returns the fact of a step; without it, the fact is one of the step's summary."""
_TEXT: Final = "text"
"""The function that returns a figure's text."""


def _no_text(facts: StepFacts) -> str:
    """Return nothing: the text of another figure includes this one."""
    return ""


def fact(of: Callable[[TrialStep], object]) -> dict[str, Any]:
    """Return the metadata of a field that is `of(step)`."""
    return {_OF: of}


def figure(text: Callable[[StepFacts], str] = _no_text) -> dict[str, Any]:
    """Return the metadata of a field that is a figure: every rendering of steps has it.

    `text` returns what is shown beside the step; empty for nothing.
    """
    return {_TEXT: text}


def _sent_calls(step: TrialStep) -> int:
    return sum(1 for call in step.summary.calls if call.was_sent)


def _is_accepted(step: TrialStep) -> bool:
    return any(judged.accepted for judged in step.summary.verdicts)


def _rejections(step: TrialStep) -> dict[str, int]:
    rejections = Counter[str]()
    for judged in step.summary.verdicts:
        rejections.update(verdict.key for verdict in judged.rejections)
    return dict(rejections)


def _tokens_text(facts: StepFacts) -> str:
    if not facts.completion_tokens:
        return ""
    mark = "~" if facts.tokens_are_estimated else ""
    return f"{mark}{facts.prompt_tokens:,} + {facts.completion_tokens:,} tokens"


def _cost_text(facts: StepFacts) -> str:
    return cost_text(facts.cost_usd) if facts.cost_usd else ""


def _script_text(facts: StepFacts) -> str:
    return f"script {span_text(facts.elapsed_ms)}" if facts.code else "no script"


def _refund_text(facts: StepFacts) -> str:
    return "not counted against --max-steps" if facts.refunded else ""


def _memory_text(facts: StepFacts) -> str:
    if facts.peak_memory_bytes is None:
        return ""
    return f"up to {facts.peak_memory_bytes / 1_000_000:,.0f} MB of memory"


@dataclass(frozen=True, slots=True)
class StepFacts:
    """What is known of one step, under the names that tables and JSON use.

    An absent number is None, never 0.
    """

    step: int
    """The step's number in its trial, from 1."""
    state: str
    """What the model said that it knows."""
    code: str
    """Its script; empty without one."""
    output: str
    """What the script printed."""
    error: str
    """The error that ended the script; empty without one."""
    ending: str
    """How the script ended, such as `raised`."""
    calls: int = field(metadata=fact(_sent_calls))
    """How many of its calls were sent."""
    accepted: bool = field(metadata=fact(_is_accepted))
    """Whether the gates accepted an answer in it."""
    rejections: dict[str, int] = field(metadata=fact(_rejections))
    """How often each gate and rule sent an answer back."""
    prompt_tokens: int = field(
        metadata=figure() | fact(attrgetter("summary.usage.prompt_tokens"))
    )
    """The tokens of its requests."""
    completion_tokens: int = field(
        metadata=figure(_tokens_text)
        | fact(attrgetter("summary.usage.completion_tokens"))
    )
    """The tokens of its replies."""
    cost_usd: float | None = field(metadata=figure(_cost_text))
    """Its cost in US dollars; none if no price is known."""
    elapsed_ms: float = field(metadata=figure(_script_text))
    """The milliseconds that its script ran."""
    peak_memory_bytes: int | None = field(
        metadata=figure(_memory_text) | fact(attrgetter("peak_memory_bytes"))
    )
    """The most memory that the process of the trial's scripts had taken by its end."""
    tokens_are_estimated: bool = field(
        metadata=figure() | fact(attrgetter("summary.usage.estimated"))
    )
    """Whether its tokens are estimated, since the endpoint told none."""
    refunded: bool = field(metadata=figure(_refund_text))
    """Whether it does not count against `--max-steps`."""

    @property
    def figures(self) -> dict[str, int | float | bool | None]:
        """The figures by name: `{"prompt_tokens": 900, "cost_usd": 0.02, ...}`."""
        values = {}
        for figure in fields(self):
            if _TEXT in figure.metadata:
                values[figure.name] = getattr(self, figure.name)
        return values

    @property
    def figures_text(self) -> str:
        """The figures as they are shown: `900 + 30 tokens · $0.02 · script 12 ms`."""
        texts = []
        for figure in fields(self):
            if _TEXT in figure.metadata:
                texts.append(figure.metadata[_TEXT](self))
        return " · ".join(text for text in texts if text)


def steps_of(record: TrialRecord, summary: TrialSummary) -> list[TrialStep]:
    """Return a trial's recorded steps, each with a summary.

    If the journal ends inside a step, its summary is put together from its events so far.
    """
    unfinished = record.unfinished_step  # The unfinished step; None without one.
    if unfinished is None or summary.is_over:
        return record.whole_steps
    done = StepDone(
        trial_id=summary.trial_id,
        step=unfinished.number,
        calls=tuple(unfinished.calls),
        citations=tuple(unfinished.citations),
        verdicts=tuple(unfinished.submissions),
        error="the journal breaks off here: the step is not done",
    )
    if unfinished.replies:
        done = _with_reply(done, unfinished.replies[-1])
    return [*record.whole_steps, replace(unfinished, done=done)]


def _with_reply(step: StepDone, replied: ModelReplied) -> StepDone:
    """Return a step with what the model replied in it."""
    step = step.model_copy(update={"reply": replied.reply, "usage": replied.usage})
    # A usable reply contains a state (the model's own account), a plan and a script.
    action = action_of(replied.reply, replied.finish_reason)
    if isinstance(action, Unusable):
        return step
    fields = {"state": action.state, "plan": action.plan, "code": action.code}
    return step.model_copy(update=fields)


def step_facts(step: TrialStep) -> StepFacts:
    """Return the facts of a step that has a summary."""
    values = {}
    for each in fields(StepFacts):
        of = each.metadata.get(_OF) or attrgetter(f"summary.{each.name}")
        values[each.name] = of(step)
    return StepFacts(**values)


def no_such_step(trial_id: str, number: int, steps: Sequence[int]) -> UsageError:
    """Return the error for a step that a trial does not have, which names those that it has."""
    known_steps = f"steps 1 to {steps[-1]}" if steps else "no steps"
    return UsageError(
        f"the trial {trial_id} has no step {number}; it has {known_steps}"
    )
