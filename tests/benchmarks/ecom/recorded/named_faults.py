"""Whether our truths refuse an answer for the fault that the public grader named in a line.

The shop in which the answer was given is unknown. So our truths are *outlines*: "a basket must be
cited", but not which. The line says "missing required reference '/proc/carts/basket-1.json'":

    an answer without baskets     REFUSED if each outline demands a basket, or else ACCEPTED
    an answer with basket-2       UNKNOWN: only its shop shows which basket is right
"""

from collections.abc import Sequence

from tests.benchmarks.ecom.recorded.fault_lines import WrongRecords, missing_reference
from tests.benchmarks.ecom.recorded.our_verdicts import OurVerdict, verdict_of
from tests.benchmarks.ecom.recorded.record_kinds import kind_of
from tests.benchmarks.ecom.recorded.recorded_answers import RecordedAnswer
from tests.benchmarks.ecom.recorded.truth_outlines import TruthOutline


def our_verdict(answer: RecordedAnswer, outlines: Sequence[TruthOutline]) -> OurVerdict:
    """Return whether our truths refuse an answer for the fault that its line names."""
    # "Answer should contain '7'": the right text depends on the shop, but ours must demand a text.
    if answer.line.startswith("Answer should"):
        demand_text = all(outline.demands_text for outline in outlines)
        return OurVerdict.REFUSED if demand_text else OurVerdict.ACCEPTED

    missing_path = missing_reference(answer.line)
    if missing_path:
        if kind_of(missing_path) in answer.record_kinds:
            return OurVerdict.UNKNOWN
        return verdict_of(outlines, answer)

    wrong_records = WrongRecords.in_line(answer.line)
    if wrong_records is not None:
        return verdict_on_records(answer, outlines, wrong_records)
    return OurVerdict.UNKNOWN


def verdict_on_records(
    answer: RecordedAnswer, outlines: Sequence[TruthOutline], wrong: WrongRecords
) -> OurVerdict:
    """Return whether our truths refuse an answer for wrong records of one kind, such as baskets."""
    # The answer cites 3 baskets. By the line, 2 of these are wrong, and another one is missing.
    # So the answer should cite 3 - 2 + 1 = 2 baskets.
    cited_count = answer.record_kinds[wrong.kind]
    right_count = cited_count - wrong.extra_count + wrong.missing_count
    if right_count > 0 and cited_count > 0:
        return OurVerdict.UNKNOWN  # Only the shop shows which baskets are right.

    # Either no basket is right, or the answer lacks all of them. Of our truths, those count
    # that agree with the public grader on whether a basket must be cited.
    agreeing_outlines = []
    for outline in outlines:
        demands_basket = outline.required_kinds.get(wrong.kind, 0) > 0
        if demands_basket == (right_count > 0):
            agreeing_outlines.append(outline)
    if outlines and not agreeing_outlines:
        return OurVerdict.ACCEPTED
    return verdict_of(agreeing_outlines, answer)
