"""Reads scanned receipts: letters that look like digits, the items and the subtotal."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toolkit.text import cents_of

_DIGITS: Final = str.maketrans("OoIliZSsB", "001112558")
_ALIKE: Final = str.maketrans({"o": "0", "i": "1", "l": "1", "s": "5", "b": "8", "z": "2"})
_BLANKS: Final = re.compile(r"[\s_]+")
DIGIT: Final = r"[\dOoIliZSsB]"
"""A digit, or a letter that one is misread as."""


def restored_number(text: str) -> str:
    """Return a number with digits in place of the letters that look like them."""
    return text.translate(_DIGITS).replace(",", ".")


def folded_text(text: str) -> str:
    """Return a text in which all that looks alike is one, without blanks and case."""
    return _BLANKS.sub("", text).casefold().translate(_ALIKE)


def likeness(left: str, right: str) -> float:
    """Return how alike two folded texts are, from 0 to 1."""
    from difflib import SequenceMatcher  # The trusted process imports this module and never compares.

    return SequenceMatcher(None, left, right, autojunk=False).ratio()


def shared_beginning(left: str, right: str) -> int:
    """Return with how many characters two folded texts begin alike."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(left), len(right)))


_AMOUNT: Final = rf"{DIGIT}+[.,]{DIGIT}{{2}}"
_ITEM: Final = re.compile(
    rf"^\W*(?:\[\s*\w{{1,2}}\s*\]\W*)?(?P<count>{DIGIT}{{1,3}})\s*[x×]?\s+(?P<name>\S.*?)\s+"
    rf"(?P<each>{_AMOUNT})\s+(?P<total>{_AMOUNT})\s*$"
)
_NOTE: Final = re.compile(r"\b(?:sku|note|code|art)\b[^:]*:\s*(?P<code>\S+)", re.IGNORECASE)
_SUB: Final = r"[s5]\s?u\s?[b86]\s*-?\s*"
_TOTAL: Final = r"t\s?[o0]\s?t\s?[a4]\s?[l1i|]"
_SUBTOTAL: Final = re.compile(rf"\b{_SUB}{_TOTAL}.*?(?P<amount>{_AMOUNT})\s*$", re.IGNORECASE)
_END: Final = re.compile(rf"\b(?:(?:{_SUB})?{_TOTAL}|tax|vat)(?!\w)", re.IGNORECASE)
_COUNT_ABOVE: Final = re.compile(
    rf"^[ \t]*(?:\[\s*\w{{1,2}}\s*\][ \t]*)?(?:(?:qty|quantity)\b[.: \t]*)?[x×]?[ \t]*({DIGIT}{{1,3}})"
    rf"[ \t]*(?:[x×@]|pcs?\.?|pieces?|stk\.?)?[ \t]*\n(?:[ \t]*\n)?[ \t]*"
    rf"(?=[^\n]*[A-Za-z]{{2}}[^\n]*{_AMOUNT}[ \t]+{_AMOUNT}[ \t]*$)",
    re.MULTILINE | re.IGNORECASE,
)
"""A quantity alone on the line above its item."""
_LETTERS: Final = re.compile(r"[A-Za-z]{2}")


@dataclass(frozen=True, slots=True)
class ScannedItem:
    """One item as it was read; numbers are restored, texts are not."""

    count: int
    name: str
    code: str
    """Empty if none was noted."""
    unit_cents: int
    total_cents: int


@dataclass(frozen=True, slots=True)
class ScannedReceipt:
    """What stands above the items, the items, and the subtotal; None if no line gives one."""

    head: tuple[str, ...]
    items: tuple[ScannedItem, ...]
    subtotal_cents: int | None


def read_scan(text: str) -> ScannedReceipt | None:
    """Return what a slip says; None for a text without a single item."""
    lines = [line.rstrip() for line in _COUNT_ABOVE.sub(r"\1  ", text).splitlines()]
    starts = [at for at, line in enumerate(lines) if _ITEM.match(line) and not _END.search(line)]
    if not starts:
        return None
    ends = [*starts[1:], next((at for at in range(starts[-1], len(lines)) if _END.search(lines[at])), len(lines))]
    items = tuple(_item(lines[start:end]) for start, end in zip(starts, ends, strict=True))
    subtotals = [found for line in lines if (found := _SUBTOTAL.search(line))]
    subtotal = cents_of(restored_number(subtotals[0]["amount"])) if subtotals else None
    return ScannedReceipt(tuple(line for line in lines[: starts[0]] if line.strip()), items, subtotal)


