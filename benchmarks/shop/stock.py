"""The lines of a receipt, and what they cost today."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.shop.text import cents_of

_DIGITS: Final = str.maketrans("OoIliZSsB", "001112558")
_ALIKE: Final = str.maketrans({"o": "0", "i": "1", "l": "1", "s": "5", "b": "8", "z": "2"})
_BLANKS: Final = re.compile(r"[\s_]+")
DIGIT: Final = r"[\dOoIliZSsB]"
"""A digit, or a letter that a digit may be misread as."""


def restored_number(text: str) -> str:
    """Return a number with digits in place of the letters that look like them."""
    return text.translate(_DIGITS).replace(",", ".")


def folded_text(text: str) -> str:
    """Return a text with one character for all that look alike, without blanks and case."""
    return _BLANKS.sub("", text).casefold().translate(_ALIKE)


def likeness(left: str, right: str) -> float:
    """Return the likeness of two folded texts, from 0 to 1."""
    from difflib import SequenceMatcher  # The trusted process imports this module and never compares.

    return SequenceMatcher(None, left, right, autojunk=False).ratio()


def shared_beginning(left: str, right: str) -> int:
    """Return the number of characters that two folded texts share at the beginning."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(left), len(right)))


_AMOUNT: Final = rf"(?:{DIGIT}{{1,3}}(?:[.,']{DIGIT}{{3}})+|{DIGIT}+)[.,]{DIGIT}{{2}}(?!\w)"
_CURRENCY: Final = re.compile(r"€|\bEUR\b")
_NUMBER: Final = r"^\W*(?:\[\s*\w{1,2}\s*\]\W*)?"
"""The start of an item's line before its quantity: perhaps the item's number in brackets."""
_ITEM: Final = re.compile(
    rf"{_NUMBER}(?P<count>{DIGIT}{{1,3}})\s*[x×]?\s+(?P<name>\S.*?)\s+(?P<each>{_AMOUNT})\s+(?P<total>{_AMOUNT})\s*$"
)
_NOTE: Final = re.compile(r"\b(?:sku|note|code|art)\b[^:]*:\s*(?P<code>\S+)", re.IGNORECASE)
_SUB: Final = r"[s5]\s?u\s?[b86][\s.-]*"
_TOTAL: Final = r"t\s?[o0]\s?t\s?[a4]\s?[l1i|]"
_SUBTOTAL_WORD: Final = rf"\b(?:{_SUB}t\s?[o0]\s?t\s?[a4]?\s?[l1i|]?|zwischensumme|sous-?total)(?!\w)"
_SUBTOTAL: Final = re.compile(rf"{_SUBTOTAL_WORD}.*?(?P<amount>{_AMOUNT})\s*$", re.IGNORECASE)
_END: Final = re.compile(rf"{_SUBTOTAL_WORD}|\b(?:{_TOTAL}|tax|vat)(?!\w)", re.IGNORECASE)
_COUNT_ABOVE: Final = re.compile(
    rf"^[ \t]*(?:\[\s*\w{{1,2}}\s*\][ \t]*)?(?:(?:[qo0]t[yv]|quantity|menge|anzahl)\b[.: \t]*)?[x×]?[ \t]*"
    rf"({DIGIT}{{1,3}})[ \t]*(?:[x×@]|pcs?\.?|pieces?|stk\.?)?[ \t]*\n(?:[ \t]*\n)?[ \t]*"
    rf"(?!\d{{1,3}}[ \t]*[x×]?[ \t])(?=[^\n]*[A-Za-z]{{2}}[^\n]*{_AMOUNT}[ \t]*$)",
    re.MULTILINE | re.IGNORECASE,
)
"""A quantity alone on the line above its item."""
_LETTERS: Final = re.compile(r"[A-Za-z]{2}")


@dataclass(frozen=True, slots=True)
class ScannedItem:
    """One item as read; numbers are restored, texts are not."""

    count: int
    name: str
    code: str
    """Empty if none was noted."""
    unit_cents: int
    total_cents: int


@dataclass(frozen=True, slots=True)
class ScannedReceipt:
    """The lines above the items, the items, and the subtotal; None if no line gives a subtotal."""

    head: tuple[str, ...]
    items: tuple[ScannedItem, ...]
    subtotal_cents: int | None


def _lines_of(text: str) -> list[str]:
    """Return the lines without currencies, each quantity on the line of its item."""
    return [line.rstrip() for line in _COUNT_ABOVE.sub(r"\1  ", _CURRENCY.sub(" ", text)).splitlines()]


def _subtotal_in(lines: Sequence[str]) -> int | None:
    match = next((match for line in lines if (match := _SUBTOTAL.search(line))), None)
    return _cents(match["amount"]) if match else None


def _cents(amount: str) -> int:
    return cents_of(restored_number(amount))


