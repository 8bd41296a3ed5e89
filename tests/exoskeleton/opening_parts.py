"""Cases about what is opened at the start, how long calls may take, and how scores are shown."""

from typing import Any

from agent.retry.retry_policy import AttemptDeadlines
from benchmarks.shop.assembly.answer_kinds import answer_kind
from controlplane.report.charts import heat_cell
from sandbox.interface import CallError
from toolkit.layout import followup_helps, followup_reads


def followups(given: dict[str, Any]) -> dict[str, Any]:
    tree, root = given["tree"], given["root"]
    reads = followup_reads(tree, root, opened=given.get("read", ()))
    helps = followup_helps(tree, root, tools=given.get("tools"), helped=given.get("helped", ()))
    return {"calls": [*(f"read {each}" for each in reads), *(f"help {each}" for each in helps)]}


def timeouts(given: dict[str, Any]) -> dict[str, Any]:
    names = {"default_ms": "first_ms", "retry_ms": "second_ms"}
    deadlines = AttemptDeadlines(**{names[key]: value for key, value in given.items() if key in names})
    fails, tries = list(given.get("fails_with", ())), []

    def attempt(bound_ms: int | None) -> None:
        tries.append(bound_ms)
        if fails:
            raise CallError(fails.pop(0), "as the case says")

    try:
        deadlines.call(attempt, asked_ms=given.get("explicit_ms"))
    except CallError:
        return {"tries_ms": tries, "ok": False}
    return {"tries_ms": tries, "ok": True}


def heat(given: dict[str, Any]) -> dict[str, Any]:
    cell = heat_cell(given["score"])
    return {"text": cell.text, "background": cell.background}


def graded_outcome(given: dict[str, Any]) -> dict[str, Any]:
    found = answer_kind(**given)
    if found is None:
        return {}
    return {
        "outcome": found.outcome,
        "changes": found.changes,
        "cites": list(found.cites),
        "tolerated": list(found.tolerates),
        "message": found.holds,
    }


PARTS = {"followups": followups, "timeouts": timeouts, "heat_cell": heat, "graded_outcome": graded_outcome}
