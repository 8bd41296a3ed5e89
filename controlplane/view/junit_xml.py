"""Writes results as JUnit XML for continuous integration: a case for each trial, or each compared task."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal
from xml.etree import ElementTree

from controlplane.comparison.run_comparison import Comparison
from controlplane.errors import UsageError
from controlplane.journal.run_summary import RunSummary, TrialSummary

_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class JUnitCase:
    """One test case."""

    name: str
    elapsed_s: float = 0.0
    result: Literal["passed", "failure", "error", "skipped"] = "passed"
    message: str = ""


def cases_of_run(summary: RunSummary) -> list[JUnitCase]:
    """Return a case for each trial: passed at score 1, failed below, an error without an answer, skipped if sealed."""
    return [_case(trial) for trial in summary.trials.values()]


def _case(trial: TrialSummary) -> JUnitCase:
    name, elapsed_s = trial.trial_id, trial.elapsed_ms / 1000
    words = "; ".join(filter(None, (trial.reason, *trial.details)))
    if trial.state != "answered":
        return JUnitCase(name, elapsed_s, "error", f"{trial.state}: {words}")
    if trial.score is None:
        return JUnitCase(name, elapsed_s, "skipped", "its score is sealed")
    if trial.score < 1:
        return JUnitCase(name, elapsed_s, "failure", f"score {trial.score:.3f}: {words}")
    return JUnitCase(name, elapsed_s)


def cases_of_comparison(found: Comparison) -> list[JUnitCase]:
    """Return a case for each compared task: failed if it became worse, skipped if a score is missing."""
    worse = {task.task: f"{task.first.mean:.3f} before, {task.second.mean:.3f} after" for task in found.worse}
    cases = [
        JUnitCase(task.task, 0.0, "failure" if task.task in worse else "passed", worse.get(task.task, ""))
        for task in found.tasks
    ]
    return cases + [JUnitCase(task, 0.0, "skipped", "without a score in both runs") for task in found.without_score]


def write_junit(path: Path, suite: str, cases: list[JUnitCase]) -> None:
    """Write `cases` to `path`. Raises `UsageError` if it cannot be written."""
    counts = {kind: str(sum(case.result == kind for case in cases)) for kind in ("failure", "error", "skipped")}
    root = ElementTree.Element(
        "testsuite",
        name=_clean(suite),
        tests=str(len(cases)),
        failures=counts["failure"],
        errors=counts["error"],
        skipped=counts["skipped"],
        time=f"{sum(case.elapsed_s for case in cases):.3f}",
    )
    for case in cases:
        attributes = {"classname": _clean(suite), "name": _clean(case.name), "time": f"{case.elapsed_s:.3f}"}
        element = ElementTree.SubElement(root, "testcase", attributes)
        if case.result != "passed":
            ElementTree.SubElement(element, case.result, message=_clean(case.message))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        msg = f"cannot write {path}: {error.strerror}; name another file with --junit"
        raise UsageError(msg) from error


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", text)
