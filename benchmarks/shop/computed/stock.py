"""Units of stock, as a branch's record gives them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.shop.language.record_kinds import skus_in
from gates.language import normalize_text
from gates.reading import DoesNotApply
from toolkit.stock import StockUnits

_FIELDS: Final = frozenset({"sku", "on_hand", "reserved", "incoming"})
"""The fields of a stock row of which it is known what they mean."""
_NUMBER: Final = r"(\d{1,6})"
_LEAST: Final = rf"(?:at least|no fewer than|not fewer than|no less than|minimum of|reach(?:es)?)\s+{_NUMBER}"
_FEWER: Final = rf"(?:fewer than|less than|below|under)\s+{_NUMBER}"
_OR_MORE: Final = rf"{_NUMBER}\s+(?:units?\s+)?or more"
_NONE: Final = r"(?:not a single|not one|no|zero) units?"
_BOUND: Final = re.compile(rf"\b(?:{_LEAST}|{_OR_MORE}|{_FEWER}|{_NONE})\b", re.IGNORECASE)
ON_HAND: Final = re.compile(r"\b(?:on hand|physical(?:ly)?|on the shelf)\b", re.IGNORECASE)
AVAILABLE: Final = re.compile(r"\bavailab", re.IGNORECASE)
INCOMING: Final = re.compile(r"\b(?:incoming|arriv\w*|due|deliver\w*)\b", re.IGNORECASE)
_WITHIN: Final = re.compile(r"\bwithin (?:the next )?(\d{1,3}) days?\b", re.IGNORECASE)
_DOUBTFUL: Final = re.compile(
    r"\b(?:reserv\w*|except|unless|exclud\w*|beside|ignor\w*|apart|soon|or|without|not|if|fewer|less|more)\b",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(r"'[^']{0,300}'|\"[^\"]{0,300}\"|\([^()]{0,300}\)|`[^`]{0,300}`")
FIGURE: Final = re.compile(r"(?<![\w.,:/-])\d{1,6}(?![\w:/-]|[.,]\d)")
DAYS: Final = re.compile(r"(?<![\w.,:/-])(\d{1,3})(?=[ -]days?\b)", re.IGNORECASE)
_OTHER_MEASURE: Final = re.compile(
    r"\b(?:fewer|less|below|under|most|exactly|more|over|without|not|no|short|reserved|on hand|physical\w*|shelf"
    r"|both|each|tomorrow|EUR|euros?)\b|€",
    re.IGNORECASE,
)
"""Words with which a question is about something else than enough units of one product; they excuse."""
_MAX_CHARS: Final = 20_000


def stock_of(store: Mapping[str, Any]) -> dict[str, StockUnits]:
    """Return a branch's stock by SKU.

    Raises `LookupError`, `TypeError` or `ValueError` for a record of another form.
    """
    found: dict[str, StockUnits] = {}
    for row in store["inventory"]:
        if row.keys() - _FIELDS or row["sku"] in found:
            msg = "a stock row of another form"
            raise ValueError(msg)
        due = tuple((int(each["quantity"]), int(each["arrives_in_days"])) for each in row.get("incoming", ()))
        found[row["sku"]] = StockUnits(int(row["on_hand"]), int(row["reserved"]), due)
    return found


@dataclass(frozen=True, slots=True)
class Bound:
    """One condition on units: at least, or fewer than, so many of one measure."""

    measure: str
    """`on hand`, `available`, `within` some days, or `arriving` within them."""
    units: int
    is_least: bool
    days: int = 0

    def holds(self, stock: StockUnits) -> bool:
        """Say whether a stock row fulfils it."""
        have = {"on hand": stock.on_hand, "available": stock.available}.get(self.measure)
        if have is None:
            have = stock.within(self.days) - (stock.available if self.measure == "arriving" else 0)
        return (have >= self.units) is self.is_least


def units_and_days(instruction: str) -> tuple[int, int] | None:
    """Return how many units a question asks for, and within how many days, 0 for today; None if that is not certain.

    What stands in quotation marks, brackets or a SKU is no figure of the question.
    """
    text = _ASIDE.sub(" ", instruction[:_MAX_CHARS])
    for sku in skus_in(text):
        text = text.replace(sku, " ")
    days = [int(each) for each in DAYS.findall(text)]
    units = [int(each) for each in FIGURE.findall(DAYS.sub(" ", text))]
    if len(units) != 1 or len(days) > 1 or not re.search(rf"\b{units[0]} (?:[^\W\d_]+ )?(?:of|x)\b", text):
        return None
    if _OTHER_MEASURE.search(text) or (INCOMING.search(text) and not days):
        return None
    return units[0], days[0] if days else 0


def condition_of(instruction: str) -> str:
    """Return the words of a question about listed SKUs, without the SKUs."""
    condition = normalize_text(instruction).partition("?")[0]
    for sku in skus_in(condition):
        condition = condition.replace(sku, "")
    return condition


def bounds_in(instruction: str) -> list[Bound]:
    """Return the conditions of a question that counts SKUs by their units, every one of which must hold.

    Raises `DoesNotApply` for a question that holds anything else about stock.
    """
    condition = condition_of(instruction)
    found = list(_BOUND.finditer(condition))
    if not found or _DOUBTFUL.search(_BOUND.sub(" ", condition)):
        msg = "the condition on units is not certain"
        raise DoesNotApply(msg)
    ends = [each.start() for each in found[1:]] + [len(condition)]
    return [_bound(each, condition[each.end() : end]) for each, end in zip(found, ends, strict=True)]


def _bound(found: re.Match[str], words: str) -> Bound:
    least, more, fewer = found.groups()
    units = int(least or more or fewer or 1)
    kinds = [name for name, form in (("on hand", ON_HAND), ("within", INCOMING)) if form.search(words)]
    within = _WITHIN.search(words)
    if not kinds and AVAILABLE.search(words):
        kinds = ["available"]
    if len(kinds) != 1 or not units or (kinds == ["within"]) != (within is not None):
        msg = "a condition on units is not certain"
        raise DoesNotApply(msg)
    return Bound(kinds[0], units, bool(least or more), int(within[1]) if within else 0)


def count_fitting(stock: Mapping[str, StockUnits], skus: Iterable[str], bounds: Iterable[Bound]) -> int:
    """Return how many of `skus` fulfil every condition; one without a row has no units."""
    wanted = list(bounds)
    return sum(all(bound.holds(stock.get(each, StockUnits())) for bound in wanted) for each in set(skus))
