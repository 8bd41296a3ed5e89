"""Messages of recorded right answers, graded in our own worlds: our grader should accept them.

A message was written in a world of the public benchmark, and names its records. For a task of ours of
the same kind, it is retold with the task's own names. Then our grader judges it:

    faults_in_our_worlds(recorded, with_statements=False)  # [] if it accepts the message
"""

import re
from dataclasses import replace
from typing import Final

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.gates.submission import UNSUPPORTED
from tests.benchmarks.ecom.recorded.recorded_messages import RightMessage
from tests.benchmarks.ecom.recorded.retold_messages import is_time, retold_for
from tests.benchmarks.ecom.recorded.task_outlines import PUBLIC_NAMES
from tests.benchmarks.ecom.solutions.reference_solutions import reference_answer
from tests.benchmarks.ecom.variants import generate_variant

WORLDS_PER_MESSAGE: Final = 2


def faults_in_our_worlds(recorded: RightMessage, *, with_statements: bool) -> list[str]:
    """Return what our grader objects to if a recorded message is given in our worlds.

    Our shop's pages demand more than the public ones: a message must state the record and what was
    done. That is graded only `with_statements`, because recorded messages need not do it.
    """
    faults = []
    for seed in range(WORLDS_PER_MESSAGE):
        task = generate_variant(recorded.variant_id, f"recorded|{seed}", PUBLIC_NAMES)
        if not is_about_case_of(task, recorded.message):
            continue

        environment = EcomEnvironment(workspace_of(task.world))
        answer = reference_answer(environment, task.truth)
        message = retold_for(task, recorded.message, recorded.request)
        environment.answer(message, answer.outcome, answer.refs)

        truth = task.truth
        if not with_statements:
            truth = replace(truth, required_statements=(), required_percent=0)
        for line in grade(truth, environment).details:
            faults.append(f"{environment.submission}: {line}")
    return faults


def is_about_case_of(task: Task, message: str) -> bool:
    """Return True if a message is about the same case as a task.

    `retold_for` replaces ids and times, but not a state, a reason or a percentage: those
    must be the task's own already. `truth.for_tests` has what the task was made of, such as
    `{"status": "requested"}`.
    """
    truth = task.truth
    details = truth.for_tests

    # "The return is requested" fits a refund that is refused because of this state.
    is_refused_refund = (
        truth.family.startswith("refund-") and truth.outcome == UNSUPPORTED
    )
    if is_refused_refund and "status" in details:
        return tells_state(message, details["status"])

    # "The maximum is 12 percent" fits a task whose maximum is 12. Times are replaced.
    if truth.required_words and not is_time(truth.required_words[0]):
        word = truth.required_words[0]
        return re.search(rf"\b{word}\b", message) is not None

    # "It has 12 percent off now" fits a task about a discount of 12 percent.
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
