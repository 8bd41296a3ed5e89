"""Scanned papers: sales slips that were filled in by hand, and a competitor's purchase requests.

They are text, as a scanner that reads letters (OCR) gives it. The scan of a worn paper
misreads or drops letters, changes case, and has rows of rubbish between lines: `Nordvane
Skery two-pers0n tent`. It never turns one digit into another, so every number can still be
read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from textwrap import wrap
from typing import Final

from controlplane.benchmarks.ecom.world.data import read_data
from controlplane.benchmarks.ecom.world.records import Product, Store
from controlplane.benchmarks.ecom.world.world import World

SCANS: Final = read_data("scans.json")
"""Texts of scans and crosslists, and the characters that scans misread."""
LINE_WIDTH: Final = 60
RULE_WIDTH: Final = 54
NAME_COLUMN_WIDTH: Final = 24
"""The width of the name column on a sales slip. Longer names continue on the next row."""
COLUMN_GAP: Final = 2
"""The spaces between the name column and the prices."""
VAT_PERCENT: Final = 20
LEAST_LETTERS_OF_DAMAGED_WORD: Final = 6
"""Shorter words keep all their letters, so that names can still be recognised."""


@dataclass(frozen=True, slots=True)
class SlipLine:
    """One line of a sales slip."""

    product: Product
    count: int
    each_cents: int
    """The price of one unit at the time of the sale."""
    noted_sku: str
    """The SKU that the clerk noted. It may be outdated."""


@dataclass(frozen=True, slots=True)
class RequestLine:
    """One line of a purchase request."""

    competitor_code: str
    """The competitor's code for the product, which is not an SKU of this shop."""
    product: Product
    """The product that the line describes."""
    specs: Mapping[str, str | float | bool]
    """The requested specifications."""
    count: int

    @property
    def is_match(self) -> bool:
        """True if the product has every requested specification."""
        for key, value in self.specs.items():
            if self.product.properties.get(key) != value:
                return False
        return True


def slip_subtotal(lines: Sequence[SlipLine]) -> int:
    """Return the cost of a sales slip's lines at the time of the sale, in cents and without tax."""
    return sum(line.count * line.each_cents for line in lines)


def add_upload(world: World, kind: str, text: str) -> str:
    """Add an upload and return its path. Sometimes uploads of other kinds are added too."""
    rng = world.rng
    upload = world.names.upload(kind, f"{rng.getrandbits(32):08x}")
    world.files[upload] = text
    # By kind: the text of a delivery note, and the like. Each has a gap for a number.
    other_texts = SCANS["others"]
    for other_kind in rng.sample(sorted(other_texts), rng.randint(0, 2)):
        path = world.names.upload(other_kind, f"{rng.getrandbits(32):08x}")
        world.files[path] = other_texts[other_kind].format(rng.randint(2, 40))
    return upload


def slip_text(
    world: World, store: Store, lines: Sequence[SlipLine], *, wear: float
) -> str:
    """Return the scan of a sales slip.

    `wear` is the chance of most scanning errors, from 0 to 1. Errors that damage more
    than others, such as a misread quantity, have a fraction of this chance.
    """
    rng = world.rng
    sold_at = world.ago(days=rng.randint(20, 300))
    company = store.name.split()[0].upper()
    rows = [
        _worn(rng, f"{company} MANUAL SALES SLIP", wear),
        _worn(rng, "TILL OUTAGE BACKUP - HAND ENTERED", wear),
        _row_of_dashes(rng, wear),
        f"Store : {_worn(rng, store.name, wear)}",
        f"Branch: {_worn(rng, store.street, wear)} {store.city}",
    ]
    rows += _rubbish(rng, wear)
    slip_number = f"S-{rng.getrandbits(32):08x}"
    rows += [
        f"Slip  : {slip_number}     Date : {sold_at[:10]}   Time: {sold_at[11:16]}",
        _row_of_dashes(rng, wear),
        " Qty  Item written on outage form        Each      Line",
    ]
    for number, line in enumerate(lines, start=1):
        rows += _slip_rows(rng, number, line, wear)

    net = slip_subtotal(lines)
    tax = net * VAT_PERCENT // 100
    rows += [
        _row_of_dashes(rng, wear),
        f"Manual subtotal excl. VAT   EUR {_amount(net)}",
        f"Tax VAT {VAT_PERCENT}%                 EUR {_amount(tax)}",
        f"MANUAL TOTAL                EUR {_amount(net + tax)}",
        "Customer signature: ______v__n_",
    ]
    rows += _rubbish(rng, wear)
    return "\n".join(rows) + "\n"


def _slip_rows(rng: Random, number: int, line: SlipLine, wear: float) -> list[str]:
    """Return the rows for one line of a sales slip: quantity, name and prices, then the code."""
    count = str(line.count)
    total = _amount(line.count * line.each_cents)
    # Damaged numbers and a repeated brand confuse more than a misread letter. So they are rarer.
    # A changed order of these draws would change the tasks of every seed.
    rare = wear / 2
    rarest = wear / 3
    if rng.random() < rare:
        count = _misread(rng, count, SCANS["misread_digits"])
    if rng.random() < rarest:
        total = _misread(rng, total, SCANS["misread_digits"])
    has_brand_twice = rng.random() < rare
    name = _worn(rng, line.product.name, wear)
    if has_brand_twice:
        name = f"{line.product.brand} {name}"
    name = name.strip()

    first_part = name[:NAME_COLUMN_WIDTH]
    rest = name[NAME_COLUMN_WIDTH:]
    each = _amount(line.each_cents)
    name_cell = first_part.ljust(NAME_COLUMN_WIDTH + COLUMN_GAP)
    # The prices are right-aligned below their headings.
    rows = [f"[{number}]  {count}  {name_cell} {each:>8} {total:>9}"]
    if rest:
        rows.append(f"        {rest}")
    rows += _rubbish(rng, rare)
    rows.append(f"     SKU / clerk note: {_worn(rng, line.noted_sku, wear)}")
    return rows


