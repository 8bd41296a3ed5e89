"""The pages of a recorded trial: the initial prompt, each step, and the end.

The terminal and the browser show the same pages. Texts of models, files and tools are
sanitized, because control characters in them could redraw the terminal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from controlplane.agent.events import (
    CallApproval,
    CallRecord,
    CallStopped,
    Judged,
    RankedFile,
    Record,
    StepDone,
    VerdictRecord,
)
from controlplane.agent.reply import Unusable, action_of
from controlplane.errors import JournalDamaged
from controlplane.journal.journal_reader import RecordedTrial, TrialRecord
from controlplane.journal.run_events import tool_schema_from_text
from controlplane.journal.trial_summary import TrialSummary, call_key
from controlplane.sandbox.interface import ToolSchema, Tree
from controlplane.terminal_text import (
    changed_text,
    cost_text,
    count_text,
    gate_or_rule_text,
    metrics_text,
    one_line,
    reasons_of,
    sanitize,
    score_style,
    score_text,
    span_text,
    spent_texts,
)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a page: a heading, a text, and further parts below it. Each may be
    missing."""

    text: str = ""
    style: str = ""
    """A colour of the terminal, `bold`, `dim`, or `code` for Python code."""
    title: str = ""
    """The heading above the text."""
    tail: str = ""
    """Text that follows on the same line, in a dimmer style."""
    parts: tuple[Part, ...] = ()
    """Further parts, indented below the text."""
    is_detail: bool = False
    """True if the part is hidden while the page is folded."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a trial. There are three kinds: the initial prompt, a step, and the
    end."""

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
        """✗ if the gates rejected an answer in this step, ✓ if they accepted one, else
        empty."""
        if not isinstance(self.recorded, StepDone) or not self.recorded.verdicts:
            return ""
        if all(submission.accepted for submission in self.recorded.verdicts):
            return "✓"
        return "✗"


def pages_of(trial: RecordedTrial, record: TrialRecord | None = None) -> Iterator[Page]:
    """Yield the pages of a trial in order. A trial that never started has only the last
    page.

    `record` is the trial's record, if the caller has already read it.
    """
    record = record or trial.record
    if record.started is not None:
        parts = initial_prompt_parts(record)
        yield Page("initial prompt", 0, tuple(parts), recorded=record.initial_prompt)

    # Each page shows how its step changed the scratchpad, in which scripts keep values.
    scratchpad: dict[str, object] = {}
    steps = steps_of(record, trial.summary)
    for step in steps:
        number = step.step
        parts = step_parts(step, scratchpad)
        # The journal has these beside the steps, by the number of the step.
        parts += _stopped_call_parts(record.stopped.get(number, ()), trial.summary)
        parts += _approval_parts(record.approvals.get(number, ()))
        figures = _figures_text(step)
        peak_memory_bytes = record.peak_memory_bytes.get(number)
        if peak_memory_bytes is not None:
            figures += f" · up to {peak_memory_bytes / 1_000_000:,.0f} MB of memory"
        yield Page(f"step {number}", number, tuple(parts), figures, step)
        scratchpad = dict(step.scratchpad)

    yield _last_page(record, trial.summary, steps, scratchpad)


def steps_of(record: TrialRecord, summary: TrialSummary) -> tuple[StepDone, ...]:
    """Return a trial's recorded steps.

    If the journal ends inside a step, that step is put together from its events so far.
    """
    cut_off = record.pending  # The unfinished step; None without one.
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
        action = action_of(replied.reply, replied.finish_reason)
        if not isinstance(
            action, Unusable
        ):  # The reply contains a state, a plan and a script.
            fields["state"] = action.state
            fields["plan"] = action.plan
            fields["code"] = action.code
        step = step.model_copy(update=fields)
    return (*record.steps, step)


# --- The initial prompt ---


