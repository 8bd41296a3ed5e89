"""Messages of recorded right answers, graded in shops of our own: our grader should accept them.

    recorded message                      "basket-0021 is not at PowerTools Graz Lend"
    retold with the names of our shop     "basket-0412 is not at Veerhaven Noord"
    what our grader objects to            []

The answers were given to tasks of the public shop benchmark, which our tasks imitate.
"""

from dataclasses import replace
from typing import Final

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from tests.benchmarks.ecom.recorded.message_cases import can_answer
from tests.benchmarks.ecom.recorded.own_names import names_of
from tests.benchmarks.ecom.recorded.public_outlines import PUBLIC_NAMES
from tests.benchmarks.ecom.recorded.recorded_messages import RightMessage
from tests.benchmarks.ecom.recorded.retold_messages import retold
from tests.benchmarks.ecom.solutions.reference_solutions import reference_answer
from tests.benchmarks.ecom.variants import generate_variant

WORLDS_PER_MESSAGE: Final = 2
"""The number of our tasks that a message answers."""


def faults_in_our_worlds(recorded: RightMessage, *, with_statements: bool) -> list[str]:
    """Return what our grader objects to if a recorded message answers our tasks of the same kind.

    Each task is in a *world*, a shop with its own names and records. Only our pages ask a message to
    state the record and what was done. That is graded only `with_statements`.
    """
    faults = []
    for seed in range(WORLDS_PER_MESSAGE):
        task = generate_variant(recorded.variant_id, f"recorded|{seed}", PUBLIC_NAMES)
        # "The refund is closed" cannot answer a task whose refund is open.
        if not can_answer(recorded.message, task.truth):
            continue

        shop = EcomEnvironment(workspace_of(task.world))
        right_answer = reference_answer(shop, task.truth)
        message = retold(recorded.message, recorded.request, names_of(task))
        shop.answer(message, right_answer.outcome, right_answer.refs)

        truth = task.truth
        if not with_statements:
            truth = without_statements(truth)
        for line in grade(truth, shop).details:
            faults.append(f"{shop.submission}: {line}")
    return faults


def without_statements(truth: Truth) -> Truth:
    """Return the truth without the statements and the percentage that its message must have.

    A percentage states what was done: "It has 12 percent off now."
    """
    return replace(truth, required_statements=(), required_percent=0)
