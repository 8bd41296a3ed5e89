"""The calls of a step: those that were made, held back, or approved by the user."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

from controlplane.agent.events import CallApproval, CallRecord, CallStopped
from controlplane.journal.totals.call_keys import call_key
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.quantity_texts import count_text, span_text
from controlplane.sandbox.interface import Tree
from controlplane.terminal_text import one_line, sanitize
from controlplane.view.trial_pages.page_part import Part

REASONS_TO_HOLD: Final = {
    "check": "by the pre-call check",
    "provenance": "for values from read text alone",
}
"""Why calls are held back, by the name of what held them.

The pre-call check is the benchmark's. The setting `provenance` holds back calls with a value
that comes only from a text that the trial has read: anyone may have written it there.
"""


def call_parts(calls: Sequence[CallRecord], *, with_results: bool = True) -> list[Part]:
    """Return one part with all calls; an empty list if there are no calls."""
    if not calls:
        return []
    lines = [_call_part(call, with_result=with_results) for call in calls]
    return [Part(title=count_text(len(calls), "call"), parts=tuple(lines))]


def _call_part(call: CallRecord, *, with_result: bool) -> Part:
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
        parts.append(Part(f"{name}: {one_line(str(origin))}", "dim"))
    if with_result:
        style = "red" if call.error else "dim"
        parts.append(Part(_result_text(call), style, is_detail=True))
    return Part(
        f"{arrow} {_written_call(call)}",
        "cyan" if call.result is not None else "red",
        tail=tail,
        parts=tuple(parts),
    )


def _written_call(call: CallRecord) -> str:
    """Return a call as a script writes it."""
    arguments = []
    for name, value in call.arguments.items():
        arguments.append(f"{name}={_json_text(value)}")
    return one_line(f"{call.operation}({', '.join(arguments)})")


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
    """Return the value of a result's field: a string verbatim, a list with one item per line."""
    values = [value]
    if isinstance(value, list) and value:
        values = value
    texts = []
    for item in values:
        texts.append(item if isinstance(item, str) else _json_text(item))
    return "\n".join(texts)


def _is_tree(value: object) -> bool:
    """Return True if a result is a tree of files, as the operation `tree` returns it."""
    if not isinstance(value, dict) or value.keys() != {"name", "is_dir", "children"}:
        return False
    children = value["children"]
    return isinstance(children, list) and all(_is_tree(child) for child in children)


def _json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def stopped_call_parts(
    stopped_calls: Iterable[CallStopped], summary: TrialSummary
) -> list[Part]:
    """Return the calls that were held back, with the reason and what happened to each afterwards.

    `held by the pre-call check, then repeated and sent: the order is already closed`
    """
    parts = []
    for stopped in stopped_calls:
        reason = REASONS_TO_HOLD[stopped.by]
        # `stopped.then` is what had happened to the call when the event was written. The
        # summary also knows what came later, such as a repetition.
        ending = summary.stopped.get(call_key(stopped), stopped.then)
        text = f"held {reason}, then {ending}: {sanitize(stopped.objection)}"
        parts.append(Part(text, "yellow"))
    return parts


def approval_parts(approvals: Iterable[CallApproval]) -> list[Part]:
    """Return the calls that the user was asked to approve, with the decision."""
    parts = []
    for approval in approvals:
        style = "green" if approval.answer == "approved" else "yellow"
        text = f"{approval.answer} by the user: {sanitize(approval.text)}"
        parts.append(Part(text, style))
    return parts
