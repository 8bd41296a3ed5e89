"""Scanned papers: sales slips and purchase requests, with the errors that scanners make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.world.names import read_data
from controlplane.benchmarks.ecom.world.records import SoldProduct, Store
from controlplane.benchmarks.ecom.world.world import World

# The damage that a worn paper does to its scan.
#
# Scanned papers are text, as a scanner that reads letters (OCR) gives it. The scan of a worn
# paper misreads or drops letters, changes case, and has rows of rubbish between lines:
# `Nordvane Skery two-pers0n tent`.

SCANS: Final = read_data("scans.json")
"""Texts of scans and crosslists, and the characters that scans misread, by their use.

`misread`: `{"o": "0", "l": "1", ...}`; `rubbish`: rows of rubbish, such as `*** COPY ***`.
"""
_RULE_WIDTH: Final = 54
"""The number of dashes in a row of dashes."""
_LEAST_LETTERS_OF_DAMAGED_WORD: Final = 6
"""Shorter words keep all their letters, so that names can still be recognised."""


def _worn_text(rng: Random, text: str, wear: float) -> str:
    """Return a text as it appears in a worn scan: without a letter, misread, or in capitals.

    `wear` is the chance of most errors, from 0 to 1. Several may occur together.
    """
    if rng.random() < wear:
        text = _without_one_letter(rng, text)
    if rng.random() < wear:
        text = _misread_text(rng, text, SCANS["misread"])
    if rng.random() < wear / 3:  # Rarer, because capitals change the whole text.
        text = text.upper()
    return text


def _misread_text(rng: Random, text: str, misread_as: Mapping[str, str]) -> str:
    """Return a text with one character misread, if it has one that can be.

    `two` with `{"o": "0"}` -> `tw0`
    """
    places = [place for place, character in enumerate(text) if character in misread_as]
    if not places:
        return text
    place = rng.choice(places)
    return text[:place] + misread_as[text[place]] + text[place + 1 :]


def _without_one_letter(rng: Random, text: str) -> str:
    """Return a text without one inner letter of a long word, if it has one: `Skery` for `Skerry`."""
    words = text.split(" ")
    numbers_of_long_words = []
    for number, word in enumerate(words):
        if len(word) >= _LEAST_LETTERS_OF_DAMAGED_WORD and word.isalpha():
            numbers_of_long_words.append(number)
    if not numbers_of_long_words:
        return text
    number = rng.choice(numbers_of_long_words)
    word = words[number]
    place = rng.randrange(2, len(word) - 1)
    words[number] = word[:place] + word[place + 1 :]
    return " ".join(words)


def row_of_dashes(rng: Random, wear: float) -> str:
    """Return a row of dashes, some of which were scanned as other characters."""
    # A row has many dashes, so a few of them are misread.
    chance_for_each_dash = wear / 12
    signs = []
    for _ in range(_RULE_WIDTH):
        sign = "-"
        if rng.random() < chance_for_each_dash:
            sign = rng.choice(".:_ ")
        signs.append(sign)
    return "".join(signs)


def rubbish_rows(rng: Random, chance: float) -> list[str]:
    """Return a row of rubbish with this chance, else no row."""
    if rng.random() < chance:
        return [rng.choice(SCANS["rubbish"])]
    return []


# Sales slips: papers that a clerk filled in by hand while the till was out of order.
#
# A slip has the branch, one line per product (quantity, name, prices, and the SKU that the
# clerk noted) and the total. A customer uploads its scan, which is text with the errors of a
# worn paper. No digit is misread as another digit, so every number can still be read.

_VAT_PERCENT: Final = 20
_NAME_COLUMN_WIDTH: Final = 24
"""The width of the name column on a sales slip. Longer names continue on the next row."""
_COLUMN_GAP: Final = 2
"""The spaces between the name column and the prices."""


@dataclass(frozen=True, slots=True)
class SlipLine:
    """One line of a sales slip."""

    product: SoldProduct
    count: int
    each_cents: int
    """The price of one unit at the time of the sale."""
    noted_sku: str
    """The SKU that the clerk noted. It may be outdated."""


def slip_subtotal(lines: Sequence[SlipLine]) -> int:
    """Return the cost of a sales slip's lines at the time of the sale, in cents and without tax."""
    return sum(line.count * line.each_cents for line in lines)


