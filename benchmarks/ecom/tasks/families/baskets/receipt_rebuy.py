"""Asks whether everything on a scanned receipt is available today at the same branch: yes or no."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import (
    add_other_uploads,
    cite_records,
    set_available,
    sign_in_anyone,
    some_products,
    some_store,
)
from benchmarks.ecom.tasks.uploads.receipt_slip import SlipLine, slip_text
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings

VARIANTS: Final = (Variant("a clean scan, named"), Variant("a noisy scan, the last upload"))
LEVELS: Final = (0.25, 0.7)
NAMED: Final = Wordings(
    (
        "Can I buy exactly what is on the receipt {path} again today, at the same branch? Yes or no only.",
        "Look at the uploaded OCR receipt {path}. Can I buy this exact basket today from the same branch? Answer as a "
        "yes/no only.",
    ),
    (
        "Please look at my scanned receipt {path}. Could I repeat this purchase today at that branch? Answer yes or no "
        "only.",
    ),
)
LAST: Final = Wordings(
    (
        "Look at the last receipt upload. Could I get the same basket today at that branch? Yes/no question.",
        "Can I buy the same basket as in that receipt (see last ocr upload) today from the same store? Yes/no question",
    ),
    (
        "About the latest receipt upload: is all of it available again today at the same branch? A yes/no answer, "
        "please.",
    ),
)


def pose(world: World, variant: int) -> Truth:
    """Ask whether a receipt's basket can be bought again."""
    rng = world.rng
    sign_in_anyone(world)
    store = some_store(world)
    lines = []
    for product in some_products(world, rng.randint(2, 4)):
        then = product.price_cents if rng.random() < 0.7 else product.price_cents * rng.randint(92, 108) // 100
        code = product.sku if rng.random() < 0.8 else f"{product.sku.rsplit('-', 1)[0]}-OLD"
        lines.append(SlipLine(product, rng.choice((1, 1, 2, 3, 5, 10, 12)), then, code))
    is_possible = rng.random() < 0.5
    short = None if is_possible else rng.choice(lines)
    for line in lines:
        free = line.count - 1 if line is short else line.count + rng.randint(0, 3)
        set_available(world, store, line.product.sku, free, incoming=[(9, 2)] if line is short else [])
    upload = world.names.upload("receipt", f"{rng.getrandbits(32):08x}")
    world.files[upload] = slip_text(world, store, lines, level=LEVELS[variant - 1])
    add_other_uploads(world)
    products = [line.product for line in lines]
    return Truth(
        instruction=world.say(NAMED if variant == 1 else LAST).format(path=upload),
        message=world.policy.word(is_possible),
        is_exact=True,
        records={
            upload: f"receipt of the branch in {store.city} with its lines",
            **cite_records(world, [store, *products]),
        },
        inputs={
            "store": world.path(store),
            "bought": " ".join(f"{line.product.sku}={line.count}" for line in lines),
            "yes": world.policy.yes,
            "no": world.policy.no,
        },
    )
