"""Tells whether a recorded message can answer a task of ours, of the same kind as its own task.

In the message, ids, branches and times are replaced by ours. The rest stays, so it must fit already:
"The refund is closed" cannot answer a task whose refund is requested.
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
    # If the word is a time, any message fits: its time is replaced by ours.
    if truth.required_words:
        word = truth.required_words[0]
        if not is_time(word):
            return has_word(message, word)

    # The answer must name 12 percent: "It has 12 % off now" fits, "It has 4 % off now" does not.
    if truth.required_percent:
        return str(truth.required_percent) in re.findall(r"\d+", message)

    # The discount is refused. All recorded refusals say that the basket has a discount already.
    if "case" in details:
        return details["case"] == "discounted"

    return True


def has_word(message: str, word: str) -> bool:
    """Return True if a message has this word: "at most 12 percent" has "12", and not "1"."""
    return re.search(rf"\b{word}\b", message) is not None


def tells_state(message: str, state: str) -> bool:
    """Return True if a message says that the refund is in this state, such as "requested".

    "It is requested" -> True. "It must be requested first" -> False: this says in which state it
    should be, and not in which it is.
    """
    names_rule = re.search("requires|must|only|before", message) is not None
    return has_word(message, state) and not names_rule
