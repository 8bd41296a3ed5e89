"""What a scanned receipt makes of a question: its branch, its lines, and what they cost today.

A scan loses single letters and takes some for digits, never one digit for another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.questions.stated_answers import no_question, yes_no
from benchmarks.shop.computed.shop_workspace import Record, ShopWorkspace
from benchmarks.shop.computed.stock import stock_of
from benchmarks.shop.language.record_kinds import Kind, kind_of, named_ids, skus_in
from benchmarks.shop.language.shop_evidence import OK
from benchmarks.shop.language.yes_no_questions import wants_yes_or_no
from gates import Case
from gates.reading import DoesNotApply
from toolkit.receipts import restored_number
from toolkit.stock import StockUnits

_LOOK_ALIKE: Final = str.maketrans("015862i", "olsbgzl")
"""Characters that a scan takes for each other."""
_ITEM: Final = re.compile(r"^\W*(?:\w{1,3}\]\W+)?([0-9OIlSB]{1,4})\s+(\S.*?)\s+(\d+\.\d\d)\s+\S+\s*$")
"""A line with a quantity, a name, the price of one and the price of all."""
_SUBTOTAL: Final = re.compile(r"\bsub\W?total\b[^\n]*?(\d+)\.(\d\d)\s*$", re.IGNORECASE | re.MULTILINE)
_FILE: Final = re.compile(r"(?<![\w/])/[\w-]+/[\w./-]*\w")
_TODAY: Final = re.compile(r"\btoday\b", re.IGNORECASE)
_LIMIT: Final = re.compile(r"(?:\bEUR|€) ?(\d+)\.(\d\d)\b", re.IGNORECASE)
"""An amount in a question about a receipt: by how much today's prices may differ."""
_KEPT_NAMES: Final = 4_096
"""Names and lines that are kept as they are compared: every line of a receipt is held against every product."""
_LOST: Final = 1
"""How many letters of a name a scan may lose."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """A receipt whose branch and lines are certain."""

    path: str
    text: str
    store: Record
    lines: tuple[tuple[Record, int], ...]
    """Products and quantities."""

    @property
    def cited(self) -> frozenset[str]:
        """What an answer about it rests on."""
        return frozenset((self.path, self.store.path, *(each.path for each, _ in self.lines)))


def asks_about_receipt(case: Case, text: str, shop: ShopWorkspace) -> bool:
    """Say whether a request wants a yes or a no about today of a receipt alone, which it names by path or folder."""
    if not wants_yes_or_no(case) or _TODAY.search(text) is None or named_ids(text) or skus_in(text):
        return False
    files = _FILE.findall(text)
    words = (each.strip(".,;:!?()'\"") for each in text.lower().split())
    if not any(map(_is_upload, files or (f"/{each}s/" for each in words))):
        return False
    return any(map(_ITEM.match, shop.text(shop.receipt(text)).splitlines()))


def _is_upload(path: str) -> bool:
    return kind_of(path) is Kind.UPLOAD


def receipt_asked(text: str, rules: str, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of a question whether a receipt's lines can be bought again, or cost the same today."""
    path = shop.receipt(text)
    receipt = _read(path, shop.text(path), shop)
    within = _LIMIT.findall(text)
    if within:
        return _repriced(receipt, within, rules)
    stock = stock_of(receipt.store.data)
    is_enough = all(stock.get(str(each.data["sku"]), StockUnits()).available >= units for each, units in receipt.lines)
    return Expectation(
        f"The lines of {path} and the stock rows of {receipt.store.data['id']}",
        OK,
        cited=receipt.cited,
        states=yes_no(is_enough, rules),
    )


def _repriced(receipt: Receipt, within: list[tuple[str, str]], rules: str) -> Expectation:
    if len(within) != 1:
        no_question()
    before = _subtotal(receipt)
    today = sum(int(each.data["price_cents"]) * units for each, units in receipt.lines)
    difference = abs(today - before)
    return Expectation(
        f"The lines of {receipt.path} and today's prices",
        OK,
        cited=receipt.cited,
        states=yes_no(difference <= int("".join(within[0])), rules),
    )


def _subtotal(receipt: Receipt) -> int:
    """Return what a receipt's goods cost, in cents: as it says, or else the sum of its lines if it states that too.

    Raises `DoesNotApply` if neither is certain.
    """
    said = _SUBTOTAL.findall(receipt.text)
    if len(said) == 1:
        return int("".join(said[0]))
    rows = receipt.text.splitlines()
    prices = [int(found[3].replace(".", "")) for found in filter(None, map(_ITEM.match, rows))]
    total = sum(price * units for price, (_, units) in zip(prices, receipt.lines, strict=True))
    further = " ".join(each for each in rows if _ITEM.match(each) is None)
    if said or f"{total // 100}.{total % 100:02}" not in further.split():
        no_question()
    return total


def _read(path: str, text: str, shop: ShopWorkspace) -> Receipt:
    rows = [row.partition(":")[2] or row for row in text.splitlines()]
    stores = [each for each in shop.stores if any(_is_worn(row, str(each.data["name"])) for row in rows)]
    if len(stores) != 1:
        msg = "the branch on the receipt is not certain"
        raise DoesNotApply(msg)
    return Receipt(path, text, shop.at(stores[0].path), tuple(_lines(text, shop.products)))


def _lines(text: str, products: Iterable[Record]) -> list[tuple[Record, int]]:
    """Return the products of a receipt's lines with their quantities, told by brand and name."""
    names = [(str(each.data["name"]), str(each.data["brand"]), each) for each in products]
    rows = text.splitlines()
    heads = [(at, head) for at, row in enumerate(rows) if (head := _ITEM.match(row))]
    found: list[tuple[Record, int]] = []
    ends = [*(at for at, _ in heads), len(rows)][1:]
    for (at, head), end in zip(heads, ends, strict=True):
        said = [head[2], *(f"{head[2]}{row.strip()}" for row in rows[at + 1 : end])]
        fitting = [
            product
            for name, brand, product in names
            if any(_is_worn(each, name) or _is_worn(each, f"{brand}{name}") for each in said)
        ]
        if len(fitting) != 1:
            msg = "a line of the receipt is not certain"
            raise DoesNotApply(msg)
        found.append((fitting[0], int(restored_number(head[1]))))
    if not found or len({each.path for each, _ in found}) < len(found):
        msg = "a receipt without lines, or with two of one product"
        raise DoesNotApply(msg)
    return found


def _is_worn(read: str, name: str) -> bool:
    """Say whether a name may have been read so: with look-alike characters, and without one of its letters."""
    have, want = _folded(read), _folded(name)
    if len(want) - len(have) not in range(_LOST + 1):
        return False
    letters = iter(want)
    return all(each in letters for each in have)


@lru_cache(maxsize=_KEPT_NAMES)
def _folded(text: str) -> str:
    """Return the letters and digits of a text in the one spelling that all misreadings of its characters share."""
    return re.sub(r"[\W_]", "", text.casefold()).translate(_LOOK_ALIKE)
