"""How the results of a shop's functions change the draft of an answer, by their topics.

The draft about a receipt says "EUR 12.00" and cites the product AB-3. The function `settle_receipt`
has computed `EUR 12.50` from AB-1 and AB-2: a finding on the topic `receipt`. By the rule of this
topic, the draft then says "EUR 12.50", and cites AB-1 and AB-2 instead of AB-3.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from controlplane.benchmarks.shop.answering.draft import Draft, record_kind
from controlplane.benchmarks.shop.answering.finding import FRAUD, Finding


@dataclass(frozen=True, slots=True)
class TopicRule:
    """How the findings on one topic change a draft. The files of a finding are always cited."""

    task_type: str | None = None
    """Only drafts for this type of task, such as `refund`, are changed; None: all drafts."""
    replaced_kinds: frozenset[str] = frozenset()
    """The kinds of records of which only those of the finding are cited, if it has any."""
    message_asked_by: re.Pattern[str] | None = None
    """If the request matches, the draft gets the finding's message; None: never."""

    def applied(self, finding: Finding, draft: Draft) -> Draft:
        """Return a draft with the message and the records of a finding on the topic."""
        if self.task_type is not None and draft.task_type != self.task_type:
            return draft
        records = draft.records
        asked_by = self.message_asked_by
        if finding.message and asked_by is not None and asked_by.search(draft.request):
            draft = replace(draft, message=finding.message)
            # The message is the total of rows of an export, cited as `/payments.tsv#row=7`.
            # The rows in the draft belong to the draft's total.
            records = tuple(path for path in records if "#row=" not in path)

        found_kinds = {record_kind(path) for path in finding.refs}
        kept = []
        for path in records:
            kind = record_kind(path)
            is_replaced = kind in self.replaced_kinds and kind in found_kinds
            if not is_replaced:
                kept.append(path)
        return replace(draft, records=tuple(dict.fromkeys((*kept, *finding.refs))))


_ANY_REQUEST: Final = re.compile("")
_TOTAL_ASKED: Final = re.compile(
    r"\b(?:totals?|sums?|amounts?|how much|add(?:s|ed)? up|altogether|damage|loss(?:es)?|worth|volume"
    r"|EUR|euros?)\b|€",
    re.IGNORECASE,
)
"""A request for a sum: `how much is it?`, `the damage in EUR`."""

RULES: Final = {
    # "How many Lea tarps are in stock?", for programs that count by themselves.
    "stock_count": TopicRule(
        "stock_count", replaced_kinds=frozenset({"product", "branch"})
    ),
    # "Is the support note true?", and the product that it describes.
    "note": TopicRule("product", replaced_kinds=frozenset({"product"})),
    # Records that may matter to any request.
    "lead": TopicRule(),
    # "Which payments are fraud?", and perhaps "what is the damage?"
    FRAUD: TopicRule("fraud", message_asked_by=_TOTAL_ASKED),
    # "What would this receipt cost today?"
    "receipt": TopicRule(
        "receipt_price",
        replaced_kinds=frozenset({"product", "upload"}),
        message_asked_by=_ANY_REQUEST,
    ),
    # "How many AB-1 are in Graz?"
    "stock_lookup": TopicRule("stock_lookup"),
}
"""The rule of each topic, with a request for which it is made, in the order of use."""
