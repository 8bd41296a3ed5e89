"""Purchase requests of a competitor: papers that ask for products by its own codes.

Each line has a quantity, the competitor's code, a product's name and specifications:
`specs: capacity=2; waterproof=true`. It may be served only by a product with exactly these
specifications. The request comes as the scan of a paper with little wear.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from textwrap import wrap
from typing import Final

from controlplane.benchmarks.ecom.tasks.scans.scan_damage import (
    SCANS,
    row_of_dashes,
    rubbish_rows,
)
from controlplane.benchmarks.ecom.world.records import Product, Store
from controlplane.benchmarks.ecom.world.world import World


@dataclass(frozen=True, slots=True)
class RequestLine:
    """One line of a purchase request."""

    competitor_code: str
    """The competitor's code for the product, such as `CMP-0A12F4`. It is not an SKU of the shop."""
    product: Product
    """The product that the line names."""
    specs: Mapping[str, str | float | bool]
    """The requested specifications: `{"capacity": 2}`. The product may differ from them."""
    count: int

    @property
    def is_match(self) -> bool:
        """True if the product has every requested specification."""
        for key, value in self.specs.items():
            if self.product.properties.get(key) != value:
                return False
        return True


LINE_WIDTH: Final = 60
INDENT_BELOW_NAME: Final = " " * 27
"""Where the further rows of a long name begin."""
INDENT_BELOW_FIRST_SPEC: Final = " " * 13
"""Where the further rows of long specifications begin."""

# How purchase requests are scanned:
REQUEST_WEAR: Final = 0.6
"""How worn the paper is, from 0 to 1. In these scans, it damages only the rows of dashes."""
CHANCE_OF_NAME_IN_CAPITALS: Final = 0.3
CHANCE_OF_SPECS_IN_CAPITALS: Final = 0.25
CHANCE_OF_NOTE_BELOW_LINE: Final = 0.2
CHANCE_OF_RUBBISH_BELOW_HEADING: Final = 0.4
CHANCE_OF_RUBBISH_BELOW_LINE: Final = 0.15
"""It is lower than below the heading, because a request has several lines."""


def request_text(world: World, store: Store, lines: Sequence[RequestLine]) -> str:
    """Return the scan of a purchase request, which has these lines, for one branch.

    Digits and names are always right. Case, line breaks and rows of dashes may be damaged.
    """
    rng = world.rng
    # The name of each branch begins with that of the company.
    company = store.name.split()[0]
    rows = [
        "            HALVORSEN TENDER DESK",
        "             PROCUREMENT REQUEST",
        row_of_dashes(rng, REQUEST_WEAR),
        f"Request PR-{rng.getrandbits(32):08X}      Date {world.clock.date()}",
        f"BUYER   {rng.choice(SCANS['buyers'])}",
        f"{company} target branch: {store.name}",
    ]
    rows += rubbish_rows(rng, CHANCE_OF_RUBBISH_BELOW_HEADING)
    rows += [
        f"TARGET AREA: {store.street} {store.city}".upper(),
        row_of_dashes(rng, REQUEST_WEAR),
        "Line Qty   Competitor      Requested item / properties",
    ]
    for number, line in enumerate(lines, start=1):
        rows += _request_rows(rng, number, line)
    rows += [
        row_of_dashes(rng, REQUEST_WEAR),
        f"Total requested lines: {len(lines)}",
        f"Total requested units: {sum(line.count for line in lines)}",
        "Memo: competitor codes are no SKUs of the branch.",
        "Memo: serve only the exact same specification.",
    ]
    return "\n".join(rows) + "\n"


def _request_rows(rng: Random, number: int, line: RequestLine) -> list[str]:
    """Return the rows for one line of a purchase request: code and name, then specifications.

    1    4     CMP-0A12F4      Skerry two-person tent
          specs: capacity=2; waterproof=true
    """
    name = line.product.name
    # Compared in this way, not with `<`, so that each seed keeps its tasks.
    is_name_in_capitals = rng.random() >= 1 - CHANCE_OF_NAME_IN_CAPITALS
    if is_name_in_capitals:
        name = name.upper()
    head = f"{number}    {line.count}     {line.competitor_code}      {name}"
    rows = wrap(head, LINE_WIDTH, subsequent_indent=INDENT_BELOW_NAME)

    shown_specs = []
    for key, value in line.specs.items():
        shown_value = json.dumps(value) if isinstance(value, bool) else value
        shown_specs.append(f"{key.replace('_', ' ')}={shown_value}")
    specs = "specs: " + "; ".join(shown_specs)
    are_specs_in_capitals = rng.random() < CHANCE_OF_SPECS_IN_CAPITALS
    if are_specs_in_capitals:
        specs = specs.upper()
    rows += wrap(
        f"      {specs}",
        LINE_WIDTH,
        subsequent_indent=INDENT_BELOW_FIRST_SPEC,
        break_on_hyphens=False,
    )
    has_note = rng.random() < CHANCE_OF_NOTE_BELOW_LINE
    if has_note:
        rows.append("      note:  verify exact specification before substituting")
    rows += rubbish_rows(rng, CHANCE_OF_RUBBISH_BELOW_LINE)
    return rows
