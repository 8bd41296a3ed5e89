"""Asks whether everything on a scanned receipt is available today at the same branch: yes or no."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Final

from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import cite_records, set_available, sign_in_anyone, some_products, some_store
from benchmarks.ecom.world.documents import euros
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.shop_records import Product, Store

VARIANTS: Final = ("a clean scan, named", "a noisy scan, the last upload")
WORDINGS: Final = (
    "Can I buy exactly what is on the receipt {path} again today, at the same branch? Yes or no only.",
    "Look at the last upload. Could I get the same basket today at that branch? Yes/no question.",
)
MISREAD: Final = {"o": "0", "l": "1", "s": "5", "O": "0", "I": "1", "S": "5"}


def _noisy(rng: Random, text: str) -> str:
    """Return the text with one letter misread as a digit, as in scans."""
    places = [at for at, letter in enumerate(text) if letter in MISREAD]
    if not places:
        return text
    at = rng.choice(places)
    return text[:at] + MISREAD[text[at]] + text[at + 1 :]


def _receipt(world: World, store: Store, bought: Mapping[str, int], *, is_noisy: bool) -> str:
    """Return the text of a scanned receipt; names span two lines, and a noisy scan has misread letters."""
    rng = world.rng
    lines = ["VEERHAVEN", f"{store.name}", f"{store.street}, {store.postal_code} {store.city}", ""]
    lines += [f"Slip {rng.randint(10_000, 99_999)}   {world.ago(days=rng.randint(20, 300))[:10]}", "-" * 34]
    total = 0
    for number, (sku, count) in enumerate(bought.items(), start=1):
        product = world.catalogue.products[sku]
        amount = product.price_cents * count
        total += amount
        brand, rest = product.brand, product.name.removeprefix(product.brand).strip()
        shown = _noisy(rng, rest) if is_noisy else rest
        lines += [f"[{number}] {count} x {brand}", f"      {shown}   {euros(amount)}"]
        lines.append(f"      art. {_noisy(rng, sku) if is_noisy else sku}")
        if is_noisy and rng.random() < 0.4:
            lines.append(rng.choice(("~~--_ . ~", "*** SCAN ***", "|  '  .")))
    lines += ["-" * 34, f"TOTAL {euros(total)}", "thank you and fair winds", ""]
    return "\n".join(lines)


def pose(world: World, variant: int) -> Truth:
    """Ask whether a receipt's basket can be bought again."""
    rng = world.rng
    sign_in_anyone(world)
    store = some_store(world)
    products: list[Product] = some_products(world, rng.randint(2, 4))
    bought = {each.sku: rng.randint(1, 4) for each in products}
    is_possible = rng.random() < 0.5
    short = "" if is_possible else rng.choice(list(bought))
    for sku, count in bought.items():
        free = count - 1 if sku == short else count + rng.randint(0, 3)
        set_available(world, store, sku, free, incoming=[(9, 2)] if sku == short else [])
    upload = world.names.upload("receipt", f"{rng.getrandbits(32):08x}")
    world.files[upload] = _receipt(world, store, bought, is_noisy=variant == 2)
    return Truth(
        instruction=WORDINGS[variant - 1].format(path=upload),
        message=world.policy.word(is_possible),
        is_exact=True,
        records={upload: f"receipt of {store.name} with its lines", **cite_records(world, [store, *products])},
        inputs={
            "store": world.path(store),
            "bought": " ".join(f"{sku}={count}" for sku, count in bought.items()),
            "yes": world.policy.yes,
            "no": world.policy.no,
        },
    )
