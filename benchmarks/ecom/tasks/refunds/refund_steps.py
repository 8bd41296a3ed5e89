"""The steps of a refund, and the right answers to requests for one.

A refund belongs to a return of goods, and both are steps of that return: the approval by
an employee takes its status from `approved` to `refund_pending`, the closure by the
customer from there to `closed`. A step is wrong if the return has any other status: then
the right answer changes nothing, and gives that status.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.ecom.tasks.refusals.record_states import state_of
from controlplane.benchmarks.ecom.tasks.truth import Truth, one_of
from controlplane.benchmarks.ecom.world.data import WORDS_FOR
from controlplane.benchmarks.ecom.world.pages import RETURNS
from controlplane.benchmarks.ecom.world.records import Return
from controlplane.benchmarks.ecom.world.rendered_world import text_of_record
from controlplane.benchmarks.ecom.world.world import World
from controlplane.gates.submission import OK, UNSUPPORTED


@dataclass(frozen=True, slots=True)
class RefundStep:
    """One step of a return, such as the approval of its refund. A tool carries it out."""

    verb: str
    """The tool's subcommand in the code: `approve`. A world may have another word for it."""
    status_before: str
    """The status that a return must have for the step."""
    status_after: str
    wrong_statuses: tuple[str, ...]
    """The statuses that forbid the step."""


APPROVAL: Final = RefundStep(
    verb="approve",
    status_before="approved",
    status_after="refund_pending",
    wrong_statuses=("requested", "rejected", "closed", "refund_pending"),
)
CLOSURE: Final = RefundStep(
    verb="close",
    status_before="refund_pending",
    status_after="closed",
    wrong_statuses=("requested", "approved", "rejected", "closed"),
)


def truth_of_step(
    world: World,
    instruction: str,
    returned: Return,
    step: RefundStep,
    for_tests: dict[str, str],
) -> Truth:
    """Return the truth for a step that the asker may order: it depends on the return's status."""
    if returned.status == step.status_before:
        return _done(world, instruction, returned, step, for_tests)
    return _refused_by_status(world, instruction, returned, for_tests)


def _done(
    world: World,
    instruction: str,
    returned: Return,
    step: RefundStep,
    for_tests: dict[str, str],
) -> Truth:
    """Return the truth for a possible step of a return: the tool carries it out once.

    The call is `refund approve ret-0031`.
    """
    payment = world.payments[returned.payment_id]
    next_state = world.names.state(step.status_after)
    return Truth(
        instruction=instruction,
        outcome=OK,
        message=f"Return {returned.id} is {next_state} now.",
        required_statements=(
            one_of(returned.id, payment.id),
            # The new state, or words that people use for the step: `approved`, `closed`
            one_of(next_state, *WORDS_FOR[step.verb]),
        ),
        must_cite=world.paths(payment, returned),
        must_cite_pages=world.page_paths(RETURNS),
        changes={
            world.path(returned): text_of_record(
                world, returned, status=step.status_after
            )
        },
        # Each world has its own word for the tool's subcommand.
        calls=(("refund", world.names.records.verb(step.verb), returned.id),),
        for_tests={**for_tests, "status": next_state},
    )


def _refused_by_status(
    world: World, instruction: str, returned: Return, for_tests: dict[str, str]
) -> Truth:
    """Return the truth for a step that the return's status forbids: the answer gives the status."""
    payment = world.payments[returned.payment_id]
    state = world.names.state(returned.status)
    return Truth(
        instruction=instruction,
        outcome=UNSUPPORTED,
        message=f"Its status is {state}.",
        required_statements=(one_of(state),),
        given_state=state_of(world, returned),
        must_cite=world.paths(payment, returned),
        must_cite_pages=world.page_paths(RETURNS),
        for_tests={**for_tests, "status": state},
    )
