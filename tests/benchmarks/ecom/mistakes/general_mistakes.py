"""Mistakes that are possible in every family of the shop's tasks, such as a wrong outcome.

A task is a request, such as "Check out basket-0012", of a family: a kind of requests. Its truth says
what the right answer is. A mistake is a solution that is wrong in one respect, under a name:

    mistakes_of_every_family(truth)  # {"another outcome": ..., "an unrelated record": ...}
"""

from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.gates.submission import INTERNAL, OK, UNSUPPORTED
from tests.benchmarks.ecom.mistakes.wrong_messages import wrong_messages
from tests.benchmarks.ecom.solutions.careless_solutions import (
    cites_unrelated_record,
    claims_changes_without_making_them,
    leaves_out_first_citation,
    writes_needless_file,
)
from tests.benchmarks.ecom.solutions.wrong_solutions import Mistakes, right_except


def mistakes_of_every_family(truth: Truth) -> Mistakes:
    """Return the mistakes that depend only on what kind of answer the truth demands."""
    wrong_outcome = UNSUPPORTED if truth.outcome == OK else OK
    mistakes: Mistakes = {
        "another outcome": right_except(outcome=wrong_outcome),
        "giving up": right_except(outcome=INTERNAL),
        "an unrelated record": cites_unrelated_record,
        "one change too many": writes_needless_file,
    }
    if truth.changes:
        mistakes["a change claimed but not made"] = claims_changes_without_making_them
    if truth.must_cite or truth.must_cite_pages:
        mistakes["a missing reference"] = leaves_out_first_citation
    mistakes.update(wrong_messages(truth))
    return mistakes
