"""Reads scanned receipts: their items, with quantities and prices, and their subtotal.

A line begins with the quantity and the name of an item, and ends with the price of one piece
and the total. A code may follow on a later line:

    2 x  Lea tarp 3x3 sand        71.39   142.78
         art: VH-TRP-LEA-3X3-5ND

In a second layout, the line of an item has its code instead of its name. Scans have faults:
characters are misread, such as `5ND` for `SND` above and `7l.3O` for `71.30`, and a quantity
may be on the line above its item.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.texts.amounts import cents_of

# Misread characters -----------------------------------------------------------------------------

DIGIT: Final = r"[\dOoIliZSsB]"
"""A digit, or a letter as which a digit may have been read."""
_DIGIT_OF_LETTER: Final = str.maketrans("OoIliZSsB", "001112558")
"""For numbers: the digit for each such letter."""


def corrected_number(text: str) -> str:
    """Return a number with digits in place of misread letters: `7l.3O` -> `71.30`."""
    return text.translate(_DIGIT_OF_LETTER)


def _corrected_cents(amount: str) -> int:
    """Return a scanned amount in cents: `7l.3O` -> 7130."""
    return cents_of(corrected_number(amount))


_SIMILAR_CHARACTERS: Final = str.maketrans(
    {"o": "0", "i": "1", "l": "1", "s": "5", "b": "8", "z": "2"}
)
"""For names, which have letters and digits: one character for those that look alike."""
_BLANKS: Final = re.compile(r"[\s_]+")


def folded_text(text: str) -> str:
    """Return a text without case and blanks, with one character for all that look alike.

    Misread texts can be compared in this form: `Lea TARP S` -> `1eatarp5`.
    """
    return _BLANKS.sub("", text).casefold().translate(_SIMILAR_CHARACTERS)


def likeness(left: str, right: str) -> float:
    """Return how similar two folded texts are, from 0 to 1."""
    # Imported here, because the trusted process imports this module but never compares texts.
    from difflib import SequenceMatcher

    return SequenceMatcher(None, left, right, autojunk=False).ratio()


# The parts of a receipt -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScannedItem:
    """One item of a receipt. Misread digits are corrected. Name and code are as scanned."""

    count: int
    name: str
    """Empty if the line of the item has only a code."""
    code: str
    """Empty if the receipt gives no code."""
    unit_cents: int
    total_cents: int


@dataclass(frozen=True, slots=True)
class ScannedReceipt:
    """The parts of a scanned receipt."""

    head: tuple[str, ...]
    """The lines above the items, such as the branch's name."""
    items: tuple[ScannedItem, ...]
    subtotal_cents: int | None
    """None if no line gives a subtotal."""


_AMOUNT: Final = (
    rf"(?:{DIGIT}{{1,3}}(?:[.,']{DIGIT}{{3}})+|{DIGIT}+)[.,]{DIGIT}{{2}}(?!\w)"
)
"""An amount with two decimals: `1,142.78`."""


# Quantities above items -------------------------------------------------------------------------

# The parts of a quantity that stands alone on the line above its item:
#
#     [ 3] Qty: 2 pcs
#     Lea tarp   71.39
#
_LINE_NUMBER: Final = r"(?:\[\s*\w{1,2}\s*\][ \t]*)?"
"""The item's number, if there is one: `[ 3] `."""
_QUANTITY_WORD: Final = r"(?:(?:[qo0]t[yv]|quantity|menge|anzahl)\b[.: \t]*)?"
"""The word before the quantity, if there is one: `Qty: `, misread as `0tv`."""
_PIECES: Final = r"(?:[x×@]|pcs?\.?|pieces?|stk\.?)?"
"""The word after the quantity, if there is one: `x`, `pcs`."""
_LINE_BREAK: Final = r"\n(?:[ \t]*\n)?[ \t]*"
"""The end of the line, at most one empty line, and the next line's indentation."""
_NO_QUANTITY_NEXT: Final = r"(?!\d{1,3}[ \t]*[x×]?[ \t])"
"""The next line must not begin with a quantity of its own, such as `2 x Lea tarp`."""
_NAME_AND_PRICE_NEXT: Final = rf"(?=[^\n]*[A-Za-z]{{2}}[^\n]*{_AMOUNT}[ \t]*$)"
"""The next line must have a word and end with a price: `Lea tarp   71.39`."""

