"""Refused discounts, whose message should name the largest one allowed: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.
How a message is worded is free. So `message_changes` says if it changed at all, and `message_holds` has
parts of it. `steps` are notes of earlier steps.

    {"part": "discount_cap",
     "input": {"outcome": "UNSUPPORTED", "message": "That is too much.",
               "steps": ["max allowed discount is 12%"]},
     "expect": {"outcome": "UNSUPPORTED", "message_changes": True, "message_holds": ["12"]}}
"""

from collections.abc import Sequence

from controlplane.agent.exoskeleton import Completion
from controlplane.benchmarks.shop.payments.discount_limits import with_largest_discount
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.outcomes import OUTCOMES, WORDS_BY_OUTCOME, changed_message


@answers_part("discount_cap")
def cap_discount(outcome: str, message: str, steps: Sequence[str] = ()) -> Output:
    """Let a refused discount name the largest one that is allowed, as notes (`steps`) have it."""
    answer = Completion(
        outcome=OUTCOMES.get(outcome, outcome), message=message, notes="\n".join(steps)
    )

    capped = with_largest_discount(answer)

    word = WORDS_BY_OUTCOME.get(capped.outcome, capped.outcome)
    return {**changed_message(message, capped.message), "outcome": word}
