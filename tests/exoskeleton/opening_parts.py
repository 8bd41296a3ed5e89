"""Cases about what is opened at the start, how long calls may take, and how scores are shown."""

from typing import Any

from agent.retry.retry_policy import AttemptDeadlines
from controlplane.report.charts import heat_cell
from sandbox.interface import CallError


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


PARTS = {"timeouts": timeouts, "heat_cell": heat}
