"""Asks whether a scanned receipt's lines cost about the same today: yes or no, within some euros."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import (
    add_other_uploads,
    cite_records,
    sign_in_anyone,
    some_products,
    some_store,
)
from benchmarks.ecom.tasks.uploads.receipt_slip import SlipLine, slip_text, subtotal
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings

VARIANTS: Final = (Variant("within the limit, or beyond it by some cents"),)
WORDINGS: Final = Wordings(
    (
        "Look at the uploaded OCR receipt {path}. If I bought the exact same line items today from the same branch, "
        "would "
        "the current catalogue subtotal excluding VAT stay within EUR {limit}.00 of the old receipt subtotal excluding "
        "VAT? Answer yes/no only, and cite the receipt, the branch record and every product record that you used.",
    ),
    (
        "Here is an old receipt: {path}. Suppose I bought every line again at that branch. Would today's net subtotal "
        "(no VAT) differ from the receipt's net subtotal by at most EUR {limit}.00? Reply with yes or no only. Cite "
        "the receipt, the branch and each product that you used.",
    ),
)


def pose(world: World, variant: int) -> Truth:
    """Ask for a comparison of two subtotals, one price of which has changed."""
    rng = world.rng
    sign_in_anyone(world)
    store = some_store(world)
    products = some_products(world, rng.randint(2, 4))
    lines = [SlipLine(each, rng.randint(1, 3), each.price_cents, each.sku) for each in products]
    limit, is_within = rng.randint(1, 4), rng.random() < 0.5
    changed = lines[0]
    apart = limit * 100 - rng.choice((0, 3, 60)) if is_within else limit * 100 + rng.choice((4, 30, 250))
    each = apart // changed.count if is_within else -(-apart // changed.count)
    then = changed.each_cents + (each if changed.each_cents < 3 * each or rng.random() < 0.5 else -each)
    lines[0] = SlipLine(changed.product, changed.count, then, changed.code)
    rng.shuffle(lines)
    now = sum(line.count * line.product.price_cents for line in lines)
    word = world.policy.word(abs(now - subtotal(lines)) <= limit * 100)
    upload = world.names.upload("receipt", f"{rng.getrandbits(32):08x}")
    world.files[upload] = slip_text(world, store, lines, level=0.45)
    add_other_uploads(world)
    return Truth(
        instruction=world.say(WORDINGS).format(path=upload, limit=limit),
        message=word,
        is_exact=True,
        records={
            upload: f"receipt of the branch in {store.city} with its subtotal",
            **cite_records(world, [store, *products]),
        },
        inputs={
            "bought": "\n".join(f"{world.path(line.product)}\t{line.count}" for line in lines),
            "before": str(subtotal(lines)),
            "limit": str(limit * 100),
            "yes": world.policy.yes,
            "no": world.policy.no,
        },
    )
