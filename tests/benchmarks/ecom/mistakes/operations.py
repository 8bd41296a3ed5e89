"""Wrong answers typical of the families of operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from benchmarks.ecom.tasks.archive.export_rows import ExportRow
from benchmarks.ecom.tasks.archive.fraud_detection import OWN_CHANNELS, fraud_rows
from benchmarks.ecom.tasks.dispatch.wave_simulation import Plan
from benchmarks.ecom.tasks.dispatch.wave_solver import solve

from benchmarks.ecom.solutions import operations_solutions
from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import Truth
from tests.benchmarks.ecom.mistakes.common_mistakes import Solution


def _citing(chosen: Callable[[list[ExportRow]], list[ExportRow]]) -> Solution:
    def solution(client: ReferenceClient, truth: Truth) -> Answer:
        rows = operations_solutions.export_rows(client, truth)
        return operations_solutions.citing(client, truth, chosen(rows))

    return solution


def archive_fraud_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return answers that take too many rows, too few, or the wrong ones."""

    def others(rows: list[ExportRow]) -> list[ExportRow]:
        return [row for row in rows if row not in fraud_rows(rows)]

    def with_history(rows: list[ExportRow]) -> list[ExportRow]:
        customers = {row.customer_ref for row in fraud_rows(rows)}
        every = [row for row in rows if row.customer_ref in customers]
        return every if len(every) > len(fraud_rows(rows)) else rows

    return {
        "every row": _citing(lambda rows: rows),
        "no row": _citing(lambda rows: []),
        "one row missing": _citing(lambda rows: fraud_rows(rows)[1:]),
        "one innocent row": _citing(lambda rows: [*fraud_rows(rows), others(rows)[0]]),
        "the innocent rows": _citing(others),
        "everything the victims bought": _citing(with_history),
        "what staff took": _citing(lambda rows: [row for row in rows if row.archive_channel not in OWN_CHANNELS][:9]),
    }


def _planning(changed: Callable[[Plan], Plan]) -> Solution:
    def solution(client: ReferenceClient, truth: Truth) -> Answer:
        plan = changed(solve(operations_solutions.wave_of(client, truth)))
        return client.answer(truth, operations_solutions.plan_message(plan))

    return solution


def dispatch_wave_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return plans that leave packages out, do not connect, or are no plan at all."""

    def turned(plan: Plan) -> Plan:
        first, *others = plan.items()
        package, (priority, route) = first
        return {package: (priority, route[::-1] if len(route) > 1 else (*route, *route)), **dict(others)}

    def detailed(client: ReferenceClient, truth: Truth) -> Answer:
        answer = operations_solutions.dispatch_wave(client, truth)
        return replace(answer, message=f"Here is the plan: {answer.message}")

    return {
        "a package left out": _planning(lambda plan: dict(list(plan.items())[1:])),
        "a route the wrong way round": _planning(turned),
        "lanes that do not exist": _planning(lambda plan: dict.fromkeys(plan, (1, ("lane-x",)))),
        "nothing planned": _planning(lambda plan: {}),
        "words around the plan": detailed,
        "words instead of a plan": lambda client, truth: client.answer(truth, "All packages take the direct lane."),
    }


def crosslist_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return reports with a cell, a row or the place wrong."""

    def writing(changed: Callable[[list[str]], list[str]], *, aside: str = "") -> Solution:
        def solution(client: ReferenceClient, truth: Truth) -> Answer:
            lines = operations_solutions.crosslist_of(client, truth).splitlines()
            client.write(truth.inputs["path"] + aside, "\n".join(changed(lines)) + "\n")
            return client.answer(truth, truth.inputs["path"])

        return solution

    return {
        "a row missing": writing(lambda lines: lines[:-1]),
        "a row of totals": writing(lambda lines: [*lines, "total"]),
        "commas": writing(lambda lines: [each.replace("\t", ",") for each in lines]),
        "no header": writing(lambda lines: lines[1:]),
        "everything matched": writing(lambda lines: [*lines[:-1], lines[-1] + " "]),
        "another path": writing(lambda lines: lines, aside=".tsv"),
    }
