"""Reasons against a step of a return, such as its approval.

A return goes through states in a fixed order: `requested`, `received`, `approved`, `paid`. A
page says with which command it gets from one to the next: "`/bin/refund approve <return_id>`
leads from `received` to `approved`." The command is wrong for a return in another state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from controlplane.benchmarks.shop.faults.tool_commands import Command
from controlplane.benchmarks.shop.texts.document_parts import entries_of
from controlplane.benchmarks.shop.texts.marked_states import marked_states
from controlplane.benchmarks.shop.workspace.policies import lacked_roles
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout


def return_faults(
    layout: ShopLayout, returned: Record, command: Command
) -> Iterator[str]:
    """Yield the reasons why a step of a return cannot be taken.

    "ret_7 is `requested`, and the page asks for `received`". `command` is the command on a page
    that describes the call; its `text` is the page, and its `entry` the paragraph with it.
    """
    # 1. Staff may lack the required role. Another document may have changed the page's roles.
    asker = layout.asker
    if asker.is_staff and not layout.policies.is_amended(command.page):
        roles = lacked_roles(layout, command.entry)
        if roles:
            yield f"{asker.user} has none of the roles {', '.join(sorted(roles))}"

    # 2. The return may be in another state than the page requires. A state that the page does not
    #    mention is not judged.
    all_steps = _steps_of_returns(command.text)
    if len(all_steps) >= LEAST_STEPS:
        required_state = _earlier_state(command.entry, all_steps)
    else:
        required_state = _only_state_above(layout, returned, command)
    known_states = {*all_steps, *marked_states(command.text)}
    is_wrong = returned.state in known_states and returned.state != required_state
    if required_state and is_wrong:
        yield f"{returned.id} is `{returned.state}`, and the page asks for `{required_state}`"


LEAST_STEPS: Final = 4
"""The fewest states in a list of all steps of a return: requested, received, approved, paid.

A paragraph with fewer states only tells from which state to which a command leads.
"""


def _steps_of_returns(page_text: str) -> list[str]:
    """Return the states of a return in order, from the paragraph with the most states in backticks.

    "A return is `requested`, then `received`, `approved` and `paid`." A paragraph with a path,
    such as `/bin/refund`, describes a command and not the order.
    """
    steps: list[str] = []
    for paragraph in entries_of(page_text):
        describes_command = "/" in paragraph
        states = marked_states(paragraph)
        if len(states) > len(steps) and not describes_command:
            steps = states
    return steps


def _earlier_state(entry: str, all_steps: Sequence[str]) -> str:
    """Return the state before a command, which a paragraph names beside the one after it.

    "It becomes `approved` if it is `received`." -> `received`, the earlier of the two in
    `all_steps`. The result is empty if the paragraph names no state of a return.
    """
    states = marked_states(entry)
    for step in all_steps:
        if step in states:
            return step
    return ""


def _only_state_above(layout: ShopLayout, returned: Record, command: Command) -> str:
    """Return the only state in backticks above a command's own paragraph; empty if it has several.

    "For returns that are `received`:" above "- Run `/bin/refund <return_id>`." -> `received`
    """
    # Also in backticks are the asker's roles, and states of linked records: a refund may need
    # a `paid` payment.
    not_states_of_returns = set(layout.asker.roles)
    for link in returned.links():
        linked = layout.records.record(link)
        if linked is not None:
            not_states_of_returns.add(linked.state)
    states = []
    for state in marked_states(" ".join(command.entries_before)):
        # The command's own paragraph may name the state after the command.
        if state not in not_states_of_returns and state not in command.entry:
            states.append(state)
    return states[0] if len(states) == 1 else ""
