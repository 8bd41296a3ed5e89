"""Counts that the pack computes again from the records of the workspace."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from benchmarks.shop.language import request_kinds
from benchmarks.shop.language.record_kinds import Kind, id_of, skus_in
from benchmarks.shop.language.shop_evidence import OK, cited_records, stated_number
from gates import Case, Submission
from gates.language import normalize_text
from gates.reading import DoesNotApply, Reader
from gates.types import Evidence

_AT_LEAST: Final = re.compile(
    r"\b(?:at least|no fewer than|not fewer than|no less than|minimum of)\s+(\d{1,6})\b", re.IGNORECASE
)
_OR_MORE: Final = re.compile(r"\b(\d{1,6})\s+(?:units?\s+)?or more\b", re.IGNORECASE)
_AVAILABLE: Final = re.compile(r"\bavailable\b", re.IGNORECASE)
_OTHER_CONDITION: Final = re.compile(
    r"\b(?:on hand|physical|incoming|due|arriv|reserv|fewer|less|below|under|yet|but|except|unless|exclud|without"
    r"|beside|ignor|apart|soon|or\b)",
    re.IGNORECASE,
)
_FIELDS: Final = frozenset({"sku", "on_hand", "reserved", "incoming"})
"""The fields of a stock row of which it is known what they mean for what is available today."""


def fault_of_stock_count(submission: Submission, evidence: Evidence, case: Case, reader: Reader) -> str:
    """Reject a count of listed SKUs by what one branch has available, if its record gives another count.

    Only for the plain condition "at least N available", and one cited branch.
    """
    number = stated_number(submission)
    if submission.outcome != OK or number is None or not request_kinds.STOCK_OF_LISTED.find(case.instruction):
        return ""
    units = least_available(case.instruction)
    stores = cited_records(submission, Kind.STORE)
    if units is None or len(stores) != 1:
        msg = "the condition is no plain minimum of available units at one cited branch"
        raise DoesNotApply(msg)
    counted = count_available(json.loads(reader.read(stores[0])), skus_in(case.instruction), units)
    if counted == number:
        return ""
    return (
        f"The record of {id_of(stores[0])} gives another count than the answer: take what is available there of each "
        "listed SKU, nothing where it has no row, and count those that reach the minimum."
    )


def least_available(instruction: str) -> int | None:
    """Return the number of available units that a request sets as its only condition, or None."""
    text = normalize_text(instruction)
    condition = text[: text.find("?")] if "?" in text else text
    for sku in skus_in(condition):
        condition = condition.replace(sku, "")
    found = [*_AT_LEAST.finditer(condition), *_OR_MORE.finditer(condition)]
    rest = _OR_MORE.sub("", _AT_LEAST.sub("", condition))
    if len(found) != 1 or int(found[0][1]) == 0 or not _AVAILABLE.search(condition) or _OTHER_CONDITION.search(rest):
        return None
    return int(found[0][1])


def count_available(store: Mapping[str, Any], skus: Iterable[str], units: int) -> int:
    """Return how many of `skus` a branch's record shows with at least so many units available.

    Raises `LookupError`, `TypeError` or `ValueError` for a record of another form.
    """
    rows = {row["sku"]: row for row in store["inventory"]}
    found = [rows[each] for each in set(skus) if each in rows]
    if any(row.keys() - _FIELDS for row in found):
        msg = "a stock row has other fields"
        raise ValueError(msg)
    return sum(max(row["on_hand"] - row["reserved"], 0) >= units for row in found)
