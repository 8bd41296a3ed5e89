"""Whether our truths refuse an answer for the same fault as the public grader.

The grader's line names the fault: "answer missing required reference '/docs/security.md'". The world of
the answer, a shop with its own records, was not recorded. So our truths are given as outlines, which have
no world, either: "one basket must be cited". Some faults show only in a world:

    the line misses                    the answer cites    verdict
    the page /docs/security.md         other pages         REFUSED, if each outline demands the page
    the record basket-1                no basket           REFUSED, if each outline demands a basket
    the record basket-1                basket-2            UNKNOWN
"""

from collections.abc import Sequence
from enum import Enum, auto

from tests.benchmarks.ecom.recorded.fault_lines import WrongRecords, missing_reference
from tests.benchmarks.ecom.recorded.record_kinds import kind_of
from tests.benchmarks.ecom.recorded.recorded_answers import RecordedAnswer
from tests.benchmarks.ecom.recorded.truth_outlines import TruthOutline


class OurVerdict(Enum):
    """What our truths say of an answer that the public grader has refused."""

    REFUSED = auto()
    ACCEPTED = auto()
    UNKNOWN = auto()
    """The fault shows only in the world of the answer, as in `expected no file changes`."""


def our_verdict(answer: RecordedAnswer, outlines: Sequence[TruthOutline]) -> OurVerdict:
    """Return whether our truths refuse an answer for the fault that its line names."""
    # "Answer should contain '7'": which text is right depends on the world, but ours must
    # demand one as well.
    if answer.line.startswith("Answer should"):
        demand_text = all(outline.demands_text for outline in outlines)
        return OurVerdict.REFUSED if demand_text else OurVerdict.ACCEPTED

    # "answer missing required reference '/proc/carts/basket-1.json'": if the answer cites another
    # basket, only its world shows which is right.
    missing_path = missing_reference(answer.line)
    if missing_path:
        cites_same_kind = kind_of(missing_path) in answer.record_kinds
        if missing_path in answer.pages or cites_same_kind:
            return OurVerdict.UNKNOWN
        return verdict_of(outlines, answer)

    wrong_records = WrongRecords.in_line(answer.line)
    if wrong_records is not None:
        return verdict_on_records(answer, outlines, wrong_records)
    return OurVerdict.UNKNOWN


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


def verdict_of(outlines: Sequence[TruthOutline], answer: RecordedAnswer) -> OurVerdict:
    """Refuse an answer in which each outline finds a fault; without outlines, any answer."""
    for outline in outlines:
        if not outline.faults_of(answer):
            return OurVerdict.ACCEPTED
    return OurVerdict.REFUSED
