"""Right answers to generated tasks of the shop, by which tests check that its grader accepts them.

Each task, such as "Check out basket-0012", is generated together with its `Truth`, by which the
grader scores answers: which tool has to be run, what the message has to say and which files it has
to cite. A model does not see the truth. The functions here do: they read these files, run the
tool and give the message, by the same calls as a model would. Their answer has to score 1.0.
"""

import json
from collections.abc import Callable
from dataclasses import replace

from controlplane.agent.evidence import Environment
from controlplane.benchmarks.ecom.tasks.archive.fraud_measure import FraudMeasure
from controlplane.benchmarks.ecom.tasks.dispatch.dispatch_measure import DispatchMeasure
from controlplane.benchmarks.ecom.tasks.dispatch.simulation import Plan
from controlplane.benchmarks.ecom.tasks.truth import Truth
from tests.benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient

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


def archive_fraud(client: ReferenceClient, truth: Truth) -> Answer:
    """Cite every fraudulent row of an export of payments, and state the total.

    A row is cited by the path `/archive/payments.tsv#row=AR-DcV62h`. The measure, by which the
    grader tells how much of the fraud an answer has found, knows the file and its fraudulent rows.
    """
    measure = truth.measure
    assert isinstance(measure, FraudMeasure)

    citations = {}
    for line in client.read(measure.file).splitlines():
        row_id, _payment_id, _created_at, customer, *_ = line.split("\t")
        if row_id in measure.fraud:
            reason = f"row {row_id} of {customer} is fraud"
            citations[f"{measure.file}#row={row_id}"] = reason

    answer = client.answer(truth, truth.message)
    return replace(answer, citations=citations)


def plan_message(plan: Plan) -> str:
    """Return the message that gives a dispatch plan: the route and priority of each package.

    `{"assignments": [{"package_id": "XFER-001", "route": ["lane-a"], "priority": 1}]}`
    """
    assignments = []
    for package_id, (priority, route) in sorted(plan.items()):
        assignments.append(
            {"package_id": package_id, "route": list(route), "priority": priority}
        )
    return json.dumps({"assignments": assignments})


def dispatch_wave(client: ReferenceClient, truth: Truth) -> Answer:
    """Answer with the best known plan for sending a set of packages (a wave).

    It scores 1. Other plans score less, by what they earn in comparison.
    """
    measure = truth.measure
    assert isinstance(measure, DispatchMeasure)
    return client.answer(truth, plan_message(measure.best))


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
