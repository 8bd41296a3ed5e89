"""Right answers to tasks whose answers are measured, and not only right or wrong: fraud and dispatch plans.

    archive_fraud(client, truth).citations  # {"/archive/payments.tsv#row=AR-12": "row AR-12 of ..."}
    dispatch_wave(client, truth).message    # '{"assignments": [{"package_id": "XFER-012", ...}]}'

`truth.measure`, by which the grader scores an answer, knows the best one, which scores 1.
"""

import json
from dataclasses import replace

from controlplane.benchmarks.ecom.tasks.archive import FraudMeasure
from controlplane.benchmarks.ecom.tasks.dispatch.dispatch_task import DispatchMeasure
from controlplane.benchmarks.ecom.tasks.dispatch.simulation import Plan
from controlplane.benchmarks.ecom.tasks.truth import Truth
from tests.benchmarks.ecom.solutions.answers import Answer
from tests.benchmarks.ecom.solutions.reference_client import ReferenceClient


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
