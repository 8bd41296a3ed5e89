"""A purchase request with a competitor's codes: its scan, and the crosslist of our articles that answers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.ecom.tasks.uploads.scan_noise import rubbish, rule
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.shop_records import Product, Stock, Store

COLUMNS: Final = (
    "line_no",
    "competitor_code",
    "requested_description",
    "requested_qty",
    "branch_id",
    "branch_open",
    "match_status",
    "matched_sku",
    "matched_product_name",
    "available_today",
    "fulfillable_qty",
    "short_qty",
    "reason",
)
MISMATCH: Final = "requested properties do not exactly match catalogue product"
CLOSED: Final = "target branch is closed today"
ENOUGH: Final = "exact property match; requested quantity available today"
SHORT: Final = "exact property match; branch has insufficient same-day stock"
LINE_WIDTH: Final = 52


@dataclass(frozen=True, slots=True)
class RequestLine:
    """One line: the product that is described, the specs that are asked for, and how many."""

    code: str
    product: Product
    specs: Mapping[str, str | int | bool]
    count: int

    @property
    def is_match(self) -> bool:
        """Whether every spec is the product's own."""
        return all(self.product.properties.get(key) == value for key, value in self.specs.items())


def crosslist_text(store: Store, lines: Sequence[RequestLine]) -> str:
    """Return the crosslist: a table separated by tabs, with its header."""
    rows = [COLUMNS, *(_row(store, number, line) for number, line in enumerate(lines, start=1))]
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def _row(store: Store, number: int, line: RequestLine) -> tuple[object, ...]:
    free = store.inventory.get(line.product.sku, Stock(0, 0)).available if line.is_match else 0
    served = min(line.count, free) if store.is_open else 0
    if not line.is_match:
        reason = MISMATCH
    elif not store.is_open:
        reason = CLOSED
    else:
        reason = ENOUGH if free >= line.count else SHORT
    head = (number, line.code, line.product.name, line.count, store.id, str(store.is_open).lower())
    found = ("exact", line.product.sku, line.product.name) if line.is_match else ("property_mismatch", "", "")
    return (*head, *found, free, served, line.count - served, reason)


def request_text(world: World, store: Store, lines: Sequence[RequestLine]) -> str:
    """Return the scan of the request. Its digits and names are whole; case, breaks and rules are not."""
    rng = world.rng
    text = [
        "            HALVORSEN TENDER DESK",
        "             PROCUREMENT REQUEST",
        rule(rng, level=0.6),
        f"Request PR-{rng.getrandbits(32):08X}      Date {world.clock.date()}",
        f"BUYER   {rng.choice(('CAMP SITE BUYER', 'HARBOUR OFFICE', 'CITY FACILITIES'))}",
        f"{store.name.split()[0]} target branch: {store.name}",
        *rubbish(rng, level=0.4),
        f"TARGET AREA: {store.street} {store.city}".upper(),
        rule(rng, level=0.6),
        "Line Qty   Competitor      Requested item / properties",
    ]
    for number, line in enumerate(lines, start=1):
        shown = line.product.name if rng.random() < 0.7 else line.product.name.upper()
        text += _folded(f"{number}    {line.count}     {line.code}      {shown}", indent=27)
        specs = "; ".join(f"{key.replace('_', ' ')}={_shown(value)}" for key, value in line.specs.items())
        specs = f"specs: {specs}"
        text += _folded(f"      {specs.upper() if rng.random() < 0.25 else specs}", indent=13)
        text += ["      note:  verify exact specification before substituting"] if rng.random() < 0.2 else []
        text += rubbish(rng, level=0.15)
    text += [
        rule(rng, level=0.6),
        f"Total requested lines: {len(lines)}",
        f"Total requested units: {sum(line.count for line in lines)}",
        "Memo: competitor codes are no SKUs of the branch.",
        "Memo: serve only the exact same specification.",
    ]
    return "\n".join(text) + "\n"


def _shown(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _folded(text: str, *, indent: int) -> list[str]:
    """Return a long line as several, broken between words."""
    lines: list[str] = []
    current = ""
    for word in text.split(" "):
        if current.strip() and len(current) + len(word) >= LINE_WIDTH + indent // 2:
            lines.append(current)
            current = " " * indent + word
        else:
            current = f"{current} {word}" if current else (word or " ")
    return [*lines, current]
