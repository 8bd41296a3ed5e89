"""The pages of a recorded trial: the initial prompt, each step, and the end.

The terminal and the browser show the same pages. Texts of models, files and tools are
sanitized, because control characters in them could redraw the terminal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from controlplane.agent.events import (
    CallRecord,
    Judged,
    RankedFile,
    StepDone,
    VerdictRecord,
)
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.record.trial_step import TrialStep
from controlplane.errors import JournalDamaged
from controlplane.facts.step_facts import no_such_step, step_facts, steps_of
from controlplane.facts.trial_facts import trial_facts
from controlplane.gate_texts import gate_or_rule_text
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.journal.totals.trial_summary import TrialSummary, call_key
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.quantity_texts import (
    count_text,
    metrics_text,
    score_style,
    score_text,
    span_text,
)
from controlplane.sandbox.interface import ToolSchema, Tree
from controlplane.terminal_text import changed_text, one_line, sanitize

# A page, as the terminal and the browser show it, and its parts.


class PagePart(NamedTuple):
    """A part of a page: a heading, a text, and further parts below it. Each may be missing.

    The script `2_trial_page.js` reads these fields in their order.
    """

    text: str = ""
    style: str = ""
    """A colour of the terminal, `bold`, `dim`, or `code` for Python code."""
    title: str = ""
    """The heading above the text."""
    tail: str = ""
    """Text that follows on the same line, in a dimmer style, such as a call's duration."""
    parts: tuple[PagePart, ...] = ()
    """Further parts, indented below the text."""
    is_detail: bool = False
    """True if the part is hidden while the page is folded."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a trial. There are three kinds: the initial prompt, a step, and the end."""

    title: str
    step: int | None
    """The number of the step; 0 for the initial prompt, None for the end."""
    parts: tuple[PagePart, ...]
    figures: str = ""
    """Tokens, cost and time, beside the title."""
    mark: str = ""
    """✗ if the gates rejected an answer in this step, ✓ if they accepted one, else empty."""


# The result of a recorded call as a text: `rows: 3`, a drawn tree of files, or an error's code and message.


def _result_size_text(call: CallRecord) -> str:
    """Return the size of a call's result, or the code of its error: `412 characters`, `not_found`."""
    if call.error is not None:
        return call.error.code
    if call.result is None:
        return "cut off"
    values = call.result.values()
    texts = [value if isinstance(value, str) else json.dumps(value) for value in values]
    return count_text(sum(map(len, texts)), "character")


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
        items = value if isinstance(value, list) and value else [value]
        text = "\n".join(
            item if isinstance(item, str) else _json_text(item) for item in items
        )
        separator = " "
        if "\n" in text:
            separator = "\n"
            text = text.rstrip()
        lines.append(f"{name}:{separator}{text}")
    return sanitize("\n".join(lines)) or "(nothing)"


def _is_tree(value: object) -> bool:
    """Return True if a result is a tree of files, as the operation `tree` returns it."""
    if not isinstance(value, dict) or value.keys() != {"name", "is_dir", "children"}:
        return False
    children = value["children"]
    return isinstance(children, list) and all(_is_tree(child) for child in children)


def _json_text(value: object) -> str:
    """Return a value as JSON in one line, with letters beyond ASCII as they are."""
    return json.dumps(value, ensure_ascii=False)


# The calls of a step: those that were made, held back, or approved by the user.

_REASONS_TO_HOLD: Final = {
    "check": "by the pre-call check",
    "provenance": "for values from read text alone",
}
"""Why calls are held back, by the name of what held them.

The pre-call check is the benchmark's. The setting `provenance` holds back calls with a value
that comes only from a text that the trial has read: anyone may have written it there.
"""


def _call_parts(
    calls: Sequence[CallRecord], *, with_results: bool = True
) -> list[PagePart]:
    """Return one part with all calls; an empty list if there are no calls."""
    if not calls:
        return []
    lines = [_call_part(call, with_result=with_results) for call in calls]
    return [PagePart(title=count_text(len(calls), "call"), parts=tuple(lines))]


