"""Tells whether a recorded message can answer a task of ours, of the same kind as its own task.

In the message, ids, branches and times are replaced by ours. The rest stays, so it must fit
already: "The refund is closed" cannot answer a task whose refund is requested.
"""

import re

from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.gates.submission import UNSUPPORTED
from tests.benchmarks.ecom.recorded.demanded_words import is_time


def can_answer(message: str, truth: Truth) -> bool:
    """Return True if what stays of a recorded message fits a task. `truth` is its right answer."""
    details = truth.for_tests  # What the task was made of: {"status": "requested"}.

    # A refund cannot be approved, because it is requested: "The refund is requested" fits.
    refuses_refund = truth.family.startswith("refund-") and truth.outcome == UNSUPPORTED
    if refuses_refund and "status" in details:
        return tells_state(message, details["status"])

    # The answer must have the word 12: "The maximum is 12" fits, "The maximum is 4" does not.
    # Any time fits, as it is replaced by ours. Several words are SKUs of our shop to choose from:
    # no recorded message has the first one.
    if truth.required_words:
        first_word = truth.required_words[0]
        if not is_time(first_word):
            return has_word(message, first_word)

    # The answer must name 12 percent: "It has 12 % off now" fits, "It has 4 % off now" does not.
    if truth.required_percent:
        return str(truth.required_percent) in re.findall(r"\d+", message)

    # Why a discount is refused: `{"case": "discounted"}` is a basket that has a discount already.
    # All recorded refusals of discounts give this reason.
    if "case" in details:
        return details["case"] == "discounted"

    return True


def has_word(message: str, word: str) -> bool:
    """Return True if a message has this word: "at most 12 percent" has "12", and not "1"."""
    return re.search(rf"\b{word}\b", message) is not None


def tells_state(message: str, state: str) -> bool:
    """Return True if a message says that the refund is in this state, such as "requested".

    "It is requested" -> True. "It must be requested first" -> False: the message says in which
    state the refund should be.
    """
    says_what_should_be = re.search("requires|must|only|before", message) is not None
    return has_word(message, state) and not says_what_should_be