def _item(lines: Sequence[str]) -> ScannedItem:
    found = _ITEM.match(lines[0])
    assert found is not None  # The caller chose the line by it.
    unit, total = (cents_of(restored_number(found[each])) for each in ("each", "total"))
    count = int(restored_number(found["count"]))
    if unit and count * unit != total and total % unit == 0:
        count = total // unit
    notes = [note["code"] for line in lines[1:] if (note := _NOTE.search(line))]
    name = " ".join([found["name"], *_rest_of_name(lines[1:])])
    return ScannedItem(count, name, notes[0] if notes else "", unit, total)


def _rest_of_name(lines: Sequence[str]) -> Iterator[str]:
    """Yield the line behind an item's first, unless it is a code, a rule or a stamp."""
    for line in lines[:1]:
        if not _NOTE.search(line) and _LETTERS.search(line):
            yield line.strip()


_CODE: Final = re.compile(r"(?<![\w-])[A-Z0-9]{2,}(?:-[A-Z0-9]+)+(?![\w-])")
_PRICE: Final = re.compile(r"(?<![\w.,-])\d+[.,]\d{2}(?!\d)")
_PLAIN_SUBTOTAL: Final = re.compile(rf"\b{_SUB}{_TOTAL}(?!\w)", re.IGNORECASE)
_QUANTITY: Final = re.compile(r"(?<![\w.,-])(?:x\s?)?(\d{1,4})(?:\s*(?:x|×|pcs?|stk)\b)?(?![\w.,-])", re.IGNORECASE)


def read_coded_lines(lines: Sequence[str]) -> ScannedReceipt | None:
    """Return a receipt whose lines hold a product's code, a quantity and prices; None for a text without one.

    A line with one price gives that of a unit. The items have no names: their codes tell the products.
    """
    found = {at: item for at, line in enumerate(lines) if (item := _coded_item(line)) is not None}
    if not found:
        return None
    totals = [_PRICE.findall(line) for line in lines if _PLAIN_SUBTOTAL.search(line)]
    subtotal = next((cents_of(prices[-1]) for prices in totals if prices), None)
    head = tuple(line for line in lines[: next(iter(found))] if line.strip())
    return ScannedReceipt(head, tuple(found.values()), subtotal)


def _coded_item(line: str) -> ScannedItem | None:
    code = _CODE.search(line)
    if code is None or _PLAIN_SUBTOTAL.search(line):
        return None
    before, behind = line[: code.start()], line[code.end() :]
    prices = [cents_of(price) for price in _PRICE.findall(behind)]
    count = _QUANTITY.search(before) or _QUANTITY.search(_PRICE.sub(" ", behind))
    if not prices or count is None or not int(count[1]):
        return None
    quantity = int(count[1])
    unit, total = (prices[-2], prices[-1]) if len(prices) > 1 else (prices[0], quantity * prices[0])
    return ScannedItem(quantity, "", code[0], unit, total)


@dataclass(frozen=True, slots=True)
class Repriced:
    """Today's sum of a receipt beside its own, in cents."""

    current_cents: int
    difference_cents: int
    """Without sign."""
    is_within: bool
    """Whether the difference is within the tolerance."""


def reprice(
    counts: Sequence[tuple[str, int]], subtotal_cents: int, prices_cents: Mapping[str, int], tolerance_cents: int = 0
) -> Repriced:
    """Return what codes with their quantities cost today. Raises `KeyError` for one without a price."""
    current = sum(count * prices_cents[code] for code, count in counts)
    difference = abs(current - subtotal_cents)
    return Repriced(current, difference, difference <= tolerance_cents)


_ALIKE_IN_CODES: Final = str.maketrans("OILZSB", "011258")
_JOINT: Final = re.compile(r"[\s_–—-]+")


def repaired_code(read: str, catalogue: Collection[str]) -> str | None:
    """Return the code of the catalogue that was read, or the only one that it can be misread from; else None.

    Characters that look alike count as one behind the first dash, as do dashes and what is read in place of them.
    """
    if read in catalogue:
        return read
    found = [code for code in catalogue if _as_read(code) == _as_read(read)]
    return found[0] if len(found) == 1 else None


def _as_read(code: str) -> str:
    prefix, dash, suffix = _JOINT.sub("-", code.upper()).partition("-")
    return prefix + dash + suffix.translate(_ALIKE_IN_CODES)
