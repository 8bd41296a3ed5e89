"""The pages of a recorded trial: the initial prompt, each step, and the end.

The terminal and the browser show the same pages. Texts of models, files and tools are
sanitized, because control characters in them could redraw the terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from controlplane.agent.events import RankedFile, Record, StepDone
from controlplane.agent.record.events_by_step import (
    approvals_by_step,
    peak_memory_by_step,
    stopped_by_step,
)
from controlplane.agent.reply.reply import action_of
from controlplane.agent.reply.unusable_reply import Unusable
from controlplane.journal.journal_reader import RecordedTrial, TrialRecord
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.terminal_text import (
    cost_text,
    count_text,
    one_line,
    sanitize,
    span_text,
    spent_texts,
)
from controlplane.view.trial_pages.call_parts import (
    approval_parts,
    call_parts,
    stopped_call_parts,
)
from controlplane.view.trial_pages.end_parts import end_parts
from controlplane.view.trial_pages.page_part import Part
from controlplane.view.trial_pages.scratchpad_parts import scratchpad_changes
from controlplane.view.trial_pages.submission_parts import submission_part


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a trial. There are three kinds: the initial prompt, a step, and the end."""

    title: str
    step: int | None
    """The number of the step; 0 for the initial prompt, None for the end."""
    parts: tuple[Part, ...]
    figures: str = ""
    """Tokens, cost and time, beside the title."""
    recorded: Record | None = None
    """What the journal has: the initial prompt, or a `StepDone`; None for the end."""

    @property
    def mark(self) -> str:
        """✗ if the gates rejected an answer in this step, ✓ if they accepted one, else empty."""
        if not isinstance(self.recorded, StepDone) or not self.recorded.verdicts:
            return ""
        if all(submission.accepted for submission in self.recorded.verdicts):
            return "✓"
        return "✗"


def pages_of(trial: RecordedTrial, record: TrialRecord | None = None) -> Iterator[Page]:
    """Yield the pages of a trial in order.

    They are the initial prompt, each step, and the end; only the end if the trial never
    started. `record` is the trial's record, if the caller has already read it.
    """
    record = record or trial.record
    if record.started is not None:
        parts = initial_prompt_parts(record)
        yield Page("initial prompt", 0, tuple(parts), recorded=record.initial_prompt)

    # Each page shows how its step changed the scratchpad, in which scripts keep values.
    scratchpad: dict[str, object] = {}
    summary = trial.summary
    steps = steps_of(record, summary)
    for step in steps:
        yield _step_page(step, scratchpad, record, summary)
        scratchpad = dict(step.scratchpad)

    figures = [count_text(summary.step, "step"), span_text(summary.elapsed_ms)]
    figures += spent_texts(summary.spent)
    last = end_parts(record, summary, steps, scratchpad)
    yield Page("the end", None, tuple(last), " · ".join(figures))


def _step_page(
    step: StepDone,
    scratchpad: Mapping[str, object],
    record: TrialRecord,
    summary: TrialSummary,
) -> Page:
    """Return the page of a step. `scratchpad` has the values that scripts kept before it."""
    number = step.step
    parts = step_parts(step, scratchpad)
    # The events of stopped and approved calls are not parts of a step's event.
    parts += stopped_call_parts(
        stopped_by_step(record.all_steps).get(number, ()), summary
    )
    parts += approval_parts(approvals_by_step(record.all_steps).get(number, ()))
    figures = _figures_text(step)
    peak_bytes = peak_memory_by_step(record.all_steps).get(number)
    if peak_bytes is not None:
        figures += f" · up to {peak_bytes / 1_000_000:,.0f} MB of memory"
    return Page(f"step {number}", number, tuple(parts), figures, step)


def steps_of(record: TrialRecord, summary: TrialSummary) -> tuple[StepDone, ...]:
    """Return a trial's recorded steps.

    If the journal ends inside a step, that step is put together from its events so far.
    """
    cut_off = record.all_steps.cut_off  # The unfinished step; None without one.
    if cut_off is None or summary.is_over:
        return tuple(record.steps)
    step = StepDone(
        trial_id=summary.trial_id,
        step=cut_off.number,
        calls=tuple(cut_off.calls),
        citations=tuple(cut_off.citations),
        verdicts=tuple(cut_off.submissions),
        error="the journal breaks off here: the step is not done",
    )
    if cut_off.replies:
        replied = cut_off.replies[-1]
        fields: dict[str, Any] = {"reply": replied.reply, "usage": replied.usage}
        # A usable reply contains a state (the model's own account), a plan and a script.
        action = action_of(replied.reply, replied.finish_reason)
        if not isinstance(action, Unusable):
            fields["state"] = action.state
            fields["plan"] = action.plan
            fields["code"] = action.code
        step = step.model_copy(update=fields)
    return (*record.steps, step)


# --- The initial prompt ---


def initial_prompt_parts(record: TrialRecord) -> list[Part]:
    """Return the initial prompt: instruction, clock, the calls made for it, and messages.

    The calls are listed without their results, since the messages contain these.
    """
    started = record.started
    opened = record.initial_prompt
    assert started is not None
    clock = "it has no clock"
    if started.now:
        clock = f"its clock says {one_line(started.now)}"
    parts = [
        Part(sanitize(started.instruction), "bold"),
        Part(f"trial {one_line(started.trial_id)} · {clock}", "dim"),
    ]
    if opened is None:
        parts.append(Part("no initial prompt is recorded", "dim"))
    else:
        parts += call_parts(opened.calls, with_results=False)
        parts.append(_message_part("system prompt", opened.system))
        parts.append(_message_part("first message", "".join(opened.first_message)))
        if opened.files:
            parts.append(_ranked_files_part(opened.files))
    return parts


def _ranked_files_part(files: Sequence[RankedFile]) -> Part:
    """Return the files that the first message shows or nearly shows, with rank and reason.

    `  0.83  /docs/leave.md  named, 2,410 characters`
    """
    rows = []
    for file in files:
        size = f"{file.chars:,} characters" if file.chars else "left out"
        row = f"  {file.score:.2f}  {one_line(file.path)}  {one_line(file.reason)}, {size}"
        rows.append(Part(row, "" if file.chars else "dim", is_detail=True))
    shown = [file for file in files if file.chars]
    tail = f"  {len(shown)} shown of {len(files)}"
    return Part("files that fit", tail=tail, parts=tuple(rows))


def _message_part(name: str, text: str) -> Part:
    """Return a message of the conversation. While it is folded, only its length is shown."""
    message = Part(sanitize(text), is_detail=True)
    return Part(name, tail=f"  {len(text):,} characters", parts=(message,))


# --- A step ---


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


def _figures_text(step: StepDone) -> str:
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
