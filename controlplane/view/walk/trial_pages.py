"""Turns one recorded trial into pages to walk through or print, and into JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from rich.console import Console, Group, RenderableType
from rich.text import Text

from agent.events import StepDone
from agent.reply import Unusable, action_of
from controlplane.errors import UsageError
from controlplane.journal.journal_content import Journal, TrialRecord
from controlplane.journal.run_summary import TrialSummary
from controlplane.view.result_json import trial_result
from controlplane.view.walk.step_pages import (
    UNFOLDED,
    Folding,
    end_page,
    initial_prompt_page,
    quotations_of,
    step_page,
)


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a trial: turn one, a step, or the end."""

    title: str
    step: int | None
    """The step on this page; 0 for turn one, None for the end."""
    body: Callable[[Folding], RenderableType]
    is_rejected: bool = False
    """Whether the gates rejected an answer in this step."""


def pages_of(journal: Journal, trial_id: str) -> list[Page]:
    """Return the pages of a trial in order. A trial that never started has only the last page."""
    trial = journal.trials[trial_id]
    record, summary = trial.record, trial.summary
    pages: list[Page] = []
    if record.started is not None:
        pages.append(Page("turn one", 0, partial(initial_prompt_page, record)))
    before: dict[str, object] = {}
    steps = steps_of(record, summary)
    for step in steps:
        is_rejected = any(not each.accepted for each in step.verdicts)
        pages.append(Page(f"step {step.step}", step.step, partial(step_page, step, before), is_rejected))
        before = dict(step.scratchpad)
    return [*pages, Page("the end", None, lambda folding: end_page(summary, before, quotations_of(steps)))]


def steps_of(record: TrialRecord, summary: TrialSummary) -> tuple[StepDone, ...]:
    """Return a trial's recorded steps; the last one is partial if the journal breaks off inside a step."""
    cut_off = _cut_off_step(record, summary)
    return (*record.steps, *([cut_off] if cut_off else []))


def _cut_off_step(record: TrialRecord, summary: TrialSummary) -> StepDone | None:
    pending = record.pending
    if pending is None or summary.is_over:
        return None
    known = StepDone(
        trial_id=summary.trial_id,
        step=record.open_step.number,
        calls=tuple(pending.calls),
        citations=tuple(pending.citations),
        verdicts=tuple(pending.submissions),
        exit_calls=tuple(pending.exit_calls),
        error="the journal breaks off here: the step is not done",
    )
    if not pending.replies:
        return known
    replied = pending.replies[-1]
    action = action_of(replied.reply, replied.finish_reason)
    shown: dict[str, object] = {"reply": replied.reply, "usage": replied.usage}
    if not isinstance(action, Unusable):
        shown |= {"state": action.state, "plan": action.plan, "code": action.code}
    return known.model_copy(update=shown)


def find_step(journal: Journal, trial_id: str, number: int) -> Page:
    """Return the page of one step; 0 is turn one. Raises `UsageError` if the trial has no such step."""
    pages = pages_of(journal, trial_id)
    found = next((each for each in pages if each.step == number), None)
    if found is None:
        steps = [each.step for each in pages if each.step]
        numbers = f"it has steps 1 to {steps[-1]}" if steps else "it has no steps"
        msg = f"the trial {trial_id} has no step {number}; {numbers}"
        raise UsageError(msg)
    return found


def step_object(journal: Journal, trial_id: str, number: int) -> object:
    """Return one step as plain JSON types. Raises `UsageError` if the trial has no such step."""
    find_step(journal, trial_id, number)
    trial = journal.trials[trial_id]
    record = trial.record
    if number == 0:
        return record.opening.model_dump(mode="python") if record.opening else None
    return next(each for each in steps_of(record, trial.summary) if each.step == number).model_dump(mode="python")


def trial_object(journal: Journal, trial_id: str) -> object:
    """Return a whole trial as plain JSON types."""
    trial = journal.trials[trial_id]
    record = trial.record
    return {
        **trial_result(trial.summary),
        "instruction": record.started.instruction if record.started else "",
        "steps": [each.model_dump(mode="python") for each in steps_of(record, trial.summary)],
    }


def print_trial(journal: Journal, trial_id: str) -> None:
    """Print a whole trial, unfolded and uncut."""
    for page in pages_of(journal, trial_id):
        print_page(page)


def print_page(page: Page) -> None:
    """Print one page, unfolded. Lines in a pipe are not wrapped, so that code can be copied."""
    console = Console(highlight=False)
    console.print(Group(Text(f"── {page.title} ", style="bold").append("─" * (66 - len(page.title)), style="dim")))
    console.print(page.body(UNFOLDED), soft_wrap=not console.is_terminal)
