"""Reads scanned receipts: letters that look like digits, the items and the subtotal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from toolkit.text import cents_of

_DIGITS: Final = str.maketrans("OoIliSsB", "00111558")
_ALIKE: Final = str.maketrans({"o": "0", "i": "1", "l": "1", "s": "5", "b": "8", "z": "2"})
_BLANKS: Final = re.compile(r"[\s_]+")
DIGIT: Final = r"[\dOoIliSsB]"
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
_TOTAL: Final = r"t[o0]t[a4][l1i|]"
_SUBTOTAL: Final = re.compile(rf"\b[s5]u[b8]\s*-?\s*{_TOTAL}.*?(?P<amount>{_AMOUNT})\s*$", re.IGNORECASE)
_END: Final = re.compile(rf"\b(?:(?:[s5]u[b8]\s*-?\s*)?{_TOTAL}|tax|vat)(?!\w)", re.IGNORECASE)
_COUNT_ABOVE: Final = re.compile(
    rf"^[ \t]*({DIGIT}{{1,3}})[ \t]*(?:[x×]|pcs?\.?|stk\.?)?[ \t]*\n"
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
