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

    `command` is the command on a page that describes the call. Its `text` is the page, and its
    `entry` the paragraph with the command.
    """
    # 1. Staff may lack the required role. Another document may have changed the page's roles.
    asker = layout.asker
    if asker.is_staff and not layout.policies.is_amended(command.page):
        roles = lacked_roles(layout, command.entry)
        if roles:
            yield f"{asker.user} has none of the roles {', '.join(sorted(roles))}"

    # 2. The return may have another state than the page requires. A state that the page does not
    #    mention is not judged.
    steps = _steps_of_returns(command.text)
    required_state = _required_state(layout, returned, command, steps)
    known_states = {*steps, *marked_states(command.text)}
    is_wrong = returned.state in known_states and returned.state != required_state
    if required_state and is_wrong:
        yield f"{returned.id} is `{returned.state}`, and the page asks for `{required_state}`"


def _steps_of_returns(page_text: str) -> list[str]:
    """Return the states of a return in order, from the paragraph with the most states in backticks.

    A paragraph with a path, such as `/bin/refund`, describes a command and not the order.
    """
    steps: list[str] = []
    for entry in entries_of(page_text):
        describes_command = "/" in entry
        states = marked_states(entry)
        if len(states) > len(steps) and not describes_command:
            steps = states
    return steps


LEAST_STEPS: Final = 4
"""The fewest states in a list of all steps of a return: requested, received, approved, paid.

A paragraph with fewer states only tells from which state to which a command leads.
"""


def _required_state(
    layout: ShopLayout, returned: Record, command: Command, steps: Sequence[str]
) -> str:
    """Return the state that a return must have for a command; empty if it is not certain.

    The command's paragraph names the state before the command and the state after it, in
    any order: "It becomes `approved` if it is `requested`." If the page lists all steps
    (`steps`), the one of the two that is earlier in this list is required. Otherwise the
    page must name the required state further up.
    """
    page_lists_all_steps = len(steps) >= LEAST_STEPS
    if not page_lists_all_steps:
        return _only_state_above(layout, returned, command)
    states_in_entry = marked_states(command.entry)
    for step in steps:  # in order, so the earlier state is found first
        if step in states_in_entry:
            return step
    return ""


def _only_state_above(layout: ShopLayout, returned: Record, command: Command) -> str:
    """Return the only state in backticks above a command's own entry.

    The result is empty for none or several. Words in the own entry do not count, because it
    may name the state after the command.
    """
    # The entries also mark words that are no states of returns: the asker's roles, and
    # states of linked records, because a refund may need a `paid` payment.
    not_states_of_returns = set(layout.asker.roles)
    for link in returned.links():
        linked = layout.records.record(link)
        if linked is not None:
            not_states_of_returns.add(linked.state)
    states = []
    for state in marked_states(" ".join(command.entries_before)):
        if state not in not_states_of_returns and state not in command.entry:
            states.append(state)
    return states[0] if len(states) == 1 else ""