# How purchase requests are scanned:
REQUEST_WEAR: Final = 0.6
"""The chance that a dash is misread is a fraction of this."""
CHANCE_OF_NAME_IN_CAPITALS: Final = 0.3
CHANCE_OF_SPECS_IN_CAPITALS: Final = 0.25
CHANCE_OF_NOTE_BELOW_LINE: Final = 0.2
CHANCE_OF_RUBBISH_BELOW_HEADING: Final = 0.4
CHANCE_OF_RUBBISH_BELOW_LINE: Final = 0.15
"""It is lower than below the heading, because a request has several lines."""


def request_text(world: World, store: Store, lines: Sequence[RequestLine]) -> str:
    """Return the scan of a purchase request.

    Digits and names are always right. Case, line breaks and lines of dashes may be damaged.
    """
    rng = world.rng
    wear = REQUEST_WEAR
    company = store.name.split()[0]
    rows = [
        "            HALVORSEN TENDER DESK",
        "             PROCUREMENT REQUEST",
        _row_of_dashes(rng, wear),
        f"Request PR-{rng.getrandbits(32):08X}      Date {world.clock.date()}",
        f"BUYER   {rng.choice(SCANS['buyers'])}",
        f"{company} target branch: {store.name}",
    ]
    rows += _rubbish(rng, CHANCE_OF_RUBBISH_BELOW_HEADING)
    rows += [
        f"TARGET AREA: {store.street} {store.city}".upper(),
        _row_of_dashes(rng, wear),
        "Line Qty   Competitor      Requested item / properties",
    ]
    for number, line in enumerate(lines, start=1):
        rows += _request_rows(rng, number, line)
    rows += [
        _row_of_dashes(rng, wear),
        f"Total requested lines: {len(lines)}",
        f"Total requested units: {sum(line.count for line in lines)}",
        "Memo: competitor codes are no SKUs of the branch.",
        "Memo: serve only the exact same specification.",
    ]
    return "\n".join(rows) + "\n"


def _request_rows(rng: Random, number: int, line: RequestLine) -> list[str]:
    """Return the rows for one line of a purchase request: code and name, then specifications."""
    name = line.product.name
    is_name_in_capitals = rng.random() >= 1 - CHANCE_OF_NAME_IN_CAPITALS
    if is_name_in_capitals:
        name = name.upper()
    head = f"{number}    {line.count}     {line.competitor_code}      {name}"
    # Further rows begin below the name.
    rows = wrap(head, LINE_WIDTH, subsequent_indent=" " * 27)

    shown_specs = []
    for key, value in line.specs.items():
        shown_value = json.dumps(value) if isinstance(value, bool) else value
        shown_specs.append(f"{key.replace('_', ' ')}={shown_value}")
    specs = "specs: " + "; ".join(shown_specs)
    are_specs_in_capitals = rng.random() < CHANCE_OF_SPECS_IN_CAPITALS
    if are_specs_in_capitals:
        specs = specs.upper()
    # Further rows begin below the first specification.
    rows += wrap(
        f"      {specs}", LINE_WIDTH, subsequent_indent=" " * 13, break_on_hyphens=False
    )
    has_note = rng.random() < CHANCE_OF_NOTE_BELOW_LINE
    if has_note:
        rows.append("      note:  verify exact specification before substituting")
    rows += _rubbish(rng, CHANCE_OF_RUBBISH_BELOW_LINE)
    return rows


def _amount(cents: int) -> str:
    """Return an amount in euros: `12.50`."""
    return f"{cents / 100:.2f}"


def _row_of_dashes(rng: Random, wear: float) -> str:
    """Return a row of dashes, some of which were scanned as other characters."""
    # A row has many dashes, so a few of them are misread.
    chance_for_each_dash = wear / 12
    signs = []
    for _ in range(RULE_WIDTH):
        sign = "-"
        if rng.random() < chance_for_each_dash:
            sign = rng.choice(".:_ ")
        signs.append(sign)
    return "".join(signs)


def _rubbish(rng: Random, chance: float) -> list[str]:
    """Return a row of rubbish with this chance, else no row."""
    if rng.random() < chance:
        return [rng.choice(SCANS["rubbish"])]
    return []


def _worn(rng: Random, text: str, wear: float) -> str:
    """Return a text as it appears in a worn scan: without a letter, misread, or in capitals."""
    if rng.random() < wear:
        text = _without_one_letter(rng, text)
    if rng.random() < wear:
        text = _misread(rng, text, SCANS["misread"])
    if rng.random() < wear / 3:  # Rarer, because capitals change the whole text.
        text = text.upper()
    return text


def _misread(rng: Random, text: str, misread_as: Mapping[str, str]) -> str:
    """Return a text with one character misread, if it has one that can be."""
    places = [place for place, character in enumerate(text) if character in misread_as]
    if not places:
        return text
    place = rng.choice(places)
    return text[:place] + misread_as[text[place]] + text[place + 1 :]


def _without_one_letter(rng: Random, text: str) -> str:
    """Return a text without one inner letter of a long word, if it has a long word."""
    words = text.split(" ")
    numbers_of_long_words = []
    for number, word in enumerate(words):
        if len(word) >= LEAST_LETTERS_OF_DAMAGED_WORD and word.isalpha():
            numbers_of_long_words.append(number)
    if not numbers_of_long_words:
        return text
    number = rng.choice(numbers_of_long_words)
    word = words[number]
    place = rng.randrange(2, len(word) - 1)
    words[number] = word[:place] + word[place + 1 :]
    return " ".join(words)
