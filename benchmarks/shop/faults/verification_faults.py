"""Reasons against restarting the verification of a payment, in which its bank asks the customer.

A payment's record has the state of its verification, the attempts so far, their limit, and
the time of the next one: `{"check": {"state": "locked", "tries": 2, "max_tries": 3,
"retry_at": "2027-03-01T10:00:00Z"}}`. Shops choose the names of these fields.
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

    `command` is the command on a page that describes the call. Its `text` is the page.
    """
    if payment.state not in marked_states(command.text):
        yield f"{payment.id} is `{payment.state}`, of which the page says nothing"
    names = check_fields([payment.data, *layout.kinds.samples(Kind.PAYMENT)])
    if names is None:
        return
    verification = payment.data.get(names.check)
    if not isinstance(verification, dict):
        return
    attempts = verification.get(names.attempts)
    limit = verification.get(names.max_attempts)
    if isinstance(attempts, int) and isinstance(limit, int) and attempts >= limit:
        yield f"{payment.id} has had {attempts} of {limit} attempts"

    # In some states, a restart has to wait for the time in the field `retry_at`.
    state = str(verification.get(names.state, ""))
    retry_at = str(verification.get(names.retry_at, ""))
    all_field_names = {*verification, *payment.data}
    waiting_states = _waiting_states(command.text, names.retry_at, all_field_names)
    # The clock is read only if it matters: it is a tool that has to be run.
    if (
        state in waiting_states and retry_at > layout.clock
    ):  # ISO times compare as texts.
        yield f"its check is `{state}` until {retry_at}, and it is {layout.clock}"


def _waiting_states(
    page_text: str, retry_field: str, field_names: set[str]
) -> set[str]:
    """Return the states in which a page says to wait for the time in a field.

    "If it is `locked`, wait for `retry_at`" -> `locked`, if `retry_at` is the field. The
    state is the last word in backticks before the field, apart from names of other
    fields. Each paragraph may name one state.
    """
    states = set()
    for entry in entries_of(page_text):
        text_before, field, _ = entry.partition(f"`{retry_field}`")
        if not field:
            continue
        for word in reversed(marked_states(text_before)):
            if word not in field_names:
                states.add(word)
                break
    return states
