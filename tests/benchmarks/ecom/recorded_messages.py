"""Messages of recorded right answers, given in our own worlds: our grader should accept them.

A message was written in a world of the public benchmark, and names its records: "basket-0021 is
not at PowerTools Graz Lend". For a task of ours of the same kind, it is retold with the task's own
names: "basket-0412 is not at Veerhaven Noord". Then our grader judges it.

    for recorded in right_messages(): faults_in_our_worlds(recorded, with_statements=False)
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.gates.submission import UNSUPPORTED
from tests.benchmarks.ecom.public_tasks import OUR_VARIANTS, listed_number
from tests.benchmarks.ecom.recorded_answers import number_of, read_rows
from tests.benchmarks.ecom.reference_solutions import generate_variant, reference_answer
from tests.benchmarks.ecom.retold_messages import is_time, retold_for
from tests.benchmarks.ecom.truth_outlines import PUBLIC_NAMES

FREELY_WORDED: Final = frozenset(
    {9, 10, 12, 13, 17, 18, 19, 40, 79, *range(82, 89), 92, *range(95, 101)}
)
"""The numbers in `OUR_VARIANTS` of public tasks whose right messages may be worded freely."""
SIGNS_OF_A_BLOCK: Final = ("<", "[[", "Quoted", "BEGIN", "---", "# ", "上", "模型")
"""Texts that only requests with a block contain: a text that poses as an instruction."""
WORLDS_PER_MESSAGE: Final = 2


class RightMessage(NamedTuple):
    """The message of a recorded answer that passed."""

    variant_id: str
    """Our variant of the task with the same outcome."""
    request: str
    message: str


def right_messages() -> Iterator[RightMessage]:
    """Yield the freely worded messages of recorded right answers, each once per task."""
    yielded = set()
    for row in read_rows():
        number = listed_number(number_of(row))
        if row["score"] != 1 or number not in FREELY_WORDED:
            continue
        # With a block, the right answer is about the block, and not about the request.
        if any(sign in row["task_text"] for sign in SIGNS_OF_A_BLOCK):
            continue
        variant_id = variants_by_outcome(number).get(row["outcome"])
        if variant_id is None:
            continue
        if (number, row["message"]) not in yielded:
            yielded.add((number, row["message"]))
            yield RightMessage(variant_id, row["task_text"], row["message"])


@cache
def variants_by_outcome(listed_number: int) -> Mapping[str, str]:
    """Return our first variant of a public task for each outcome.

    `{OK: "staff-count: one branch"}`
    """
    variants: dict[str, str] = {}
    for variant_id in OUR_VARIANTS[listed_number]:
        task = generate_variant(variant_id, "outcome", PUBLIC_NAMES)
        variants.setdefault(task.truth.outcome, variant_id)
    return variants


# Grading a recorded message ------------------------------------------------------------------


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
