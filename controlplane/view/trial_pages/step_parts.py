"""The page of a step: what the model wanted, its script, what that did, and what the gates said."""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.events import StepDone
from controlplane.quantity_texts import cost_text, span_text
from controlplane.terminal_text import one_line, sanitize
from controlplane.view.trial_pages.call_parts import call_parts
from controlplane.view.trial_pages.page_part import Part
from controlplane.view.trial_pages.scratchpad_parts import scratchpad_changes
from controlplane.view.trial_pages.submission_parts import submission_part


def step_parts(step: StepDone, scratchpad_before: Mapping[str, object]) -> list[Part]:
    """Return one step: state, plan, gates, code, calls, output, and changes of the scratchpad."""
    # 1. What the model was about to do, and what the gates said to its answers.
    parts = []
    if step.state:
        parts.append(Part(sanitize(step.state), "bold"))
    for number, item in enumerate(step.plan, start=1):
        parts.append(Part(f"  {number}. {one_line(item)}", "dim"))
    for submission in step.verdicts:
        parts.append(submission_part(submission, step.scratchpad.get("answer")))

    # 2. The script and what it did.
    if step.code:
        parts.append(Part(sanitize(step.code).strip("\n"), "code", title="code"))
    elif step.reply:
        parts.append(Part(sanitize(step.reply), "dim", title="reply"))
    parts += call_parts(step.calls)
    if step.output:
        parts.append(Part(sanitize(step.output).rstrip("\n"), title="output"))
    if step.error:
        parts.append(Part(sanitize(step.error).rstrip("\n"), "red", title="error"))
    changes = scratchpad_changes(scratchpad_before, step.scratchpad)
    if changes:
        parts.append(Part(title="scratchpad", parts=tuple(changes)))

    # 3. What the gates said, word for word. The script gets it as an exception. If the script
    #    did not catch that, the text is already in its error.
    for submission in step.verdicts:
        if submission.message and submission.message.strip() not in step.error:
            message = sanitize(submission.message).rstrip("\n")
            parts.append(Part(message, "red", title="what the gates said"))
    return parts


def step_figures(step: StepDone) -> str:
    """Return the figures of a step: its tokens, cost, and the time of its script."""
    usage = step.usage
    texts = []
    if usage.completion_tokens:
        mark = "~" if usage.estimated else ""
        tokens = f"{usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens"
        texts.append(mark + tokens)
    if step.cost_usd:
        texts.append(cost_text(step.cost_usd))
    if step.code:
        texts.append(f"script {span_text(step.elapsed_ms)}")
    else:
        texts.append("no script")
    if step.refunded:
        texts.append("not counted against --max-steps")
    return " · ".join(texts)
