"""Whether our own tasks judge recorded answers as the grader of the public shop benchmark did.

Our tasks imitate the public ones. Each has a truth, which says what a right answer is. If the
public grader refused an answer because it lacks a page, our truth should demand this page, too.
The worlds of recorded answers are unknown, so outlines are compared: truths without the world.

    agreement_on(answer)  # Agreement(is_alike=False, difference="ours rejects: missing basket")
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from tests.benchmarks.ecom.recorded_answers import RecordedAnswer, kind_of
from tests.benchmarks.ecom.truth_outlines import TruthOutline, outlines_for

MISSING_REFERENCE: Final = re.compile(r"missing required reference '(.*)'")
"""A line of the public grader: `answer missing required reference '/docs/security.md'`."""
WRONG_RECORDS: Final = re.compile(
    r"answer refs for family .* mismatch: missing \[(.*?)\], extra \[(.*?)\]"
)
"""A line of the public grader on the cited records of one folder:
`answer refs for family "/proc/carts" mismatch: missing [], extra [/proc/carts/basket-1.json]`.
"""
RECORD_PATH: Final = re.compile(r"/(?:proc|uploads|storage)/[^'\",\]]+")
"""The path of a record in a line of the public grader."""


class Agreement(NamedTuple):
    """Whether our truths judge an answer as the public grader did."""

    is_alike: bool
    difference: str = ""
    """How the verdicts differ, if they do: `ours rejects: missing basket`."""


AGREED: Final = Agreement(is_alike=True)


def agreement_on(answer: RecordedAnswer) -> Agreement | None:
    """Return whether our truths judge a recorded answer as the public grader did.

    None if the answer has a fault that shows only in its world, which is unknown.
    """
    # A task of ours may have several outcomes: only truths with the right one can be meant.
    outlines = [
        outline
        for outline in outlines_for(answer.number)
        if outline.outcome == answer.right_outcome
    ]
    if answer.passed:
        return agreement_on_passed(answer, outlines)

    # "expected outcome OUTCOME_OK, got OUTCOME_DENIED_SECURITY"
    if answer.line.startswith("expected outcome"):
        if outlines:
            return AGREED
        return Agreement(False, f"no task of ours expects {answer.right_outcome}")

    is_refused = is_refused_by_ours(answer, outlines)
    if is_refused is None:
        return None
    if is_refused:
        return AGREED
    line_without_paths = RECORD_PATH.sub("..", answer.line)
    return Agreement(False, f"ours accepts: {line_without_paths}")


def agreement_on_passed(
    answer: RecordedAnswer, outlines: Sequence[TruthOutline]
) -> Agreement:
    """Return whether our truths accept an answer that the public grader let pass.

    They need to accept it in one world only: in others, another case of the task may be right.
    """
    if not outlines:
        return Agreement(False, "ours rejects: no task of ours has this outcome")
    faults_by_outline = [outline.faults_of(answer) for outline in outlines]
    fewest_faults = min(faults_by_outline, key=len)
    if not fewest_faults:
        return AGREED
    return Agreement(False, f"ours rejects: {', '.join(fewest_faults)}")


def is_refused_by_ours(
    answer: RecordedAnswer, outlines: Sequence[TruthOutline]
) -> bool | None:
    """Return True if our truths refuse an answer for the fault that the public grader names.

    None if the fault shows only in the answer's world, as in `expected no file changes`.
    """
    # "Answer should contain '7'": which text is right depends on the world, but ours must
    # demand one as well.
    if answer.line.startswith("Answer should"):
        return all(outline.demands_text for outline in outlines)

    # "answer missing required reference '/proc/carts/basket-1.json'": if the answer cites another
    # basket, only its world shows which is right.
    missing = MISSING_REFERENCE.search(answer.line)
    if missing is not None:
        path = missing[1]
        if path in answer.pages or kind_of(path) in answer.record_kinds:
            return None
        return all(outline.faults_of(answer) for outline in outlines)

    wrong_records = WRONG_RECORDS.match(answer.line)
    if wrong_records is not None:
        missing_paths = RECORD_PATH.findall(wrong_records[1])
        extra_paths = RECORD_PATH.findall(wrong_records[2])
        return are_records_refused_by_ours(answer, outlines, missing_paths, extra_paths)
    return None


def are_records_refused_by_ours(
    answer: RecordedAnswer,
    outlines: Sequence[TruthOutline],
    missing_paths: Sequence[str],
    extra_paths: Sequence[str],
) -> bool | None:
    """Return True if our truths refuse an answer that cites wrong records of one kind.

    The public grader says which are missing, and which are extra:

    - `basket-1` is cited and extra, so no basket is right: ours must refuse the citation of any
    - `basket-1` is cited, and `basket-2` is missing: None, because only the answer's world shows
      which baskets are right
    """
    kind = kind_of([*missing_paths, *extra_paths][0])
    cited_count = answer.record_kinds[kind]
    right_count = cited_count - len(extra_paths) + len(missing_paths)
    if right_count and cited_count:
        return None

    # Only truths that agree on whether any such record must be cited are about the same case.
    must_be_cited = bool(right_count)
    outlines_of_case = []
    for outline in outlines:
        if bool(outline.required_kinds.get(kind)) == must_be_cited:
            outlines_of_case.append(outline)
    if outlines and not outlines_of_case:
        return False  # Ours demand the opposite.
    return all(outline.faults_of(answer) for outline in outlines_of_case)