def _counted(count: int, unit: int, total: int) -> int:
    """Return a quantity, corrected if it does not fit the prices."""
    return total // unit if unit and count * unit != total and total % unit == 0 else count


def read_scan(text: str) -> ScannedReceipt | None:
    """Parse a slip; return None for a text without a single item."""
    lines = _lines_of(text)
    starts = [at for at, line in enumerate(lines) if _ITEM.match(line) and not _END.search(line)]
    if not starts:
        return None
    ends = [*starts[1:], next((at for at in range(starts[-1], len(lines)) if _END.search(lines[at])), len(lines))]
    items = tuple(_item(lines[start:end]) for start, end in zip(starts, ends, strict=True))
    return ScannedReceipt(tuple(line for line in lines[: starts[0]] if line.strip()), items, _subtotal_in(lines))


def _item(lines: Sequence[str]) -> ScannedItem:
    match = _ITEM.match(lines[0])
    assert match is not None  # The caller chose the line by it.
    unit, total = _cents(match["each"]), _cents(match["total"])
    count = _counted(int(restored_number(match["count"])), unit, total)
    notes = [note["code"] for line in lines[1:] if (note := _NOTE.search(line))]
    rest = (line.strip() for line in lines[1:2] if not _NOTE.search(line) and _LETTERS.search(line))
    name = " ".join([match["name"], *rest])  # The line after the first, unless it is a code, a rule or a stamp.
    return ScannedItem(count, name, notes[0] if notes else "", unit, total)


_CODE: Final = re.compile(r"(?<![\w-])[A-Z0-9]{2,}(?:-[A-Z0-9]+)+(?![\w-])")
_PRICE: Final = re.compile(rf"(?<![\w.,-])(?=\S*\d){_AMOUNT}")
_QUANTITY: Final = re.compile(r"(?<![\w.,-])(?:x\s?)?(\d{1,4})(?:\s*(?:x|×|pcs?|stk)\b)?(?![\w.,-])", re.IGNORECASE)


def read_coded_lines(lines: Sequence[str]) -> ScannedReceipt | None:
    """Return a receipt whose lines hold a product's code, a quantity and prices; None for a text without one.

    A single price on a line is the unit price. The items do not have names: their codes identify the products.
    """
    lines = _lines_of("\n".join(lines))
    items = {at: item for at, line in enumerate(lines) if (item := _coded_item(line)) is not None}
    if not items:
        return None
    head = tuple(line for line in lines[: next(iter(items))] if line.strip())
    return ScannedReceipt(head, tuple(items.values()), _subtotal_in(lines))


def _coded_item(line: str) -> ScannedItem | None:
    code = _CODE.search(line)
    if code is None or _SUBTOTAL.search(line):
        return None
    rest = f"{re.sub(_NUMBER, '', line[: code.start()])} {line[code.end() :]}"
    prices = [_cents(price) for price in _PRICE.findall(rest)]
    count = _QUANTITY.search(_PRICE.sub(" ", rest))
    if not prices or (count is None and len(prices) < 2):
        return None
    unit, total = prices[-2:] if len(prices) > 1 else (prices[0], 0)
    quantity = int(count[1]) if count else 0
    quantity = _counted(quantity, unit, total) if total else quantity
    return ScannedItem(quantity, "", code[0], unit, total or quantity * unit) if quantity else None


@dataclass(frozen=True, slots=True)
class Repriced:
    """Today's sum of a receipt and its own sum, in cents."""

    current_cents: int
    difference_cents: int
    """Without sign."""
    is_within: bool
    """True if the difference is within the tolerance."""


def reprice(
    counts: Sequence[tuple[str, int]], subtotal_cents: int, prices_cents: Mapping[str, int], tolerance_cents: int = 0
) -> Repriced:
    """Return the cost of codes with their quantities today. Raises `KeyError` for a code without a price."""
    current = sum(count * prices_cents[code] for code, count in counts)
    difference = abs(current - subtotal_cents)
    return Repriced(current, difference, difference <= tolerance_cents)


_ALIKE_IN_CODES: Final = str.maketrans("OILZSB", "011258")
_JOINT: Final = re.compile(r"[\s_–—-]+")


def repaired_code(read: str, catalogue: Collection[str]) -> str | None:
    """Return the catalogue's code that was read, or the only one that may have been misread as it; else None.

    After the first dash characters that look alike count as one, as do dashes and the characters read in their place.
    """
    if read in catalogue:
        return read
    codes = [code for code in catalogue if _as_read(code) == _as_read(read)]
    return codes[0] if len(codes) == 1 else None


def _as_read(code: str) -> str:
    prefix, dash, suffix = _JOINT.sub("-", code.upper()).partition("-")
    return prefix + dash + suffix.translate(_ALIKE_IN_CODES)
