"""JUnit XML of a run or a comparison, for continuous integration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from controlplane.errors import as_usage_error
from controlplane.facts.trial_facts import TrialFacts
from controlplane.quantity_texts import score_text
from controlplane.run_comparison.results import Comparison
from controlplane.sandbox.files import check_writable, write_whole
from controlplane.terminal_text import sanitize


class _JUnitCase(NamedTuple):
    """A test case of the JUnit file."""

    name: str
    result: str
    """`passed`, `failure`, `error` or `skipped`."""
    message: str = ""
    elapsed_s: float = 0.0


def cases_of_run(trials: Iterable[TrialFacts]) -> list[_JUnitCase]:
    """Return a case for each trial of a run.

    A score of 1 is passed, and a lower score is a failure. A trial without an answer, or without
    a score for good, is an error. If the benchmark still hides the score (sealed), the case is skipped.
    """
    cases = []
    for trial in trials:
        message = ""
        why = "; ".join(trial.reasons)
        if not trial.has_answer:
            result = "error"
            message = f"{trial.state}: {why}"
        elif trial.unscored:
            result = "error"
            message = f"no score: {why}"
        elif trial.score is None:
            result = "skipped"
            message = "its score is sealed"
        elif trial.has_full_score:
            result = "passed"
        else:
            result = "failure"
            message = f"score {score_text(trial.score, 3)}: {why}"
        cases.append(
            _JUnitCase(_case_name(trial), result, message, trial.elapsed_ms / 1000)
        )
    return cases


def _case_name(trial: TrialFacts) -> str:
    """Return a name that is the same in every run, such as `letters.3 (world 2, try 3)`.

    The first world and the first try are not mentioned.
    """
    numbers = []
    if trial.world:
        numbers.append(f"world {trial.world + 1}")
    if trial.repeat:
        numbers.append(f"try {trial.repeat + 1}")
    if not numbers:
        return trial.task
    return f"{trial.task} ({', '.join(numbers)})"


def cases_of_comparison(comparison: Comparison) -> list[_JUnitCase]:
    """Return a case for each compared task.

    A task that became worse is a failure. A task that lacks a score in a run is skipped.
    """
    cases = []
    for task in comparison.tasks:
        case = _JUnitCase(task.task, "passed")
        if task.change == "worse":
            message = f"{task.first.mean:.3f} before, {task.second.mean:.3f} after"
            case = _JUnitCase(task.task, "failure", message)
        cases.append(case)
    reason = "without a score in both runs"
    return cases + [_JUnitCase(name, "skipped", reason) for name in comparison.left_out]


def check_junit_file(path: Path) -> None:
    """Raise `UsageError` if `write_junit` could not write the file. A run calls it before its trials."""
    with as_usage_error(f"--junit: cannot write {path}", OSError):
        check_writable(path)


def write_junit(
    path: Path, suite: str, cases: list[_JUnitCase], **properties: str
) -> None:
    """Write `cases` as JUnit XML to `path`, with `properties` of the suite, such as `model="m"`.

    CI systems show such files as tests: a trial with a low score is a failed test. Raises `UsageError` if the file cannot be written.
    """
    # It takes memory, and few runs need it.
    from xml.etree.ElementTree import Element, SubElement, tostring

    counts = Counter(case.result for case in cases)
    root = Element(
        "testsuite",
        name=suite,
        tests=str(len(cases)),
        time=f"{sum(case.elapsed_s for case in cases):.3f}",
        failures=str(counts["failure"]),
        errors=str(counts["error"]),
        skipped=str(counts["skipped"]),
    )
    if properties:
        group = SubElement(root, "properties")
        for name, value in properties.items():
            SubElement(group, "property", name=name, value=value)
    for case in cases:
        time = f"{case.elapsed_s:.3f}"
        test = SubElement(root, "testcase", classname=suite, name=case.name, time=time)
        if case.result != "passed":
            SubElement(test, case.result, message=case.message)
    for element in root.iter():
        for name, value in element.items():
            element.set(name, sanitize(value))

    content = tostring(root, encoding="utf-8", xml_declaration=True)
    with as_usage_error(f"--junit: cannot write {path}", OSError):
        write_whole(path, content)