def initial_prompt_parts(record: TrialRecord) -> list[Part]:
    """Return the initial prompt: the instruction, the clock, the calls made for it, and
    the messages.

    The calls are listed without their results, since the messages contain them.
    """
    started = record.started
    opened = record.initial_prompt
    assert started is not None
    clock = (
        f"its clock says {one_line(started.now)}" if started.now else "it has no clock"
    )
    parts = [
        Part(sanitize(started.instruction), "bold"),
        Part(f"trial {one_line(started.trial_id)} · {clock}", "dim"),
    ]
    if opened is None:
        parts.append(Part("no initial prompt is recorded", "dim"))
    else:
        parts += _call_parts(opened.calls, with_results=False)
        parts.append(_message_part("system prompt", opened.system))
        parts.append(_message_part("first message", "".join(opened.first_message)))
        if opened.files:
            parts.append(_ranked_files_part(opened.files))
    return parts


def _ranked_files_part(files: Sequence[RankedFile]) -> Part:
    """Return the files that the first message shows, or nearly shows, each with its
    rank and the reason.

    `  0.83  /docs/leave.md  named, 2,410 characters`
    """
    rows: list[Part] = []
    shown_count = 0
    for file in files:
        size = "left out"
        style = "dim"
        if file.chars:
            size = f"{file.chars:,} characters"
            style = ""
            shown_count += 1
        row = f"  {file.score:.2f}  {one_line(file.path)}  {one_line(file.reason)}, {size}"
        rows.append(Part(row, style, is_detail=True))
    return Part(
        "files that fit",
        tail=f"  {shown_count} shown of {len(files)}",
        parts=tuple(rows),
    )


def _message_part(name: str, text: str) -> Part:
    """Return a message of the conversation. While it is folded, only its length is
    shown."""
    message = Part(sanitize(text), is_detail=True)
    return Part(name, tail=f"  {len(text):,} characters", parts=(message,))


# --- A step ---


def step_parts(step: StepDone, scratchpad_before: Mapping[str, object]) -> list[Part]:
    """Return one step: state, plan, gates, code, calls, output, and changes of the
    scratchpad."""
    submissions = (
        step.verdicts
    )  # Each answer that the script submitted, as the gates judged it.

    # 1. What the model was about to do, and what the gates said to its answers.
    parts = []
    if step.state:
        parts.append(Part(sanitize(step.state), "bold"))
    for number, item in enumerate(step.plan, start=1):
        parts.append(Part(f"  {number}. {one_line(item)}", "dim"))
    answer_in_scratchpad = step.scratchpad.get("answer")
    for submission in submissions:
        parts.append(_submission_part(submission, answer_in_scratchpad))

    # 2. The script and what it did.
    if step.code:
        parts.append(Part(sanitize(step.code).strip("\n"), "code", title="code"))
    elif step.reply:
        parts.append(Part(sanitize(step.reply), "dim", title="reply"))
    parts += _call_parts(step.calls)
    if step.output:
        parts.append(Part(sanitize(step.output).rstrip("\n"), title="output"))
    if step.error:
        parts.append(Part(sanitize(step.error).rstrip("\n"), "red", title="error"))
    changes = _scratchpad_changes(scratchpad_before, step.scratchpad)
    if changes:
        parts.append(Part(title="scratchpad", parts=tuple(changes)))

    # 3. The text with which the gates answered the script, word for word. A script gets it as an
    #    exception. If the script did not catch the exception, the text is in the error already.
    for submission in submissions:
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


# --- What the gates said ---


OBJECTIONS: Final = ("reject", "overridden")
"""The results with which a gate objects. "overridden": the answer was sent over the
objection."""


def _submission_part(submission: Judged, answer_in_scratchpad: object) -> Part:
    """Return a submission in one line, with a mark for each gate and what came of it.

    `gates ✓ ✓ · ✗  sent back OUTCOME_OK: 3 pieces`

    Below this line are the objections and, as a detail, why other gates had nothing to
    judge. The answer is left out if it is also in the scratchpad, because the page
    shows that.
    """
    if not submission.accepted:
        result = "sent back"
        style = "red"
    elif submission.overridden:
        result = "accepted over objections"
        style = "yellow"
    else:
        result = "accepted"
        style = "green"

    # Only gates get a mark here: their keys are numbers, such as `6`. Rules have keys
    # such as `6/wording`.
    marks = []
    for verdict in submission.verdicts:
        if verdict.gate and verdict.key.isdecimal():
            marks.append(_mark(verdict))
    text = f"gates {' '.join(marks)}  {result} {one_line(submission.outcome)}"
    if submission.answer != answer_in_scratchpad:
        text += f": {one_line(submission.answer)}"

    parts = []
    reasons_of_others = []
    for verdict in submission.verdicts:
        if verdict.result in OBJECTIONS:
            parts.append(_objection_part(verdict))
        elif verdict.gate and verdict.reason:
            reasons_of_others.append(
                f"{_verdict_name(verdict)}: {sanitize(verdict.reason)}"
            )
    if reasons_of_others:
        details = Part("\n".join(reasons_of_others), "dim")
        title = "· gates with nothing to judge"
        parts.append(Part(title, "dim", parts=(details,), is_detail=True))
    return Part(text, style, parts=tuple(parts))


