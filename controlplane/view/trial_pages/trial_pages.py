"""The pages of a recorded trial: the initial prompt, each step, and the end.

The terminal and the browser show the same pages. Texts of models, files and tools are
sanitized, because control characters in them could redraw the terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from controlplane.agent.events import StepDone
from controlplane.agent.record.events_by_step import (
    approvals_by_step,
    peak_memory_by_step,
    stopped_by_step,
)
from controlplane.journal.journal_reader import TrialRecord
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.quantity_texts import count_text, span_text, spent_texts
from controlplane.view.trial_pages.call_parts import approval_parts, stopped_call_parts
from controlplane.view.trial_pages.end_parts import end_parts
from controlplane.view.trial_pages.initial_prompt_parts import initial_prompt_parts
from controlplane.view.trial_pages.page import Page
from controlplane.view.trial_pages.shown_steps import steps_of
from controlplane.view.trial_pages.step_parts import step_figures, step_parts


def pages_of(trial: RecordedTrial, record: TrialRecord | None = None) -> Iterator[Page]:
    """Yield the pages of a trial in order.

    They are the initial prompt, each step, and the end; only the end if the trial never
    started. `record` is the trial's record, if the caller has already read it.
    """
    record = record or trial.record
    if record.started is not None:
        yield Page(
            title="initial prompt",
            step=0,
            parts=tuple(initial_prompt_parts(record)),
            recorded=record.initial_prompt,
        )

    # Each page shows how its step changed the scratchpad, in which scripts keep values.
    scratchpad: dict[str, object] = {}
    summary = trial.summary
    steps = steps_of(record, summary)
    for step in steps:
        yield _step_page(step, scratchpad, record, summary)
        scratchpad = dict(step.scratchpad)

    figures = [count_text(summary.step, "step"), span_text(summary.elapsed_ms)]
    figures += spent_texts(summary.spent)
    yield Page(
        title="the end",
        step=None,
        parts=tuple(end_parts(record, summary, steps, scratchpad)),
        figures=" · ".join(figures),
    )


def _step_page(
    step: StepDone,
    scratchpad: Mapping[str, object],
    record: TrialRecord,
    summary: TrialSummary,
) -> Page:
    """Return the page of a step. `scratchpad` has the values that scripts kept before it."""
    number = step.step
    parts = step_parts(step, scratchpad)
    # The journal has stopped and approved calls, and the memory that a script took, apart
    # from the step's event.
    stopped = stopped_by_step(record.all_steps).get(number, ())
    parts += stopped_call_parts(stopped, summary)
    parts += approval_parts(approvals_by_step(record.all_steps).get(number, ()))
    figures = step_figures(step)
    peak_bytes = peak_memory_by_step(record.all_steps).get(number)
    if peak_bytes is not None:
        figures += f" · up to {peak_bytes / 1_000_000:,.0f} MB of memory"
    return Page(
        title=f"step {number}",
        step=number,
        parts=tuple(parts),
        figures=figures,
        recorded=step,
    )
