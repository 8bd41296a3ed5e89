"""Refusals of a discount, which have to name the largest one that is allowed.

A case has the outcome and the message of an answer, and the notes that were made before it:

    {"part": "discount_cap",
     "input": {"outcome": "UNSUPPORTED", "message": "That is too much.",
               "steps": ["max allowed discount is 12%"]},
     "expect": {"outcome": "UNSUPPORTED", "message_changes": True, "message_holds": ["12"]}}
"""

from collections.abc import Sequence

from controlplane.benchmarks.shop.payments import with_largest_discount
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.findings import answer_of, output_of


@answers_part("discount_cap")
def cap_discount(outcome: str, message: str, steps: Sequence[str] = ()) -> Output:
    """Add the limit that the notes (`steps`) state: "That is too much. max allowed discount is 12%"."""
    answer = answer_of(outcome, message, notes=steps)

    capped = with_largest_discount(answer)

    return output_of(capped, old_message=message)