def _objection_part(verdict: VerdictRecord) -> Part:
    """Return the gate or rule that objects and, as a detail, its reason."""
    style = "red" if verdict.result == "reject" else "yellow"
    reasons = []
    if verdict.reason:
        reasons.append(Part(sanitize(verdict.reason), "dim", is_detail=True))
    return Part(_verdict_name(verdict), style, parts=tuple(reasons))


def _verdict_name(verdict: VerdictRecord) -> str:
    """Return the name of a gate or rule with its mark: `✗ gate 8 (literal tokens)`."""
    name = f"{_mark(verdict)} {gate_or_rule_text(verdict.key)}"
    if verdict.enforcement == "off":
        name += ", switched off"
    return name


MARKS: Final = {
    "pass": "✓",
    "reject": "✗",
    "overridden": "!",
    "not_applicable": "·",
    "skipped": "-",
}
"""The mark of each result of a gate. A `skipped` gate was not run, and one that is
`not_applicable` had nothing to judge."""


def _mark(verdict: VerdictRecord) -> str:
    return MARKS.get(verdict.result, "?")


# --- Calls ---


def _call_parts(
    calls: Sequence[CallRecord], *, with_results: bool = True
) -> list[Part]:
    """Return one part with all calls; an empty list if there are no calls."""
    if not calls:
        return []
    lines = [_call_part(call, with_result=with_results) for call in calls]
    return [Part(title=count_text(len(calls), "call"), parts=tuple(lines))]


def _call_part(call: CallRecord, *, with_result: bool) -> Part:
    """Return a call in one line: `→ read(path="/docs/a.md")  1,204 characters · 3 ms`.

    Below it are the origins of its arguments, as `path: named in the request`, and its
    result.
    """
    # The line: a call that a benchmark's function made is indented below the call of
    # the function.
    is_made_by_function = call.outer is not None
    arrow = "  ↳" if is_made_by_function else "→"
    arguments = [
        f"{name}={_json_text(value)}" for name, value in call.arguments.items()
    ]
    call_text = one_line(f"{call.operation}({', '.join(arguments)})")
    style = "cyan" if call.result is not None else "red"

    # The end of the line.
    tail = f"  {one_line(_result_size_text(call))} · {span_text(call.elapsed_ms)}"
    if call.in_verify:  # The function `verify` of a script checks its answer.
        tail += " · in verify"

    # What is below the line.
    parts = []
    for name, origin in sorted(call.origins.items()):
        parts.append(Part(f"{name}: {one_line(str(origin))}", "dim"))
    if with_result:
        result_style = "red" if call.error else "dim"
        parts.append(Part(_result_text(call), result_style, is_detail=True))
    return Part(f"{arrow} {call_text}", style, tail=tail, parts=tuple(parts))


def _result_size_text(call: CallRecord) -> str:
    """Return the size of a call's result, or the code of its error."""
    if call.error is not None:
        return call.error.code
    if call.result is None:
        return "cut off"
    size = 0
    for value in call.result.values():
        size += len(value if isinstance(value, str) else json.dumps(value))
    return count_text(size, "character")


def _result_text(call: CallRecord) -> str:
    """Return a call's result, or its error.

    A tree of files is drawn, a string is shown verbatim, a list has one value per line,
    and any other value is JSON.
    """
    if call.error is not None:
        return sanitize(f"{call.error.code}: {call.error.message}")
    fields = call.result or {}
    if _is_tree(fields):
        return sanitize(str(Tree(fields)))
    lines = []
    for name, value in fields.items():
        text = _field_text(value)
        if "\n" in text:
            lines.append(f"{name}:\n{text.rstrip()}")
        else:
            lines.append(f"{name}: {text}")
    return sanitize("\n".join(lines)) or "(nothing)"


