"""The grader: compares a trial's answer, calls and files with the truth of its task.

The truth of "Please check out basket-0012" says which file must change and how, by which
tool, what the answer must cite, and what its message must say. No model is involved. If the
right answer is a refusal or a question, any change in the trial is wrong, even if it was
undone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.disclosure.spellings import visible_text
from controlplane.benchmarks.ecom.tasks.message.message_faults import message_faults
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.gates.submission import OK
from controlplane.local_benchmark.expectation import Expectation
from controlplane.local_benchmark.expected_end import faults_of
from controlplane.local_benchmark.generated_trial import Grade

ALWAYS_CITABLE: Final = frozenset({"/bin/id", "/bin/date"})
"""The tools that any answer may cite: they tell who asks, and the time."""


def grade(truth: Truth, environment: EcomEnvironment) -> Grade:
    """Return the grade of a trial that has ended, with all faults.

    The score is 0 if there is any fault. Otherwise it is 1, or that of `truth.measure`, which
    also explains it in further lines. Without an answer, it is 0.
    """
    # 1. The outcome, an exact message, the citations, and the files at the end
    faults = list(faults_of(expectation_of(truth), environment))
    submission = environment.submission
    if submission is None:
        return Grade(0.0, tuple(faults))
    # 2. The calls that changed something
    faults += _call_faults(truth, environment)
    # 3. A message that is scored, such as a plan, or one that is worded freely
    if truth.measure is not None:
        score, lines = truth.measure.measure(submission.message, submission.refs)
        if faults:
            score = 0.0
        return Grade(round(score, 4), (*faults, *lines))
    if not truth.is_exact:
        faults += message_faults(truth, visible_text(submission.message))
    score = 0.0 if faults else 1.0
    return Grade(score, tuple(faults))


def expectation_of(truth: Truth) -> Expectation:
    """Return the required end of a trial for this truth."""
    return Expectation(
        outcome=truth.outcome,
        message=truth.message if truth.is_exact else None,
        references=frozenset([*truth.must_cite, *truth.must_cite_pages]),
        tolerated=ALWAYS_CITABLE.union(truth.may_cite, truth.tools),
        changes=truth.changes,
        exact_ends=truth.exact_ends,
    )


def _call_faults(truth: Truth, environment: EcomEnvironment) -> Iterator[str]:
    """Yield a fault for changing calls that are forbidden, missing or repeated.

    A change is also a fault if a tool had to make it, but the script wrote the file itself.
    """
    calls = environment.changing_calls
    shown = ", ".join(" ".join(call) for call in calls)
    if truth.outcome != OK and calls:
        yield f"expected no changing call, got [{shown}]"
        return

    tools = [path for operation, path, *_ in calls if operation == "exec"]
    written = [path for operation, path, *_ in calls if operation != "exec"]
    if tools != truth.tools:
        yield (
            f"expected the tools [{' '.join(truth.tools)}] to be run, "
            f"each once and no others, got [{shown}]"
        )
    for path in sorted(set(written) & truth.changes.keys()):
        if truth.tools:
            yield f"expected {path} to be changed by {truth.tools[0]} alone"
        # A text may be written in several parts, but a record must change in one step.
        elif path.endswith(".json") and written.count(path) > 1:
            yield f"expected {path} to be changed once, got [{shown}]"
