"""Rules for all kinds of requests, about what the trial has read: notices, and dates of products.

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
    """Object to OK if the trial changed nothing after the pre-call check had stopped a call.

    That check judges each call that would change something, before it is made. Its
    result is a notice, which the objection repeats; the notice is empty for a call
    that passed.
    """
    last_notice = ""
    for result in review.evidence.function_results:
        if result.function == "pre_call_check":
            last_notice = json.loads(result.value) or last_notice
    if not last_notice:
        return NOT_APPLICABLE
    if review.evidence.present_changes:
        return NO_OBJECTION
    return f"Nothing was changed, and the answer is an OK. {last_notice}"


_DAY_OR_TIME: Final = re2.compile(r"\d{4}-\d\d-\d\d(?:T.*)?")


@rule("embargo", outcomes=(OK,))
def embargo(review: Review) -> Opinion:
    """Object to OK if a cited product may not be sold yet.

    It has a future date in a field that the rules mention: "Products are not sold before
    `starts_at`." The rules put the names of fields in backticks.
    """
    today = review.case.now[: len("YYYY-MM-DD")]
    marked = frozenset(marked_words(review.case.rules))
    if not today or not marked:
        return NO_OBJECTION
    for path in review.cited(Kind.PRODUCT):
        fields = review.evidence.records.get(path, ())  # names and values
        for dotted_name, value in fields:
            field = dotted_name.rpartition(".")[2]  # `sale.starts_at` -> `starts_at`
            if field not in marked or not _DAY_OR_TIME.fullmatch(encodable(value)):
                continue
            if value[: len("YYYY-MM-DD")] > today:
                return f"{quote(path)} has `{field}` {value}, which is still to come: compare with the rules on it."
    return NO_OBJECTION
