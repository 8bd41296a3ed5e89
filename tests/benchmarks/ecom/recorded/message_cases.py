"""Whether a recorded message fits a task of ours, which is of the same kind as the one that it answers.

Ids, branches and times of a message are replaced by the task's own. A state, a reason or a percentage is
not, so it has to be the task's own already:

    "The return is requested"      fits a refund that is refused because its state is `requested`
    "The maximum is 12 percent"    fits a task whose message must contain 12
    "It has 12 percent off now"    fits a task about a discount of 12 percent
"""

import re

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.gates.submission import UNSUPPORTED
from tests.benchmarks.ecom.recorded.retold_messages import is_time


def is_about_case_of(task: Task, message: str) -> bool:
    """Return True if a message is about the same case as a task."""
    truth = task.truth
    details = truth.for_tests  # what the task was made of: {"status": "requested"}

    is_refused_refund = (
        truth.family.startswith("refund-") and truth.outcome == UNSUPPORTED
    )
    if is_refused_refund and "status" in details:
        return tells_state(message, details["status"])

    if truth.required_words and not is_time(truth.required_words[0]):
        word = truth.required_words[0]
        return re.search(rf"\b{word}\b", message) is not None

    if truth.required_percent:
        return str(truth.required_percent) in re.findall(r"\d+", message)

    # Of our reasons against a discount, the recorded messages have only one: there is one already.
    reason = details.get("case")
    return reason is None or reason == "discounted"


def tells_state(message: str, state: str) -> bool:
    """Return True if a message says that the record is in this state.

    "It is requested" -> True. "It must be approved" -> False: it names a state that the record
    does not have.
    """
    names_rule = re.search("requires|must|only|before", message) is not None
    names_state = re.search(rf"\b{state}\b", message) is not None
    return names_state and not names_rule
