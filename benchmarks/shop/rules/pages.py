"""Rules on an OK that contradicts what the trial has read: a warning, or the date of a product.

For example, an answer cites a product whose record says `"starts_at": "2027-06-01"`, and the
shop's rules say that products are not sold before `starts_at`. Before June, the agent is asked
to compare them.
"""

from __future__ import annotations

import json
from typing import Final

import re2

from controlplane.benchmarks.shop.rules.review import (
    NO_OBJECTION,
    NOT_APPLICABLE,
    Review,
    rule,
)
from controlplane.benchmarks.shop.texts.documents import marked_words
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.gates.opinions import Opinion
from controlplane.gates.quoting import quote
from controlplane.gates.submission import OK
from controlplane.gates.surrogates import encodable


@rule("pre-call-check", outcomes=(OK,))
def pre_call_check(review: Review) -> Opinion:
    """Object to OK if the pre-call check stopped a call, and the trial changed nothing.

    Before a call that would change something, the function `pre_call_check` is called. It returns
    a warning, such as "The basket is not the asker's.", or an empty text if the call may be made.
    The objection repeats the last warning.
    """
    last_warning = ""
    for result in review.evidence.function_results:
        if result.function == "pre_call_check":
            warning = json.loads(result.value)
            if warning:
                last_warning = warning
    if not last_warning:
        return NOT_APPLICABLE
    if review.evidence.present_changes:
        return NO_OBJECTION
    return f"Nothing was changed, and the answer is an OK. {last_warning}"


_DAY_OR_TIME: Final = re2.compile(r"\d{4}-\d\d-\d\d(?:T.*)?")
"""`2027-06-01`, `2027-06-01T10:00:00Z`"""


@rule("embargo", outcomes=(OK,))
def embargo(review: Review) -> Opinion:
    """Object to OK if a cited product has a future date in a field that the rules mention.

    For example, the rules say "Products are not sold before `starts_at`." They put the names of
    fields in backticks.
    """
    today = _day_of(review.case.now)
    fields_in_rules = frozenset(marked_words(review.case.rules))
    if not today or not fields_in_rules:
        return NO_OBJECTION
    for path in review.cited(Kind.PRODUCT):
        # The names and values of the record's fields: `("sale.starts_at", "2027-06-01")`.
        for dotted_name, value in review.evidence.records.get(path, ()):
            field = dotted_name.rpartition(".")[2]
            is_day = _DAY_OR_TIME.fullmatch(encodable(value)) is not None
            if field in fields_in_rules and is_day and _day_of(value) > today:
                return f"{quote(path)} has `{field}` {value}, which is still to come: compare with the rules on it."
    return NO_OBJECTION


def _day_of(time: str) -> str:
    """Return the day of an ISO time: `2027-06-01T10:00:00Z` -> `2027-06-01`.

    Such days can be compared as texts.
    """
    return time[: len("2027-06-01")]