def _call_part(call: CallRecord, *, with_result: bool) -> PagePart:
    """Return a call in one line: `→ read(path="/docs/a.md")  1,204 characters · 3 ms`.

    Below it are the origins of its arguments (`path: named in the request`) and its result.
    """
    # A call that a benchmark's function made is indented below the call of the function.
    arrow = "→" if call.outer is None else "  ↳"
    tail = f"  {one_line(_result_size_text(call))} · {span_text(call.elapsed_ms)}"
    if call.in_verify:  # The function `verify` of a script checks its answer.
        tail += " · in verify"

    parts = []
    for name, origin in sorted(call.origins.items()):
        parts.append(PagePart(f"{name}: {one_line(str(origin))}", "dim"))
    if with_result:
        style = "red" if call.error else "dim"
        parts.append(PagePart(_result_text(call), style, is_detail=True))
    arguments = [
        f"{name}={_json_text(value)}" for name, value in call.arguments.items()
    ]
    written = one_line(f"{call.operation}({', '.join(arguments)})")
    style = "cyan" if call.result is not None else "red"
    return PagePart(f"{arrow} {written}", style, tail=tail, parts=tuple(parts))


def _held_call_parts(step: TrialStep, summary: TrialSummary) -> list[PagePart]:
    """Return the calls that were held back, and those that the user was asked to approve.

    `held by the pre-call check, then repeated and sent: the order is already closed`
    """
    parts = []
    for stopped in step.held:
        reason = _REASONS_TO_HOLD[stopped.by]
        # `stopped.then` is what had happened to the call when the event was written. The
        # summary also knows what came later, such as a repetition.
        ending = summary.stopped.get(call_key(stopped), stopped.then)
        text = f"held {reason}, then {ending}: {sanitize(stopped.objection)}"
        parts.append(PagePart(text, "yellow"))
    for approval in step.approvals:
        style = "green" if approval.answer == "approved" else "yellow"
        decision = f"{approval.answer} by the user"
        if approval.answer == "unasked":
            decision = "not sent, as nobody could be asked"
        text = f"{decision}: {sanitize(approval.text)}"
        parts.append(PagePart(text, style))
    return parts


# The values in the answer to a question, each with its support.

_OPERATION_OF_QUESTIONS: Final = "passages"
"""An operation that only the trials of questions about files have (`ask`)."""


def _claim_parts(record: TrialRecord, summary: TrialSummary) -> list[PagePart]:
    """Return each value of an answer to a question with what supports it.

    The list is empty for trials of other benchmarks.
    """
    operations = {call.operation for call in record.all_calls}
    if _OPERATION_OF_QUESTIONS not in operations:
        return []
    # Importing these modules takes time, as they import the rules. Other pages do not need them.
    from controlplane.facts.answer_facts import marker_of_trial
    from controlplane.gates.support.marks import support_text

    # A mark is a value in the answer with what supports it.
    parts = []
    for mark in marker_of_trial(record, summary).marks(summary.answer):
        support = support_text(mark)
        if support:  # It is empty for a value that the question gives.
            style = "" if mark.is_supported else "red"
            tail = f"  {one_line(support)}"
            parts.append(PagePart(one_line(mark.value.text), style, tail=tail))
    return parts


# The end of a trial: its score, its answer, and the support of the answer.

_REASONS_KEY: Final = "refs_why"
"""The key of the scratchpad under which scripts give reasons: `{"/docs/a.md": "names the fee"}`."""


