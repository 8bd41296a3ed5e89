"""A trial as a proposer sees it: Markdown with request, steps, answer and grade."""

from __future__ import annotations

from typing import Final

from controlplane.agent.events import StepDone
from controlplane.improving.candidates.candidate_journals import loop_score
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.quantity_texts import score_text
from controlplane.sandbox.interface import bounds

MAX_PART_CHARS: Final = 1_500
"""Characters of one script, one output or one message in a trace."""


def trace_of(trial: RecordedTrial) -> str:
    """Return one trial as a proposer sees it: Markdown with request, steps, answer and grade.

    Of many steps, only the first and the last ones are shown.
    """
    summary = trial.summary
    steps = trial.steps
    half = bounds.SHOWN_STEPS // 2
    if len(steps) > 2 * half:
        steps = (*steps[:half], *steps[-half:])

    parts = [_part("Request", summary.instruction)]
    for step in steps:
        parts.append(_part(f"Step {step.step}", step.code))
        parts.append(_part("Printed", f"{step.output}\n{step.error}".rstrip("\n")))
        for objection in _objections(step):
            parts.append(_part("Sent back", objection))
    parts.append(_part(f"Answer ({summary.outcome or 'none'})", summary.answer))
    for line in (*summary.details, summary.reason):
        if line:
            parts.append(_part("Grader", line))
    head = f"## {summary.task_id}: score {score_text(loop_score(summary))}\n"
    return head + "".join(parts)


def _objections(step: StepDone) -> list[str]:
    """Return the reasons for which gates and rules rejected the step's submissions."""
    objections = []
    for submission in step.verdicts:
        for verdict in submission.verdicts:
            if verdict.result == "reject":
                objections.append(f"{verdict.name}: {verdict.reason}")
    return objections


def _part(title: str, text: str) -> str:
    """Return a titled part of a trace, without the middle of a long text."""
    half = MAX_PART_CHARS // 2
    omitted = len(text) - 2 * half
    if omitted > 0:
        text = f"{text[:half]}\n[… {omitted} characters …]\n{text[-half:]}"
    return f"\n{title}:\n\n```text\n{text}\n```\n"
