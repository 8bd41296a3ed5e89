"""Rules that object to needless refusals: of a clean-up, and of questions with a short answer.

"Do you have 4 of the LED lamp?" is answered by a no if there are 3, and not refused. An agent
that refuses has often taken a no for a reason to refuse, so it is asked to check.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.benchmarks.shop.requests.file_requests import CLEANUP
from controlplane.benchmarks.shop.requests.product_questions import EXISTENCE
from controlplane.benchmarks.shop.requests.record_questions import FIELD
from controlplane.benchmarks.shop.requests.stock_questions import (
    BUY_AGAIN,
    RECEIPT,
    STOCK_OF_ONE,
)
from controlplane.benchmarks.shop.rules.review import (
    NO_OBJECTION,
    NOT_APPLICABLE,
    Review,
    rule,
)
from controlplane.benchmarks.shop.workspace.named_ids import named_ids, temporary_folder
from controlplane.gates.opinions import Opinion
from controlplane.gates.submission import CLARIFICATION, UNSUPPORTED
from controlplane.gates.surrogates import encodable

_CONDITION: Final = re2.compile(r"(?i)\b(?:if|unless|ask)\b")
"""Words of a conditional order: `Delete the files if nobody needs them.`"""


@rule("cleanup", outcomes=(UNSUPPORTED, CLARIFICATION))
def cleanup(review: Review) -> Opinion:
    """Object if the agent refuses to clean up temporary files, which the delete operation can do.

    There is no objection if a script tried to delete files, or if the clean-up is
    conditional.
    """
    if not (CLEANUP.find(review.request) or temporary_folder(review.request)):
        return NOT_APPLICABLE
    # With its answer, a script gives the files that it changed: here, those that it deleted or
    # tried to delete. It gives nothing (None) if it did not try.
    tried_to_delete = review.submission.changes is not None
    if tried_to_delete or _CONDITION.search(encodable(review.request)):
        return NO_OBJECTION
    return "Temporary files can be deleted with the delete operation: check which ones were named, and whether it works."


_YEAR: Final = re2.compile(r"\b20\d\d\b")
"""`unknown until March 2027`"""
_FIGURE_WANTED: Final = re2.compile(
    r"(?i)%[0-9.]{0,4}[df]"  # `Answer "<COUNT:%d>"`
    r"|\bnumber only\b"
    r"|\bonly (?:the |a )?(?:number|date)\b"
)
"""Words that ask for a number or a date alone."""


@rule("question", outcomes=(UNSUPPORTED,))
def question(review: Review) -> Opinion:
    """Object to UNSUPPORTED as the outcome for a question, which a "no" or a 0 can answer.

    Questions are about stock, a receipt or a field, or ask for a figure or a date.
    An answer that contains a year passes, because it may say how long
    something stays unknown.
    """
    if not _has_short_answer(review.request):
        return NOT_APPLICABLE
    if _YEAR.search(encodable(str(review.submission.answer))):
        return NO_OBJECTION
    return "The request asks a question: check whether a no, a 0 or an empty value answers it."


def _has_short_answer(instruction: str) -> bool:
    """Return True if a no, a 0 or an empty value can answer a request.

    It asks about stock, a product, a field or a receipt, or for a figure or a date.
    """
    for kind in (STOCK_OF_ONE, EXISTENCE, FIELD):
        if kind.find(instruction):
            return True
    if RECEIPT.find(instruction) and BUY_AGAIN.find(instruction):
        return True
    wants_figure = _FIGURE_WANTED.search(encodable(instruction)) is not None
    return wants_figure and "?" in instruction and not named_ids(instruction)
