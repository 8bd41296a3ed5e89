"""Results for programs: the stable JSON that `--json` prints, as docs/reference.md describes it, and JUnit XML."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from controlplane.errors import ControlPlaneError, JournalDamaged, as_usage_error
from controlplane.journal.journal_lines import is_being_written, journal_id
from controlplane.journal.journal_reader import glance_at
from controlplane.journal.run_summary import RunSummary, Spent, TrialSummary
from controlplane.run_comparison import (
    Comparison,
    pass_rates,
    scores_by_family,
    scores_by_world,
    tasks_without_score,
)
from controlplane.sandbox.files import write_whole
from controlplane.terminal_text import sanitize


def run_object(
    summary: RunSummary, journal: Path, error: Exception | None = None
) -> dict[str, Any]:
    """Return the totals of the run at `journal` as plain JSON types."""
    opened, spent = summary.opened, summary.spent
    return {
        "run": journal_id(journal),
        "name": opened.name if opened else "",
        "run_id": summary.run_id,
        "journal": str(journal),
        "benchmark": opened.benchmark if opened else "",
        "played": opened.played if opened else "",
        "model": opened.model if opened else "",
        "state": summary.state,
        "submitted": summary.submitted,
        "ended": summary.ended
        or ("failed" if error else "running" if is_being_written(journal) else "cut off"),
        "score": summary.score,
        "mean_score": summary.mean_score,
        "metrics": summary.metrics,
        "trials_total": len(summary.trials),
        "trials_over": summary.over,
        "trials_scored": len(summary.scores),
        "families": {
            family.name: {"trials": family.trials, "mean_score": family.mean}
            for family in scores_by_family(summary.trials.values())
        },
        "tokens": spent.tokens,
        "cost_usd": spent.cost_usd,
        "cost_per_trial_usd": summary.cost_per_trial_usd,
        "cost_per_right_usd": summary.cost_per_right_usd,
        "unpriced_replies": spent.unpriced,
        "cached_share": spent.cached_share,
        "roles": roles_object(summary.by_role),
        "retries": summary.retries,
        "cached_replies": summary.cached,
        "rejections": dict(sorted(summary.rejections.items())),
        "overridden": dict(sorted(summary.overridden.items())),
        "protests": dict(sorted(summary.overridden.items())),  # its name in earlier versions
        "stopped_calls": summary.call_ends.get("check", {}),
        "held_calls": summary.call_ends.get("provenance", {}),
        "last_event_ms": summary.last_ms,
        "error": str(error or summary.error),
    }


def object_of(journal: Path) -> dict[str, Any]:
    """Return the totals of a journal; its end is `damaged` or `no journal` if the file cannot be read as one."""
    try:
        return run_object(glance_at(journal), journal)  # rejections are in the steps
    except ControlPlaneError as error:
        ended = "damaged" if isinstance(error, JournalDamaged) else "no journal"
        return run_object(RunSummary(), journal, error) | {"ended": ended}


def roles_object(by_role: Mapping[str, Spent]) -> dict[str, dict[str, int | float | None]]:
    """Return tokens and cost of each role's replies."""
    return {
        role: {"replies": spent.replies, "tokens": spent.tokens, "cost_usd": spent.cost_usd}
        for role, spent in sorted(by_role.items())
    }


def print_result(
    summary: RunSummary, journal: Path, error: Exception | None = None, **further: object
) -> None:
    """Print the run and its trials, in the order of their allotment, as one JSON object.

    Trials are printed one by one: a journal may declare thousands.
    """
    rates = [
        dataclasses.asdict(rate) for rate in pass_rates(scores_by_world(summary.trials.values()))
    ]
    missing = list(tasks_without_score(summary.trials.values()))
    head = {
        **run_object(summary, journal, error),
        **further,
        "pass_rates": rates,
        "without_score": missing,
    }
    print(json.dumps(head)[:-1], end=', "trials": [')
    for number, trial in enumerate(summary.trials.values()):
        print(", " if number else "", json.dumps(trial_result(trial)), sep="", end="")
    print("]}")