def add_receipt(
    world: World, store: Store, lines: Sequence[SlipLine], *, wear: float
) -> str:
    """Add the scan of a sales slip to the customers' uploads, and return its path.

    `wear` is the chance of most scanning errors, from 0 to 1. Up to two uploads of other
    kinds, such as a delivery note, are added as well, so the receipt has to be found.
    """
    rng = world.rng
    text = _slip_text(world, store, lines, wear)
    receipt_path = world.names.upload("receipt", f"{rng.getrandbits(32):08x}")
    world.files[receipt_path] = text
    # `{"delivery_note": "... cartons received: {} ...", ...}`, with a gap for a number
    other_texts = SCANS["others"]
    for kind in rng.sample(sorted(other_texts), rng.randint(0, 2)):
        path = world.names.upload(kind, f"{rng.getrandbits(32):08x}")
        world.files[path] = other_texts[kind].format(rng.randint(2, 40))
    return receipt_path


def _slip_text(
    world: World, store: Store, lines: Sequence[SlipLine], wear: float
) -> str:
    """Return the scan of a sales slip: its head, the rows of each line, and the total with tax.

    `wear` is the chance of most scanning errors, from 0 to 1. Errors that damage more
    than others, such as a misread quantity, have a fraction of this chance.
    """
    rng = world.rng
    sold_at = world.ago(days=rng.randint(20, 300))
    company = store.name.split()[0].upper()
    rows = [
        _worn_text(rng, f"{company} MANUAL SALES SLIP", wear),
        _worn_text(rng, "TILL OUTAGE BACKUP - HAND ENTERED", wear),
        row_of_dashes(rng, wear),
        f"Store : {_worn_text(rng, store.name, wear)}",
        f"Branch: {_worn_text(rng, store.street, wear)} {store.city}",
    ]
    rows += rubbish_rows(rng, wear)
    slip_number = f"S-{rng.getrandbits(32):08x}"
    rows += [
        f"Slip  : {slip_number}     Date : {sold_at[:10]}   Time: {sold_at[11:16]}",
        row_of_dashes(rng, wear),
        " Qty  Item written on outage form        Each      Line",
    ]
    for number, line in enumerate(lines, start=1):
        rows += _slip_rows(rng, number, line, wear)

    net = slip_subtotal(lines)
    tax = net * _VAT_PERCENT // 100
    rows += [
        row_of_dashes(rng, wear),
        f"Manual subtotal excl. VAT   EUR {_amount(net)}",
        f"Tax VAT {_VAT_PERCENT}%                 EUR {_amount(tax)}",
        f"MANUAL TOTAL                EUR {_amount(net + tax)}",
        "Customer signature: ______v__n_",
    ]
    rows += rubbish_rows(rng, wear)
    return "\n".join(rows) + "\n"


def _slip_rows(rng: Random, number: int, line: SlipLine, wear: float) -> list[str]:
    """Return the rows for one line of a sales slip: quantity, name and prices, then the code.

    [1]  2  Nordvane Skerry two-pers     199.00    398.00
            on tent
         SKU / clerk note: VH-TNT-SKERRY-2P
    """
    count = str(line.count)
    total = _amount(line.count * line.each_cents)
    # Damaged numbers and a repeated brand confuse more than a misread letter. So they are rarer.
    # A changed order of these draws would change the tasks of every seed.
    chance_for_count = wear / 2
    chance_for_total = wear / 3
    chance_for_brand = wear / 2
    if rng.random() < chance_for_count:
        count = _misread_text(rng, count, SCANS["misread_digits"])
    if rng.random() < chance_for_total:
        total = _misread_text(rng, total, SCANS["misread_digits"])
    has_brand_twice = rng.random() < chance_for_brand
    name = _worn_text(rng, line.product.name, wear)
    if has_brand_twice:
        name = f"{line.product.brand} {name}"
    name = name.strip()

    first_part = name[:_NAME_COLUMN_WIDTH]
    rest = name[_NAME_COLUMN_WIDTH:]
    each = _amount(line.each_cents)
    name_cell = first_part.ljust(_NAME_COLUMN_WIDTH + _COLUMN_GAP)
    # The prices are right-aligned below their headings.
    rows = [f"[{number}]  {count}  {name_cell} {each:>8} {total:>9}"]
    if rest:
        rows.append(f"        {rest}")
    rows += rubbish_rows(rng, wear / 2)
    rows.append(f"     SKU / clerk note: {_worn_text(rng, line.noted_sku, wear)}")
    return rows


def _amount(cents: int) -> str:
    """Return an amount in euros: `12.50`."""
    return f"{cents / 100:.2f}"
