"""Cases about what is opened at the start, how long calls may take, and how scores are shown."""

from typing import Any

from agent.retry.retry_policy import AttemptDeadlines
from benchmarks.shop.preflight import answer_kind
from controlplane.report.report_file import heat_cell
from sandbox.interface import CallError
from toolkit.layout import followup_helps, followup_reads


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


def files_of(node: dict[str, Any], path: str) -> list[str]:
    children = node.get("children", [])
    if not children and not node.get("is_dir"):
        return [path]
    return [file for child in children for file in files_of(child, f"{path.rstrip('/')}/{child['name']}")]


def followups(given: dict[str, Any]) -> dict[str, Any]:
    files = files_of(given["tree"] | {"is_dir": True}, given["root"])
    reads = followup_reads(files, opened=given.get("read", ()))
    helps = followup_helps(files, tools=given.get("tools"), helped=given.get("helped", ()))
    return {"calls": [*(f"read {path}" for path in reads), *(f"help {path}" for path in helps)]}


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


PARTS = {"followups": followups, "graded_outcome": graded_outcome, "timeouts": timeouts, "heat_cell": heat}
