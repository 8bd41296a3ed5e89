"""Right answers to generated tasks of the shop, by which tests check that its grader accepts them.

Each task, such as "Check out basket-0012", is generated together with its `Truth`, by which the
grader scores answers: which tool has to be run, what the message has to say and which files it has
to cite. A model does not see the truth. The functions here do: they read these files, run the
tool and give the message, by the same calls as a model would. Their answer has to score 1.0.
"""

from collections.abc import Callable

from controlplane.agent.evidence import Environment
from controlplane.benchmarks.ecom.tasks.truth import Truth
from tests.benchmarks.ecom.solutions.answers import Answer
from tests.benchmarks.ecom.solutions.measured_solutions import (
    archive_fraud,
    dispatch_wave,
)
from tests.benchmarks.ecom.solutions.reference_client import ReferenceClient

Solution = Callable[[ReferenceClient, Truth], Answer]
"""A function that works on a task by calls of a client, and returns the answer to be submitted.

The solutions here give the right answer. Others give a wrong one, to test that it scores less.
"""


def solution_by_truth(client: ReferenceClient, truth: Truth) -> Answer:
    """Read the files to be cited, make the changes, and answer with the truth's message."""
    client.read_cited(truth)
    if truth.calls:
        # Tools make the changes: `("checkout", "basket-0012")`.
        for tool, *arguments in truth.calls:
            client.run(tool, *arguments)
    else:
        # The client writes the files, or deletes those that have no new text.
        for path, text in truth.changes.items():
            if text is None:
                client.delete(path)
            else:
                client.write(path, text)
    return client.answer(truth, truth.message)


def reference_of(family_name: str) -> Solution:
    """Return the right solution of a family's tasks."""
    if family_name == "archive-fraud":
        return archive_fraud
    if family_name == "dispatch-wave":
        return dispatch_wave
    return solution_by_truth


def reference_answer(environment: Environment, truth: Truth) -> Answer:
    """Solve a task on its environment and return the right answer, without submitting it."""
    solution = reference_of(truth.family)
    return solution(ReferenceClient(environment, truth.names), truth)
