"""Rules that object to needless refusals: of a clean-up, and of questions with a short answer.

If there are 3 lamps, the answer to "Do you have 4 of the LED lamp?" is a no. Agents often take
such a no for a reason to refuse the request with the outcome UNSUPPORTED, so they are asked to
check.
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
    """Object if the agent does not clean up temporary files, although it can delete files.

    For example, "Empty /tmp/scan-3" is answered by UNSUPPORTED, or by a question.
    """
    if not (CLEANUP.find(review.request) or temporary_folder(review.request)):
        return NOT_APPLICABLE
    # "Delete them if nobody needs them": the condition is perhaps not met.
    if _CONDITION.search(encodable(review.request)):
        return NO_OBJECTION
    # A script that has changed files, or tried to, lists them in its answer. So the agent has
    # tried to delete some if there is a list.
    if review.submission.changes is not None:
        return NO_OBJECTION
    return "Temporary files can be deleted with the delete operation: check which ones were named, and whether it works."


_YEAR: Final = re2.compile(r"\b20\d\d\b")
"""The year of a date: `unknown until March 2027`."""
_FIGURE_WANTED: Final = re2.compile(
    r"(?i)%[0-9.]{0,4}[df]"  # `Answer "<COUNT:%d>"`
    r"|\bnumber only\b"
    r"|\bonly (?:the |a )?(?:number|date)\b"
)
"""Words that ask for a number or a date alone."""


@rule("question", outcomes=(UNSUPPORTED,))
def question(review: Review) -> Opinion:
    """Object to the outcome UNSUPPORTED for a question that a no, a 0 or an empty value can answer.

    For example, "Do you have 4 of the LED lamp?" is refused.
    """
    if not _has_short_answer(review.request):
        return NOT_APPLICABLE
    # A refusal with a date may be right: "The stock is unknown until March 2027."
    if _YEAR.search(encodable(str(review.submission.answer))):
        return NO_OBJECTION
    return "The request asks a question: check whether a no, a 0 or an empty value answers it."


def _has_short_answer(request: str) -> bool:
    """Return True if a no, a 0 or an empty value can answer a request."""
    # "Do you have 4 of the LED lamp?", "Do you sell such a lamp?", "What is the `status` of pay_7?"
    for kind in (STOCK_OF_ONE, EXISTENCE, FIELD):
        if kind.find(request):
            return True
    # "Can I buy everything on this receipt again?"
    if RECEIPT.find(request) and BUY_AGAIN.find(request):
        return True
    # "How many lamps are there? Number only." A request that names `pay_7` may order something.
    wants_figure = _FIGURE_WANTED.search(encodable(request)) is not None
    return wants_figure and "?" in request and not named_ids(request)