def _end_parts(
    record: TrialRecord,
    summary: TrialSummary,
    steps: Sequence[TrialStep],
    scratchpad: Mapping[str, object],
) -> list[PagePart]:
    """Return the end of a trial: its score, its answer, and the support of the answer."""
    # 1. How it ended, its score, and the reasons for both.
    facts = trial_facts(summary)
    refusals = dict.fromkeys(call.tool_refusal for call in record.all_calls)
    texts = [facts.state]
    if facts.outcome:
        texts.append(one_line(facts.outcome))
    has_score = facts.score is not None
    texts.append(f"score {score_text(facts.score)}" if has_score else "no score")
    if facts.metrics:
        texts.append(metrics_text(facts.metrics))
    parts = [PagePart(" · ".join(texts), score_style(facts.score))]
    for label, style, remarks in (
        ("reason", "red", facts.ending),
        ("grader", "yellow", facts.details),
        ("noticed", "yellow", [*record.notices, *filter(None, refusals)]),
    ):
        for text in remarks:
            parts.append(PagePart(f"{label}: {sanitize(text)}", style))

    # 2. Its answer, and what supports it.
    if facts.answer:
        parts.append(PagePart(sanitize(facts.answer), title="answer"))
        parts.append(PagePart(_changes_text(record)))
    claims = _claim_parts(record, summary)
    citations = _citation_parts(summary, steps, scratchpad)
    for title, supports in (("claims", claims), ("cites", citations)):
        if supports:
            parts.append(PagePart(title=title, parts=tuple(supports)))
    return parts


def _changes_text(record: TrialRecord) -> str:
    """Return what a trial changed, according to its recorded calls: `changed: /notes.md`."""
    calls = [call for call in record.all_calls if call.result]
    schema = ToolSchema(())
    if record.started and calls:
        try:
            schema = tool_schema_from_text(record.started.tool_schema)
        except JournalDamaged:
            return "changed: not known, since the declaration of the environment is malformed"
    if not any(call.decided_by(schema).changes for call in calls):
        return changed_text(())
    # Importing this module takes time, as it imports the rules. Other pages do not need it.
    from controlplane.facts.answer_facts import present_changes

    return changed_text(present_changes(record))


def _citation_parts(
    summary: TrialSummary, steps: Sequence[TrialStep], scratchpad: Mapping[str, object]
) -> list[PagePart]:
    """Return the cited paths with the reasons for citing them and the quotations.

    `scratchpad` has the values that scripts kept, and the reasons under `_REASONS_KEY`.
    """
    quotations = _quotations(steps)
    reasons = scratchpad.get(_REASONS_KEY)
    if not isinstance(reasons, Mapping):
        reasons = {}
    parts = []
    for path in summary.refs:
        tail = f"  {one_line(str(reasons.get(path, '')))}".rstrip()
        quoted = [PagePart(" · ".join(quotations[path]))] if path in quotations else []
        parts.append(PagePart(one_line(path), "cyan", tail=tail, parts=tuple(quoted)))
    return parts


def _quotations(steps: Iterable[TrialStep]) -> dict[str, dict[str, None]]:
    """Return the accepted quotations by cited path, such as `/docs/a.md, line 3: “30 days”`."""
    by_path: dict[str, dict[str, None]] = {}
    for step in steps:
        for citation in step.summary.citations:
            # The path as the environment spells it. It is empty if the citation was refused.
            path = citation.spelling
            if not citation.quote or not path:
                continue
            place = f"{path}, line {citation.line}" if citation.line else path
            text = one_line(f"{place}: “{citation.quote}”")
            by_path.setdefault(path, {})[text] = None
    return by_path


# The page of a trial's initial prompt: instruction, clock, the calls made for it, and messages.


def _initial_prompt_parts(record: TrialRecord) -> list[PagePart]:
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
        PagePart(sanitize(started.instruction), "bold"),
        PagePart(f"trial {one_line(started.trial_id)} · {clock}", "dim"),
    ]
    if opened is None:
        parts.append(PagePart("no initial prompt is recorded", "dim"))
    else:
        parts += _call_parts(opened.calls, with_results=False)
        parts.append(_message_part("system prompt", opened.system))
        parts.append(_message_part("first message", "".join(opened.first_message)))
        if opened.files:
            parts.append(_ranked_files_part(opened.files))
    return parts


def _ranked_files_part(files: Sequence[RankedFile]) -> PagePart:
    """Return the files that the first message shows or nearly shows, with rank and reason.

    `  0.83  /docs/leave.md  named, 2,410 characters`
    """
    rows = []
    shown = 0
    for file in files:
        shown += bool(file.chars)
        size = f"{file.chars:,} characters" if file.chars else "left out"
        row = f"  {file.score:.2f}  {one_line(file.path)}  {one_line(file.reason)}, {size}"
        rows.append(PagePart(row, "" if file.chars else "dim", is_detail=True))
    tail = f"  {shown} shown of {len(files)}"
    return PagePart("files that fit", tail=tail, parts=tuple(rows))


