"""Whether our truths refuse an answer for the same fault as the public grader.

Our truths are *outlines*, without a shop, as the shop of the answer is unknown: "a basket must be cited".

    the line misses                    the answer cites    verdict
    the page /docs/security.md         other pages         REFUSED, if each outline demands the page
    the record basket-1                no basket           REFUSED, if each outline demands a basket
    the record basket-1                basket-2            UNKNOWN
"""

from collections.abc import Sequence

from tests.benchmarks.ecom.recorded.fault_lines import WrongRecords, missing_reference
from tests.benchmarks.ecom.recorded.our_verdicts import OurVerdict, verdict_of
from tests.benchmarks.ecom.recorded.record_kinds import kind_of
from tests.benchmarks.ecom.recorded.recorded_answers import RecordedAnswer
from tests.benchmarks.ecom.recorded.truth_outlines import TruthOutline


def our_verdict(answer: RecordedAnswer, outlines: Sequence[TruthOutline]) -> OurVerdict:
    """Return whether our truths refuse an answer for the fault that its line names."""
    # "Answer should contain '7'": the right text depends on the shop, but ours must demand one.
    if answer.line.startswith("Answer should"):
        demand_text = all(outline.demands_text for outline in outlines)
        return OurVerdict.REFUSED if demand_text else OurVerdict.ACCEPTED

    # "... required reference '/proc/carts/basket-1.json'": if the answer cites another basket,
    # only its shop shows which is right.
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

    If no basket is right, ours must refuse the citation of any. Which baskets are right depends on
    the shop.
    """
    cited_count = answer.record_kinds[wrong.kind]
    right_count = cited_count - wrong.extra_count + wrong.missing_count
    if right_count and cited_count:
        return OurVerdict.UNKNOWN

    # Only truths that agree on whether any such record must be cited are about the same case.
    outlines_of_case = [
        outline
        for outline in outlines
        if bool(outline.required_kinds.get(wrong.kind)) == bool(right_count)
    ]
    if outlines and not outlines_of_case:
        return OurVerdict.ACCEPTED  # Ours demand the opposite.
    return verdict_of(outlines_of_case, answer)
