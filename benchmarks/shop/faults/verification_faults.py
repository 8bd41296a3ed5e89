"""Reasons against restarting the verification of a payment, in which its bank asks the customer.

A payment's record has the bank's check: `{"check": {"state": "locked", "tries": 2, "max_tries": 3,
"retry_at": "2027-03-01T10:00:00Z"}}`. It cannot be restarted after the last attempt, or, if the
shop's page says so, before the time in `retry_at`. Shops choose the names of these fields.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.benchmarks.shop.faults.tool_commands import Command
from controlplane.benchmarks.shop.texts.document_parts import entries_of
from controlplane.benchmarks.shop.texts.marked_states import marked_states
from controlplane.benchmarks.shop.workspace.fields.check_fields import check_fields
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout


def verification_faults(
    layout: ShopLayout, payment: Record, command: Command
) -> Iterator[str]:
    """Yield the reasons why a payment's verification cannot be restarted.

    `pay_7 has had 3 of 3 attempts`. `command` is the command on a page that describes the
    call; its `text` is the page.
    """
    if payment.state not in marked_states(command.text):
        yield f"{payment.id} is `{payment.state}`, of which the page says nothing"
    fields = check_fields([payment.data, *layout.kinds.samples(Kind.PAYMENT)])
    if fields is None:
        return
    check = payment.data.get(fields.check)
    if not isinstance(check, dict):
        return

    # 1. Are attempts left?
    attempts = check.get(fields.attempts)
    limit = check.get(fields.max_attempts)
    if isinstance(attempts, int) and isinstance(limit, int) and attempts >= limit:
        yield f"{payment.id} has had {attempts} of {limit} attempts"
        return  # No time makes it right, so the clock, which may fail, is not read.

    # 2. Does the page say to wait, in the state of the check, for the time of the next attempt?
    state = str(check.get(fields.state, ""))
    retry_at = str(check.get(fields.retry_at, ""))
    field_names = {*check, *payment.data}
    if state not in _waiting_states(command.text, fields.retry_at, field_names):
        return
    # The clock is a tool that has to be run, so it is read last. ISO times compare as texts.
    if retry_at > layout.clock:
        yield f"its check is `{state}` until {retry_at}, and it is {layout.clock}"


def _waiting_states(
    page_text: str, retry_field: str, field_names: set[str]
) -> set[str]:
    """Return the states in which a page says to wait for the time in a field.

    "If its `state` is `locked`, wait for `retry_at`" -> `locked`, if `retry_at` is the field: the
    last word in backticks before the field that is not the name of a field itself. Each
    paragraph may name one state.
    """
    states = set()
    for paragraph in entries_of(page_text):
        text_before, field, _ = paragraph.partition(f"`{retry_field}`")
        if not field:
            continue
        for word in reversed(marked_states(text_before)):
            if word not in field_names:
                states.add(word)
                break
    return states
