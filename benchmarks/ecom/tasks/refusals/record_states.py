"""The states that baskets, payments, returns and card verifications can have.

An answer that must give or hide a state is compared with all of them: of a basket that is
`checked_out`, "it is neither active nor abandoned" tells the state, too. Each world has its
own words for the states; these are those of the code.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.ecom.tasks.answer_secrets import RecordState
from controlplane.benchmarks.ecom.world.everyday_life import CHALLENGES
from controlplane.benchmarks.ecom.world.records import (
    ABANDONED,
    ACTIVE,
    CHECKED_OUT,
    Basket,
    Payment,
    Return,
    Verification,
)
from controlplane.benchmarks.ecom.world.world import World

# All states that each kind of record can have, by their names in the code:
BASKET_STATES: Final = (ACTIVE, ABANDONED, CHECKED_OUT)
PAYMENT_STATES: Final = ("paid", "awaiting_verification")
RETURN_STATES: Final = ("requested", "approved", "rejected", "refund_pending", "closed")


def state_of(world: World, record: Basket | Payment | Return) -> RecordState:
    """Return a record's state and those that it could have instead, in the world's words.

    An active basket -> `RecordState("active", others=("abandoned", "checked_out"))`
    """
    possible_states: tuple[str, ...]
    match record:
        case Basket():
            possible_states = BASKET_STATES
        case Payment():
            possible_states = PAYMENT_STATES
        case Return():
            possible_states = RETURN_STATES
    others = [state for state in possible_states if state != record.status]
    return RecordState(
        actual=world.names.state(record.status),
        others=tuple(world.names.state(state) for state in others),
    )


def verification_state_of(world: World, verification: Verification) -> RecordState:
    """Return the state of a card verification, and those that it could have instead.

    A world may have other words for the states of verifications, hence `of=kind`.
    """
    kind = "verification.state"
    others = [state for state in CHALLENGES if state != verification.state]
    return RecordState(
        actual=world.names.state(verification.state, of=kind),
        others=tuple(world.names.state(state, of=kind) for state in others),
    )
