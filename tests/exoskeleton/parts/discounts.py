"""Answers to recorded cases about refused discounts.

    discount_cap   a refusal, and the note "max allowed discount is 12%" -> a message with the 12 %

How a message is worded is free, so the output says whether it changed at all.

A case is a recorded input of another solver with its output. `@answers_part` marks the function that
answers the cases of one part: it gets the input by its keys, and returns this project's output.
"""

from collections.abc import Sequence

from controlplane.agent.exoskeleton import Completion
from controlplane.benchmarks.shop.payments.discount_limits import with_largest_discount
from tests.exoskeleton.parts.outcomes import OUTCOMES, WORDS_BY_OUTCOME, changed_message
from tests.exoskeleton.recorded_cases import Output, answers_part


@answers_part("discount_cap")
def cap_discount(outcome: str, message: str, steps: Sequence[str] = ()) -> Output:
    """Let a refused discount name the largest one that is allowed, as notes (`steps`) have it."""
    answer = Completion(
        outcome=OUTCOMES.get(outcome, outcome), message=message, notes="\n".join(steps)
    )

    capped = with_largest_discount(answer)

    word = WORDS_BY_OUTCOME.get(capped.outcome, capped.outcome)
    return {**changed_message(message, capped.message), "outcome": word}
