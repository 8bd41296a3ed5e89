"""Messages of recorded right answers, graded in our own worlds: our grader should accept them.

A message was written in a *world* of the public benchmark, a shop with its own records. For a task of
ours of the same kind, it is retold with the task's own names, and given as the answer:

    RightMessage("foreign-basket: asked by a guest", request, "basket-0021 is not at PowerTools Graz Lend")
    -> "basket-0412 is not at Veerhaven Noord" -> [], if our grader accepts the message
"""

from dataclasses import replace
from typing import Final

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from tests.benchmarks.ecom.recorded.message_cases import can_answer
from tests.benchmarks.ecom.recorded.own_names import names_of
from tests.benchmarks.ecom.recorded.public_outlines import PUBLIC_NAMES
from tests.benchmarks.ecom.recorded.recorded_messages import RightMessage
from tests.benchmarks.ecom.recorded.retold_messages import retold
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
        if not can_answer(recorded.message, task.truth):
            continue

        environment = EcomEnvironment(workspace_of(task.world))
        answer = reference_answer(environment, task.truth)
        message = retold(recorded.message, recorded.request, names_of(task))
        environment.answer(message, answer.outcome, answer.refs)

        truth = task.truth
        if not with_statements:
            truth = replace(truth, required_statements=(), required_percent=0)
        for line in grade(truth, environment).details:
            faults.append(f"{environment.submission}: {line}")
    return faults
