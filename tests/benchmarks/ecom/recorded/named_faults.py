"""Whether our truths refuse an answer for the fault that the public grader has named in a line.

    answer missing required reference '/docs/security.md'
    answer refs for family "/proc/carts" mismatch: missing [], extra [/proc/carts/basket-1.json]
    Answer should contain '7'

The answer was given in a world that is unknown, so our truths have no world, either: they are outlines,
such as "one basket must be cited". Some faults show only in the world of the answer.
"""

import re
from collections.abc import Sequence
from enum import Enum, auto
from typing import Final, NamedTuple

from tests.benchmarks.ecom.recorded.record_kinds import kind_of
from tests.benchmarks.ecom.recorded.recorded_answers import RecordedAnswer
from tests.benchmarks.ecom.recorded.truth_outlines import TruthOutline

MISSING_REFERENCE: Final = re.compile(r"missing required reference '(.*)'")
WRONG_RECORDS: Final = re.compile(
    r"answer refs for family .* mismatch: missing \[(.*?)\], extra \[(.*?)\]"
)
RECORD_PATH: Final = re.compile(r"/(?:proc|uploads|storage)/[^'\",\]]+")
"""The path of a record in a line of the public grader."""


class OurVerdict(Enum):
    """What our truths say of an answer that the public grader has refused."""

    REFUSED = auto()
    ACCEPTED = auto()
    UNKNOWN = auto()
    """The fault shows only in the world of the answer, as in `expected no file changes`."""


def verdict_of(outlines: Sequence[TruthOutline], answer: RecordedAnswer) -> OurVerdict:
    """Refuse an answer in which each outline finds a fault. No outline accepts none."""
    for outline in outlines:
        if not outline.faults_of(answer):
            return OurVerdict.ACCEPTED
    return OurVerdict.REFUSED


def our_verdict(answer: RecordedAnswer, outlines: Sequence[TruthOutline]) -> OurVerdict:
    """Return whether our truths refuse an answer for the fault that its line names."""
    # "Answer should contain '7'": which text is right depends on the world, but ours must
    # demand one as well.
    if answer.line.startswith("Answer should"):
        demand_text = all(outline.demands_text for outline in outlines)
        return OurVerdict.REFUSED if demand_text else OurVerdict.ACCEPTED

    # "answer missing required reference '/proc/carts/basket-1.json'": if the answer cites another
    # basket, only its world shows which is right.
    missing = MISSING_REFERENCE.search(answer.line)
    if missing is not None:
        path = missing[1]
        if path in answer.pages or kind_of(path) in answer.record_kinds:
            return OurVerdict.UNKNOWN
        return verdict_of(outlines, answer)

    wrong_records = WrongRecords.in_line(answer.line)
    if wrong_records is not None:
        return verdict_on_records(answer, outlines, wrong_records)
    return OurVerdict.UNKNOWN


class WrongRecords(NamedTuple):
    """How many records of a kind the public grader misses in an answer, and how many are extra."""

    kind: str
    missing_count: int
    extra_count: int

    @classmethod
    def in_line(cls, line: str) -> "WrongRecords | None":
        """`... missing [/proc/carts/basket-2.json], extra []` -> `WrongRecords("basket", 1, 0)`."""
        match = WRONG_RECORDS.match(line)
        if match is None:
            return None
        missing_paths = RECORD_PATH.findall(match[1])
        extra_paths = RECORD_PATH.findall(match[2])
        first_path = [*missing_paths, *extra_paths][0]
        return cls(kind_of(first_path), len(missing_paths), len(extra_paths))


def verdict_on_records(
    answer: RecordedAnswer, outlines: Sequence[TruthOutline], wrong: WrongRecords
) -> OurVerdict:
    """Return whether our truths refuse an answer that cites wrong records of one kind.

    - `basket-1` is cited and extra, so no basket is right: ours must refuse the citation of any
    - `basket-1` is cited, and `basket-2` is missing: only the world shows which baskets are right
    """
    cited_count = answer.record_kinds[wrong.kind]
    right_count = cited_count - wrong.extra_count + wrong.missing_count
    if right_count and cited_count:
        return OurVerdict.UNKNOWN

    # Only truths that agree on whether any such record must be cited are about the same case.
    must_be_cited = bool(right_count)
    outlines_of_case = []
    for outline in outlines:
        if bool(outline.required_kinds.get(wrong.kind)) == must_be_cited:
            outlines_of_case.append(outline)
    if outlines and not outlines_of_case:
        return OurVerdict.ACCEPTED  # Ours demand the opposite.
    return verdict_of(outlines_of_case, answer)