def _message_part(name: str, text: str) -> PagePart:
    """Return a message of the conversation. While it is folded, only its length is shown."""
    message = PagePart(sanitize(text), is_detail=True)
    return PagePart(name, tail=f"  {len(text):,} characters", parts=(message,))


# How a step changed the scratchpad, in which scripts keep values.


def _scratchpad_changes(
    before: Mapping[str, object], after: Mapping[str, object]
) -> list[PagePart]:
    """Return a line for each key that a step added, changed or removed."""
    parts = []
    for key in sorted({*before, *after}):
        name = one_line(key)
        if key not in after:
            parts.append(PagePart(f"- {name}", "red"))
        elif key not in before:
            parts.append(PagePart(f"+ {name} = {_value_text(after[key])}", "green"))
        elif before[key] != after[key]:
            parts += _value_changes(name, before[key], after[key])
    return parts


def _value_changes(name: str, before: object, after: object) -> list[PagePart]:
    """Return a key's old and new value. For mappings, return only the entries that differ."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        parts = [PagePart(f"~ {name}", "yellow")]
        for change in _scratchpad_changes(before, after):
            parts.append(change._replace(text=f"  {change.text}"))
        return parts
    indent = " " * len(f"~ {name}")
    text = f"~ {name}: {_value_text(before)}\n{indent}→ {_value_text(after)}"
    return [PagePart(text, "yellow")]


def _value_text(value: object) -> str:
    return sanitize(_json_text(value))


# The submissions of a step, as the gates judged them.

_OBJECTIONS: Final = ("reject", "overridden")
"""The results with which a gate objects. "overridden": the answer was sent over the objection."""


def _submission_part(submission: Judged, answer_in_scratchpad: object) -> PagePart:
    """Return a submission in one line, with a mark for each gate and what came of it.

    `gates ✓ ✓ · ✗  sent back OUTCOME_OK: 3 pieces`

    Below this line are the objections and, as a detail, why other gates had nothing to
    judge. An answer that is also in the scratchpad (the values that scripts keep) is left
    out, because the page shows the scratchpad.
    """
    result, style = "accepted", "green"
    if not submission.accepted:
        result, style = "sent back", "red"
    elif submission.overridden:
        result, style = "accepted over objections", "yellow"
    # Only gates get a mark here: their keys are numbers, such as `6`. Rules have keys
    # such as `6/wording`.
    marks = []
    for verdict in submission.verdicts:
        if verdict.gate and verdict.key.isdecimal():
            marks.append(_MARKS.get(verdict.result, "?"))
    text = f"gates {' '.join(marks)}  {result} {one_line(submission.outcome)}"
    if submission.answer != answer_in_scratchpad:
        text += f": {one_line(submission.answer)}"

    parts = []
    other_reasons = []  # Why a gate had nothing to judge. Rules of rule sets have gate 0.
    for verdict in submission.verdicts:
        if verdict.result in _OBJECTIONS:
            parts.append(_objection_part(verdict))
        elif verdict.gate and verdict.reason:
            other_reasons.append(
                f"{_verdict_name(verdict)}: {sanitize(verdict.reason)}"
            )
    if other_reasons:
        details = PagePart("\n".join(other_reasons), "dim")
        title = "· gates with nothing to judge"
        parts.append(PagePart(title, "dim", parts=(details,), is_detail=True))
    return PagePart(text, style, parts=tuple(parts))


def _objection_part(verdict: VerdictRecord) -> PagePart:
    """Return the gate or rule that objects and, as a detail, its reason."""
    style = "red" if verdict.result == "reject" else "yellow"
    reasons = []
    if verdict.reason:
        reasons.append(PagePart(sanitize(verdict.reason), "dim", is_detail=True))
    return PagePart(_verdict_name(verdict), style, parts=tuple(reasons))


def _verdict_name(verdict: VerdictRecord) -> str:
    """Return the name of a gate or rule with its mark: `✗ gate 8 (literal tokens)`."""
    mark = _MARKS.get(verdict.result, "?")
    name = f"{mark} {gate_or_rule_text(verdict.key)}"
    if verdict.enforcement == "off":
        name += ", switched off"
    return name


_MARKS: Final = {
    "pass": "✓",
    "reject": "✗",
    "overridden": "!",
    "not_applicable": "·",
    "skipped": "-",
}
"""The mark of each result of a gate. If it is `not_applicable`, the gate had nothing to judge."""


# The page of a step: what the model wanted, its script, what that did, and what the gates said.


def step_parts(
    step: StepDone, scratchpad_before: Mapping[str, object]
) -> list[PagePart]:
    """Return one step: state, plan, gates, code, calls, output, and changes of the scratchpad."""
    # 1. What the model was about to do, and what the gates said to its answers.
    parts = []
    if step.state:
        parts.append(PagePart(sanitize(step.state), "bold"))
    for number, item in enumerate(step.plan, start=1):
        parts.append(PagePart(f"  {number}. {one_line(item)}", "dim"))
    for submission in step.verdicts:
        parts.append(_submission_part(submission, step.scratchpad.get("answer")))

    # 2. The script and what it did.
    if step.code:
        parts.append(PagePart(sanitize(step.code).strip("\n"), "code", title="code"))
    elif step.reply:
        parts.append(PagePart(sanitize(step.reply), "dim", title="reply"))
    parts += _call_parts(step.calls)
    for title, style, text in (
        ("output", "", step.output),
        ("error", "red", step.error),
        ("notes for the model", "dim", step.notes),
    ):
        if text:
            parts.append(PagePart(sanitize(text).rstrip("\n"), style, title=title))
    changes = _scratchpad_changes(scratchpad_before, step.scratchpad)
    if changes:
        parts.append(PagePart(title="scratchpad", parts=tuple(changes)))

    # 3. What the gates said, word for word. The script gets it as an exception. If the script
    #    did not catch that, the text is already in its error.
    for submission in step.verdicts:
        if submission.message and submission.message.strip() not in step.error:
            message = sanitize(submission.message).rstrip("\n")
            parts.append(PagePart(message, "red", title="what the gates said"))
    return parts


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
            parts=tuple(_initial_prompt_parts(record)),
        )

    # Each page shows how its step changed the scratchpad, in which scripts keep values.
    scratchpad: dict[str, object] = {}
    summary = trial.summary
    steps = steps_of(record, summary)
    for step in steps:
        yield _step_page(step, scratchpad, summary)
        scratchpad = dict(step.summary.scratchpad)

    facts = trial_facts(summary)
    figures = [count_text(facts.steps, "step"), span_text(facts.elapsed_ms)]
    figures += facts.spent_texts
    yield Page(
        title="the end",
        step=None,
        parts=tuple(_end_parts(record, summary, steps, scratchpad)),
        figures=" · ".join(figures),
    )


def _step_page(
    step: TrialStep,
    scratchpad: Mapping[str, object],
    summary: TrialSummary,
) -> Page:
    """Return the page of a step. `scratchpad` has the values that scripts kept before it."""
    parts = step_parts(step.summary, scratchpad)
    # The journal has stopped and approved calls apart from the step's event.
    parts += _held_call_parts(step, summary)
    mark = ""
    if step.summary.verdicts:
        are_accepted = all(judged.accepted for judged in step.summary.verdicts)
        mark = "✓" if are_accepted else "✗"
    return Page(
        title=f"step {step.number}",
        step=step.number,
        parts=tuple(parts),
        figures=step_facts(step).figures_text,
        mark=mark,
    )


def find_step(trial: RecordedTrial, number: int) -> Page:
    """Return the page of one step. Step 0 is the initial prompt.

    Raises `UsageError` if the trial has no such step.
    """
    pages = list(pages_of(trial))
    for page in pages:
        if page.step == number:
            return page
    raise no_such_step(
        trial.trial_id, number, [page.step for page in pages if page.step]
    )