def _field_text(value: object) -> str:
    """Return the value of a result's field: a string verbatim, a list with one item per
    line."""
    values = [value]
    if isinstance(value, list) and value:
        values = value
    texts = []
    for item in values:
        texts.append(item if isinstance(item, str) else _json_text(item))
    return "\n".join(texts)


def _is_tree(value: object) -> bool:
    """Return True if a result is a tree of files, as the operation `tree` returns
    it."""
    if not isinstance(value, dict) or value.keys() != {"name", "is_dir", "children"}:
        return False
    children = value["children"]
    return isinstance(children, list) and all(_is_tree(child) for child in children)


def _json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _stopped_call_parts(
    stopped_calls: Iterable[CallStopped], summary: TrialSummary
) -> list[Part]:
    """Return the calls that were held back, with the reason and what happened to each
    afterwards.

    `held by the pre-call check, then repeated and sent: the order is already closed`
    """
    parts = []
    for stopped in stopped_calls:
        if stopped.by == "check":
            reason = "by the pre-call check"
        else:
            # The setting `provenance` holds back calls with a value that comes only
            # from a text that the trial has read, where anyone may have written it.
            reason = "for values from read text alone"
        # The event knows only what had happened to the call by then, the summary also
        # what came later, such as a repetition.
        key = call_key(stopped)
        then = summary.stopped.get(key, stopped.then)
        text = f"held {reason}, then {then}: {sanitize(stopped.objection)}"
        parts.append(Part(text, "yellow"))
    return parts


def _approval_parts(approvals: Iterable[CallApproval]) -> list[Part]:
    """Return the calls that the user was asked to approve, with the decision."""
    parts = []
    for approval in approvals:
        style = "green" if approval.answer == "approved" else "yellow"
        text = f"{approval.answer} by the user: {sanitize(approval.text)}"
        parts.append(Part(text, style))
    return parts


# --- The scratchpad ---


def _scratchpad_changes(
    before: Mapping[str, object], after: Mapping[str, object]
) -> list[Part]:
    """Return a line for each key that a step added, changed or removed."""
    parts = []
    for key in sorted({*before, *after}):
        name = one_line(key)
        if key not in after:
            parts.append(Part(f"- {name}", "red"))
        elif key not in before:
            parts.append(Part(f"+ {name} = {_value_text(after[key])}", "green"))
        elif before[key] != after[key]:
            parts += _value_changes(name, before[key], after[key])
    return parts


