"""The calls of a step: those that were made, held back, or approved by the user."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from controlplane.agent.events import CallApproval, CallRecord, CallStopped
from controlplane.journal.totals.call_keys import call_key
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.quantity_texts import count_text, span_text
from controlplane.terminal_text import one_line, sanitize
from controlplane.view.trial_pages.page_part import Part
from controlplane.view.trial_pages.result_text import (
    json_text,
    result_size_text,
    result_text,
)

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
    tail = f"  {one_line(result_size_text(call))} · {span_text(call.elapsed_ms)}"
    if call.in_verify:  # The function `verify` of a script checks its answer.
        tail += " · in verify"

    parts = []
    for name, origin in sorted(call.origins.items()):
        parts.append(Part(f"{name}: {one_line(str(origin))}", "dim"))
    if with_result:
        style = "red" if call.error else "dim"
        parts.append(Part(result_text(call), style, is_detail=True))
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
        arguments.append(f"{name}={json_text(value)}")
    return one_line(f"{call.operation}({', '.join(arguments)})")


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