def trial_result(trial: TrialSummary) -> dict[str, object]:
    return {
        "trial_id": trial.trial_id,
        "task_id": trial.task_id,
        "family": trial.family,
        "world": trial.number,
        "repeat": trial.repeat,
        "state": trial.state,
        "score": trial.score,
        "details": list(trial.details),
        "metrics": dict(trial.metrics),
        "outcome": trial.outcome,
        "answer": trial.answer,
        "refs": list(trial.refs),
        "steps": trial.step,
        "elapsed_ms": trial.elapsed_ms,
        "tokens": trial.spent.tokens,
        "cost_usd": trial.spent.cost_usd,
        "cached_share": trial.spent.cached_share,
        "roles": roles_object(trial.by_role),
        "rejections": dict(sorted(trial.rejections.items())),
        "overridden": dict(sorted(trial.overridden.items())),
        "protests": dict(sorted(trial.overridden.items())),  # its name in earlier versions
        **{
            name: [
                {"operation": operation, "path": path, "then": then}
                for (by, operation, path, _), then in trial.stopped.items()
                if by == wanted
            ]
            for name, wanted in (("stopped_calls", "check"), ("held_calls", "provenance"))
        },
        "fallback_failed": list(trial.failed),
        "reason": trial.reason,
    }


class JUnitCase(NamedTuple):
    """One test case."""

    name: str
    elapsed_s: float = 0.0
    result: str = "passed"
    """`passed`, `failure`, `error` or `skipped`."""
    message: str = ""


def cases_of_run(summary: RunSummary) -> list[JUnitCase]:
    """Return a case for each trial: passed at score 1, failed below, an error without an answer, skipped if sealed."""
    cases = []
    for trial in summary.trials.values():
        if trial.state != "answered":
            result = "error", f"{trial.state}: {trial.why}"
        elif trial.score is None:
            result = "skipped", "its score is sealed"
        else:
            result = (
                ("passed", "")
                if trial.score >= 1
                else ("failure", f"score {trial.score:.3f}: {trial.why}")
            )
        cases.append(JUnitCase(_case_name(trial), trial.elapsed_ms / 1000, *result))
    return cases


def _case_name(trial: TrialSummary) -> str:
    """Return a name that stays the same from run to run: the task, and the numbers of world and try behind it."""
    numbers = [("world", trial.number or 0), ("try", trial.repeat)]
    further = ", ".join(f"{what} {number + 1}" for what, number in numbers if number)
    return f"{trial.task}{f' ({further})' if further else ''}"


def cases_of_comparison(comparison: Comparison) -> list[JUnitCase]:
    """Return a case for each compared task: failed if it became worse, skipped if a score is missing."""
    worse = {
        task.task: f"{task.first.mean:.3f} before, {task.second.mean:.3f} after"
        for task in comparison.worse
    }
    cases = [
        JUnitCase(
            task.task, 0.0, "failure" if task.task in worse else "passed", worse.get(task.task, "")
        )
        for task in comparison.tasks
    ]
    return cases + [
        JUnitCase(task, 0.0, "skipped", "without a score in both runs")
        for task in comparison.without_score
    ]


def write_junit(path: Path, suite: str, cases: list[JUnitCase], **properties: str) -> None:
    """Write `cases` to `path`, with `properties` of the suite. Raises `UsageError` if it cannot be written."""
    from xml.etree import ElementTree  # It takes memory, and few runs write this file.

    counts = Counter(case.result for case in cases)
    kinds = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    sums = {"tests": str(len(cases)), "time": f"{sum(case.elapsed_s for case in cases):.3f}"}
    sums |= {name: str(counts[kind]) for name, kind in kinds.items()}
    root = ElementTree.Element("testsuite", name=sanitize(suite), attrib=sums)
    if properties:
        listed = ElementTree.SubElement(root, "properties")
        for name, value in properties.items():
            ElementTree.SubElement(listed, "property", name=name, value=sanitize(value))
    for case in cases:
        attributes = {
            "classname": sanitize(suite),
            "name": sanitize(case.name),
            "time": f"{case.elapsed_s:.3f}",
        }
        element = ElementTree.SubElement(root, "testcase", attributes)
        if case.result != "passed":
            ElementTree.SubElement(element, case.result, message=sanitize(case.message))
    with as_usage_error(f"--junit: cannot write {path}", OSError):
        write_whole(path, ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))
