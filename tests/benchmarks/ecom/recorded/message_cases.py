"""Finds the recorded messages that may answer a generated task.

A message was recorded as the answer to another task of the same kind. Its ids, branches and times are
replaced by those of the generated task. The rest stays, so it has to fit already:

    generated task                                  recorded message                 fits
    refuses a refund whose state is `requested`     "The refund is requested"        yes
    refuses a refund whose state is `requested`     "The refund is closed"           no
    its answer must have the word 12                "The maximum is 12 percent"      yes
    its answer must name 12 percent                 "It has 12 percent off now"      yes
    its answer must name 12 percent                 "It has 4 percent off now"       no
"""

import re

from controlplane.benchmarks.ecom.tasks.truth import Task, Truth
from controlplane.gates.submission import UNSUPPORTED
from tests.benchmarks.ecom.recorded.retold_messages import is_time


def is_about_case_of(task: Task, message: str) -> bool:
    """Return True if what stays of the message fits the task, as in the table above."""
    truth = task.truth
    details = truth.for_tests  # What the task was made of: {"status": "requested"}.

    if is_refused_refund(truth) and "status" in details:
        return tells_state(message, details["status"])

    if truth.required_words:
        first_word = truth.required_words[0]
        # A time in the message is replaced by the task's own time, so it always fits.
        if not is_time(first_word):
            return has_word(message, first_word)

    if truth.required_percent:
        numbers = re.findall(r"\d+", message)
        return str(truth.required_percent) in numbers

    if "case" in details:
        # Why the shop refuses the discount. All recorded refusals give the same reason: the basket
        # has a discount already. They do not fit a task with another reason.
        return details["case"] == "discounted"

    return True


def is_refused_refund(truth: Truth) -> bool:
    """Return True if the right answer refuses to approve or to close a refund."""
    return truth.family.startswith("refund-") and truth.outcome == UNSUPPORTED


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
