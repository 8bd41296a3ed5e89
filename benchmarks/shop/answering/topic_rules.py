"""How the findings on a topic change the draft of an answer, as a table.

A finding is what a function of the shop has found out in a trial. If the function
`settle_receipt` has computed a total, it replaces the message of a draft about a receipt, and the
products of the receipt replace those in the draft. Findings on stock only add citations.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.answering.finding import (
    FRAUD,
)


@dataclass(frozen=True, slots=True)
class TopicRule:
    """How the findings on one topic change an answer.

    The references of the findings are added to it. The rule says what else they replace.
    """

    task_types: tuple[str, ...] = ()
    """The types of tasks to which the rule applies; empty for all."""
    replaced_kinds: tuple[str, ...] = ()
    """The kinds of records, such as `product`, that findings replace.

    If the findings cite products, those that only the draft cites are removed.
    """
    replaces_message: bool = False
    """True if the message of the findings replaces that of the draft."""
    message_asked_by: re.Pattern[str] | None = None
    """The message is replaced only if the request has a match of this pattern. None: always."""


_TOTAL_ASKED: Final = re.compile(
    r"\b(?:totals?|sums?|amounts?|how much|add(?:s|ed)? up|altogether|damage|loss(?:es)?|worth|volume"
    r"|EUR|euros?)\b|€",
    re.IGNORECASE,
)
"""Words of a request for a sum: `how much`, `the damage in EUR`."""
RULES: Final = {
    "stock_count": TopicRule(("stock_count",), replaced_kinds=("product", "branch")),
    "note": TopicRule(("product",), replaced_kinds=("product",)),
    "lead": TopicRule(),
    FRAUD: TopicRule(("fraud",), replaces_message=True, message_asked_by=_TOTAL_ASKED),
    "receipt": TopicRule(
        ("receipt_price",), replaced_kinds=("product", "upload"), replaces_message=True
    ),
    "stock_lookup": TopicRule(("stock_lookup",)),
}
"""The rule of each topic, in the order in which the rules are applied.

The functions of the shop have findings on `fraud`, `receipt` and `stock_lookup`. Findings on
the other topics come from programs that use this module: on counted products (`stock_count`),
on the product that a support note describes (`note`), on records that may matter (`lead`).
"""