_QUANTITY_ABOVE: Final = re.compile(
    rf"^[ \t]*{_LINE_NUMBER}{_QUANTITY_WORD}[x×]?[ \t]*(?P<count>{DIGIT}{{1,3}})[ \t]*{_PIECES}[ \t]*"
    rf"{_LINE_BREAK}{_NO_QUANTITY_NEXT}{_NAME_AND_PRICE_NEXT}",
    re.MULTILINE | re.IGNORECASE,
)
"""A line with only a quantity, up to the start of the item below it: `[ 3] Qty: 2 pcs`."""
_CURRENCY: Final = re.compile(r"€|\bEUR\b")


def _lines_of(text: str) -> list[str]:
    """Return the lines of a receipt, in the form that all patterns below match.

    They have no currencies, and each quantity is on the line of its item: `2  Lea tarp   71.39`.
    """
    without_currencies = _CURRENCY.sub(" ", text)
    with_quantities = _QUANTITY_ABOVE.sub(r"\g<count>  ", without_currencies)
    return [line.rstrip() for line in with_quantities.splitlines()]


# The lines around the items ---------------------------------------------------------------------


def _head_of(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines above the items, without blank ones."""
    return tuple(line for line in lines if line.strip())


_SUB: Final = r"[s5]\s?u\s?[b86][\s.-]*"
"""`Sub`, as it may be misread: `5 ub`, `SU8`."""
_TOTAL: Final = r"t\s?[o0]\s?t\s?[a4]\s?[l1i|]"
"""`Total`, as it may be misread: `t0ta1`, `TOT4|`."""
_TOTAL_AFTER_SUB: Final = r"t\s?[o0]\s?t\s?[a4]?\s?[l1i|]?"
"""`Total` or its beginning, such as `T0T`. Right after `Sub`, three letters are enough."""
_SUBTOTAL_WORD: Final = (
    rf"\b(?:{_SUB}{_TOTAL_AFTER_SUB}|zwischensumme|sous-?total)(?!\w)"
)
"""`5ub-t0ta1`, `SUB T0T`, `Zwischensumme`"""
_SUBTOTAL: Final = re.compile(
    rf"{_SUBTOTAL_WORD}.*?(?P<amount>{_AMOUNT})\s*$", re.IGNORECASE
)
"""`5ub-t0ta1   142.78`"""
_END_OF_ITEMS: Final = re.compile(
    rf"{_SUBTOTAL_WORD}|\b(?:{_TOTAL}|tax|vat)(?!\w)", re.IGNORECASE
)
"""A word that starts a line below the items: subtotal, total or tax."""


def _subtotal_in(lines: Sequence[str]) -> int | None:
    """Return the first subtotal in cents; None if no line gives one."""
    for line in lines:
        match = _SUBTOTAL.search(line)
        if match is not None:
            return _corrected_cents(match["amount"])
    return None


def _end_of_items(lines: Sequence[str], last_start: int) -> int:
    """Return the index of the line below the last item, which starts on the line `last_start`."""
    for index in range(last_start, len(lines)):
        if _END_OF_ITEMS.search(lines[index]):
            return index
    return len(lines)


# Receipts whose items have names ----------------------------------------------------------------

_START_OF_ITEM: Final = r"^\W*(?:\[\s*\w{1,2}\s*\]\W*)?"
"""The start of an item's line before the quantity. It may be the item's number: `[ 3]`."""
_ITEM: Final = re.compile(
    rf"{_START_OF_ITEM}(?P<count>{DIGIT}{{1,3}})\s*[x×]?\s+(?P<name>\S.*?)"
    rf"\s+(?P<unit>{_AMOUNT})\s+(?P<total>{_AMOUNT})\s*$"
)
"""`2 x  Lea tarp 3x3 sand   71.39   142.78`"""
_NOTED_CODE: Final = re.compile(
    r"\b(?:sku|note|code|art)\b[^:]*:\s*(?P<code>\S+)", re.IGNORECASE
)
"""`art: VH-TRP-LEA-3X3-GRN`"""
_TWO_LETTERS: Final = re.compile(r"[A-Za-z]{2}")
"""Occurs in each line with a word, but not in a line of dashes."""


def read_scan(text: str) -> ScannedReceipt | None:
    """Return a receipt whose lines have quantity, name and prices; None if the text is not one."""
    lines = _lines_of(text)
    starts = []
    for index, line in enumerate(lines):
        if _ITEM.match(line) and not _END_OF_ITEMS.search(line):
            starts.append(index)
    if not starts:
        return None

    # Each item goes up to the next one. The last one goes up to the subtotal, or to the end.
    ends = [*starts[1:], _end_of_items(lines, starts[-1])]
    items = []
    for start, end in zip(starts, ends, strict=True):
        items.append(_named_item(lines[start:end]))
    return ScannedReceipt(
        _head_of(lines[: starts[0]]), tuple(items), _subtotal_in(lines)
    )


def _named_item(lines: Sequence[str]) -> ScannedItem:
    """Return the item on these lines.

    The first line matches `_ITEM`. The second one may continue the name. Any line after
    the first may give the code.
    """
    match = _ITEM.match(lines[0])
    assert match is not None
    unit_cents = _corrected_cents(match["unit"])
    total_cents = _corrected_cents(match["total"])
    scanned_count = int(corrected_number(match["count"]))
    count = _corrected_count(scanned_count, unit_cents, total_cents)

    name = match["name"]
    code = ""
    for number, line in enumerate(lines[1:], 1):
        noted_code = _NOTED_CODE.search(line)
        continues_name = number == 1 and _TWO_LETTERS.search(line)
        if noted_code is not None:
            code = code or noted_code["code"]
        elif continues_name:
            name = f"{name} {line.strip()}"
    return ScannedItem(count, name, code, unit_cents, total_cents)


def _corrected_count(scanned_count: int, unit_cents: int, total_cents: int) -> int:
    """Return the quantity of an item, which may be misread.

    The prices are read more reliably: a total of 142.78 at 71.39 a piece means 2 pieces.
    The scanned quantity counts only if they give no whole number.
    """
    if unit_cents == 0 or total_cents % unit_cents != 0:
        return scanned_count
    return total_cents // unit_cents


# Receipts whose items have codes ----------------------------------------------------------------

_CODE: Final = re.compile(r"(?<![\w-])[A-Z0-9]{2,}(?:-[A-Z0-9]+)+(?![\w-])")
"""`VH-TRP-LEA-3X3-GRN`"""
_PRICE: Final = re.compile(rf"(?<![\w.,-])(?=\S*\d){_AMOUNT}")
"""`71.39`, or `7l.3O`. At least one character is a digit; `SO.OO` is a word."""
_QUANTITY: Final = re.compile(
    r"(?<![\w.,-])(?:x\s?)?(\d{1,4})(?:\s*(?:x|×|pcs?|stk)\b)?(?![\w.,-])",
    re.IGNORECASE,
)
"""`2`, `x2`, `2 pcs`"""


def read_coded_lines(lines: Sequence[str]) -> ScannedReceipt | None:
    """Return a receipt whose lines have a product's code, a quantity and prices, but no names.

    The result is None if no line has these.
    """
    # Joined, because `_lines_of` puts a quantity from the line above into the line of its item.
    lines = _lines_of("\n".join(lines))
    items: list[ScannedItem] = []
    first_item_line = 0
    for index, line in enumerate(lines):
        item = _coded_item(line)
        if item is None:
            continue
        if not items:
            first_item_line = index
        items.append(item)
    if not items:
        return None
    return ScannedReceipt(
        _head_of(lines[:first_item_line]), tuple(items), _subtotal_in(lines)
    )


def _coded_item(line: str) -> ScannedItem | None:
    """Return the item on a line with a code: `2 VH-TRP-LEA-3X3-GRN 71.39 142.78`.

    A single price is the price of one piece. Of several prices, the last two are the
    price of one piece and the total. The result is None if there is no code, no price
    or no quantity.
    """
    code = _CODE.search(line)
    if code is None or _SUBTOTAL.search(line):
        return None
    before_code = re.sub(_START_OF_ITEM, "", line[: code.start()])
    rest = f"{before_code} {line[code.end() :]}"
    prices = [_corrected_cents(price) for price in _PRICE.findall(rest)]
    if not prices:
        return None
    rest_without_prices = _PRICE.sub(" ", rest)
    quantity_match = _QUANTITY.search(rest_without_prices)
    scanned_quantity = int(quantity_match[1]) if quantity_match else 0

    if len(prices) == 1:
        unit_cents = prices[0]
        printed_total_cents = 0
    else:
        unit_cents = prices[-2]
        printed_total_cents = prices[-1]
    # Without a total, or with one that was misread as 0.00, the total follows from the quantity.
    if printed_total_cents:
        quantity = _corrected_count(scanned_quantity, unit_cents, printed_total_cents)
        total_cents = printed_total_cents
    else:
        quantity = scanned_quantity
        total_cents = quantity * unit_cents
    if quantity == 0:
        return None
    return ScannedItem(
        count=quantity,
        name="",
        code=code[0],
        unit_cents=unit_cents,
        total_cents=total_cents,
    )


# Codes and prices of today ----------------------------------------------------------------------

_SIMILAR_IN_CODES: Final = str.maketrans("OILZSB", "011258")
"""For codes, which have capitals and digits: one character for those that look alike."""
_SEPARATORS: Final = re.compile(r"[\s_–—-]+")


def repaired_code(scanned_code: str, catalogue: Collection[str]) -> str | None:
    """Return the code of the catalogue that a scanned code equals or was misread from.

    Dashes, blanks and underscores are equal. After the first dash, characters that look
    alike are equal too: `VH TRP-LEA-3X3-5ND` -> `VH-TRP-LEA-3X3-SND`. The letters
    before it are a word of the shop and must be right. The result is None if no code or
    several are possible.
    """
    if scanned_code in catalogue:
        return scanned_code
    folded = _folded_code(scanned_code)
    codes = [code for code in catalogue if _folded_code(code) == folded]
    return codes[0] if len(codes) == 1 else None


def _folded_code(code: str) -> str:
    """Return a code in a form that is the same for all its misread spellings."""
    prefix, dash, suffix = _SEPARATORS.sub("-", code.upper()).partition("-")
    return prefix + dash + suffix.translate(_SIMILAR_IN_CODES)


@dataclass(frozen=True, slots=True)
class Repriced:
    """Today's cost of items, compared with the sum of a receipt."""

    today_cents: int
    difference_cents: int
    """The absolute difference."""


def reprice(
    counts: Iterable[tuple[str, int]],
    subtotal_cents: int,
    prices_cents: Mapping[str, int],
) -> Repriced:
    """Return today's cost of codes with quantities, compared with a receipt's subtotal.

    Raises `KeyError` for a code without a price.
    """
    today_cents = 0
    for code, count in counts:
        today_cents += count * prices_cents[code]
    return Repriced(today_cents, abs(today_cents - subtotal_cents))