def _value_changes(name: str, before: object, after: object) -> list[Part]:
    """Return a key's old and new value. For mappings, return only the entries that
    differ."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        parts = [Part(f"~ {name}", "yellow")]
        for change in _scratchpad_changes(before, after):
            parts.append(replace(change, text=f"  {change.text}"))
        return parts
    indent = " " * len(f"~ {name}")
    text = f"~ {name}: {_value_text(before)}\n{indent}→ {_value_text(after)}"
    return [Part(text, "yellow")]


def _value_text(value: object) -> str:
    return sanitize(_json_text(value))


# --- The end ---


def _last_page(
    record: TrialRecord,
    summary: TrialSummary,
    steps: Sequence[StepDone],
    scratchpad: Mapping[str, object],
) -> Page:
    """Return the end of a trial: its score, its answer, and the support of the
    answer."""
    parts = _ending_parts(summary)
    if summary.answer:
        parts.append(Part(sanitize(summary.answer), title="answer"))
        parts.append(Part(_changes_text(record)))
    claims = judged_claims(record, summary)
    if claims:
        parts.append(
            Part(title="claims", parts=tuple(_claim_part(claim) for claim in claims))
        )
    citations = _citation_parts(summary, steps, scratchpad)
    if citations:
        parts.append(Part(title="cites", parts=tuple(citations)))

    figures = [count_text(summary.step, "step"), span_text(summary.elapsed_ms)]
    figures += spent_texts(summary.spent)
    return Page("the end", None, tuple(parts), " · ".join(figures))


def _ending_parts(summary: TrialSummary) -> list[Part]:
    """Return how a trial ended, its score, and the reasons for both."""
    texts = [summary.state]
    if summary.outcome:
        texts.append(one_line(summary.outcome))
    texts.append(f"score {score_text(summary.score)}")
    if summary.metrics:
        texts.append(metrics_text(summary.metrics))
    parts = [Part(" · ".join(texts), score_style(summary.score))]

    reasons = reasons_of(summary)
    for text in reasons.ending:
        parts.append(Part(f"reason: {sanitize(text)}", "red"))
    for text in reasons.grader:
        parts.append(Part(f"grader: {sanitize(text)}", "yellow"))
    return parts


def _changes_text(record: TrialRecord) -> str:
    """Return what a trial changed, according to its recorded calls."""
    calls = [call for call in record.all_calls if call.result]
    tool_schema = ToolSchema(())
    if record.started and calls:
        try:
            tool_schema = tool_schema_from_text(record.started.tool_schema)
        except JournalDamaged:
            return "changed: not known, since the declaration of the environment is malformed"
    may_have_changed = False
    for call in calls:
        if tool_schema.may_change(call.operation, call.arguments):
            may_have_changed = True
    if not may_have_changed:
        return changed_text(())
    # This module imports the rules, which other pages do not need.
    from controlplane.view.asked_answer import present_changes

    return changed_text(present_changes(record))


UNVERIFIED: Final = "unverified"
"""The first word in place of the support of a value, if nothing supports it."""
OPERATION_OF_QUESTIONS: Final = "passages"
"""An operation that only the trials of questions about files have (`ask`)."""
REASONS_KEY: Final = "refs_why"
"""The key of the scratchpad under which scripts give reasons: `{"/docs/a.md": "names
the fee"}`."""


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A value in the answer to a question, with its support."""

    value: str
    support: str
    """The support in words, which begin with `UNVERIFIED` if there is none."""


def judged_claims(record: TrialRecord, summary: TrialSummary) -> list[JudgedClaim]:
    """Return each value of an answer to a question with what supports it.

    The list is empty for trials of other benchmarks.
    """
    is_question = any(
        call.operation == OPERATION_OF_QUESTIONS for call in record.all_calls
    )
    if not is_question:
        return []
    # These modules import the rules, which other pages do not need.
    from controlplane.gates.support.footnotes import support_text
    from controlplane.view.asked_answer import marker_of_trial

    claims = []
    for mark in marker_of_trial(record, summary).marks(summary.answer):
        support = support_text(mark)
        if support:  # It is empty for a value that the question gives.
            claims.append(JudgedClaim(mark.value.text, support))
    return claims


def _claim_part(claim: JudgedClaim) -> Part:
    style = "red" if claim.support.startswith(UNVERIFIED) else ""
    return Part(one_line(claim.value), style, tail=f"  {one_line(claim.support)}")


def _citation_parts(
    summary: TrialSummary, steps: Sequence[StepDone], scratchpad: Mapping[str, object]
) -> list[Part]:
    """Return the cited paths with the reasons for citing them and the quotations.

    `scratchpad` is that of the last step. It holds the reasons that scripts gave.
    """
    quotations = _quotations(steps)
    reasons = scratchpad.get(REASONS_KEY)
    if not isinstance(reasons, Mapping):
        reasons = {}
    parts = []
    for path in summary.refs:
        reason = one_line(str(reasons.get(path, "")))
        quoted = []
        if path in quotations:
            quoted.append(Part(" · ".join(quotations[path])))
        parts.append(
            Part(
                one_line(path), "cyan", tail=f"  {reason}".rstrip(), parts=tuple(quoted)
            )
        )
    return parts


def _quotations(steps: Iterable[StepDone]) -> dict[str, list[str]]:
    """Return the accepted quotations by cited path, such as `/docs/a.md, line 3: “30
    days”`."""
    by_path: dict[str, list[str]] = {}
    for step in steps:
        for citation in step.citations:
            # The path as the environment spells it. It is empty if the citation was
            # refused.
            path = citation.spelling
            if not citation.quote or not path:
                continue
            place = f"{path}, line {citation.line}" if citation.line else path
            text = one_line(f"{place}: “{citation.quote}”")
            texts = by_path.setdefault(path, [])
            if text not in texts:
                texts.append(text)
    return by_path
