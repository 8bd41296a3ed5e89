"""Writes the scan of a handwritten sales slip: branch, lines with article codes, subtotal, tax and total."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.ecom.tasks.uploads.scan_noise import misread_number, rubbish, rule, worn
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.shop_records import Product, Store

TAX_PERCENT = 20
NAME_WIDTH = 24


@dataclass(frozen=True, slots=True)
class SlipLine:
    """One line of a slip: a product, how many, at which price then, and the code that was noted."""

    product: Product
    count: int
    each_cents: int
    code: str


def subtotal(lines: Sequence[SlipLine]) -> int:
    """Return the sum of the lines in cents, without tax."""
    return sum(line.count * line.each_cents for line in lines)


def _amount(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def _broken(name: str) -> tuple[str, str]:
    """Return a name as the two lines of a narrow column, broken wherever its width ends."""
    return name[:NAME_WIDTH], name[NAME_WIDTH:]


def slip_text(world: World, store: Store, lines: Sequence[SlipLine], *, level: float) -> str:
    """Return the scan of a slip; `level` says how worn it is, from 0 to 1."""
    rng = world.rng
    sold = world.ago(days=rng.randint(20, 300))
    text = [
        worn(rng, f"{store.name.split()[0].upper()} MANUAL SALES SLIP", level=level),
        worn(rng, "TILL OUTAGE BACKUP - HAND ENTERED", level=level),
        rule(rng, level=level),
        f"Store : {worn(rng, store.name, level=level)}",
        f"Branch: {worn(rng, store.street, level=level)} {store.city}",
        *rubbish(rng, level=level),
        f"Slip  : S-{rng.getrandbits(32):08x}     Date : {sold[:10]}   Time: {sold[11:16]}",
        rule(rng, level=level),
        " Qty  Item written on outage form        Each      Line",
    ]
    for number, line in enumerate(lines, start=1):
        count = misread_number(rng, str(line.count)) if rng.random() < level / 2 else str(line.count)
        total = _amount(line.count * line.each_cents)
        total = misread_number(rng, total) if rng.random() < level / 3 else total
        doubled = line.product.brand if rng.random() < level / 2 else ""
        first, rest = _broken(f"{doubled} {worn(rng, line.product.name, level=level)}".strip())
        text.append(f"[{number}]  {count}  {first:<26} {_amount(line.each_cents):>8} {total:>9}")
        text += [f"        {rest}"] if rest else []
        text += rubbish(rng, level=level / 2)
        text.append(f"     SKU / clerk note: {worn(rng, line.code, level=level)}")
    net = subtotal(lines)
    tax = net * TAX_PERCENT // 100
    text += [
        rule(rng, level=level),
        f"Manual subtotal excl. VAT   EUR {_amount(net)}",
        f"Tax VAT {TAX_PERCENT}%                 EUR {_amount(tax)}",
        f"MANUAL TOTAL                EUR {_amount(net + tax)}",
        "Customer signature: ______v__n_",
        *rubbish(rng, level=level),
    ]
    return "\n".join(text) + "\n"
