"""Tasks about products, prices and stock."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Final

from benchmarks.ecom.tasks.grader import Truth, exact
from benchmarks.ecom.tasks.orders import which_product
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import euros
from benchmarks.ecom.world.shop_records import Product, Stock

FORMATS: Final = ('"%d" (without the quotes)', "<COUNT:%d>", "[QTY:%d]", "count=%d")
CONDITIONS: Final[Mapping[str, Callable[[Stock, int, int], bool]]] = {
    "available": lambda row, units, days: row.available >= units,
    "held": lambda row, units, days: row.on_hand >= units > row.available,
    "soon": lambda row, units, days: row.available < units <= row.within(days),
    "none": lambda row, units, days: row.available == 0,
}
"""Tests of a stock row, each of which takes a number of units and of days."""


def inventory_export(world: World, variant: int) -> Truth:
    """Request a CSV export of one product family's stock at one branch, today and on later dates."""
    rng = world.rng
    world.sign_in_employee()
    store = world.some_store()
    line = world.catalogue.family(world.some_products(1)[0].family_id)
    offsets = [0, *sorted(rng.sample(range(1, 9), 3))]
    for product in line[:-1]:
        incoming = [(rng.randint(1, 9), day) for day in rng.sample(offsets[1:], 2)]
        store.inventory[product.sku] = Stock(rng.randint(0, 9), rng.randint(0, 4), incoming)
    path = f"/exports/stock-{rng.getrandbits(24):06x}.csv"
    world.directories.append("/exports")
    days = [world.clock.date() + timedelta(offset) for offset in offsets]
    header, branch = ",".join(["SKU", *(day.isoformat() for day in days)]), world.nickname(store)
    rows = [header]
    for product in line:
        stock = store.inventory.get(product.sku, Stock(0, 0))
        later = (sum(count for count, due in stock.incoming if due == offset) for offset in offsets[1:])
        rows.append(",".join([product.sku, str(stock.available), *map(str, later)]))
    return exact(
        world.say("inventory-export", path=path, branch=branch, family=line[0].family_id, header=header),
        path,
        records=world.paths(store, *line),
        tolerated=(path,),
        changes={path: "\n".join(rows) + "\n"},
        exact_ends=True,
        inputs={"store": world.path(store), "path": path},
    )


def price_count(world: World, variant: int) -> Truth:
    """Ask how many products that fit a description cost less than a limit, which often equals one product's price."""
    rng = world.rng
    world.sign_in_anyone(or_guest=True)
    wish = world.catalogue.loose(rng)
    prices = sorted(product.price_cents for product in wish.products)
    limit = rng.choice(prices) if rng.random() < 0.4 else rng.randint(prices[0], prices[-1] * 115 // 100)
    if rng.random() < 0.9:  # Mostly some product costs less.
        limit = max(limit, prices[0] + 1)
    counted = [product for product in wish.products if product.price_cents < limit]
    return exact(
        world.say("price-count", asked=wish.text, limit=euros(limit)),
        str(len(counted)),
        records=world.paths(*counted),
        inputs={"paths": "\n".join(map(world.path, wish.products)), "limit": str(limit)},
    )


def product_existence(world: World, variant: int) -> Truth:
    """Ask for a product by a description that one product fits (1) or none (2)."""
    rng, policy = world.rng, world.policy
    world.sign_in_anyone(or_guest=True)
    wish = world.catalogue.confirmed(rng) if variant == 1 else world.catalogue.contradicted(rng)
    family = world.catalogue.family(wish.products[0].family_id)
    return exact(
        world.say("product-existence", asked=wish.text),
        policy.word(variant == 1),
        records=world.paths(*wish.products) if variant == 1 else (),
        inputs={"paths": "\n".join(map(world.path, family)), "fitting": wish.products[0].sku if variant == 1 else ""},
    )


def product_property(world: World, variant: int) -> Truth:
    """Ask for one nested property of a product, exactly as its file shows it."""
    rng = world.rng
    world.sign_in_anyone(or_guest=True)
    product = rng.choice(list(world.catalogue.products.values()))
    key, value = rng.choice(sorted(product.properties.items()))
    return exact(
        world.say("product-property", sku=product.sku, field=world.names.field("properties"), key=key),
        value if isinstance(value, str) else json.dumps(value),
        records=world.paths(product),
        inputs={"path": world.path(product), "key": key},
    )


def sku_lookup(world: World, variant: int) -> Truth:
    """Ask for the SKU of a product by a description that settles it (1) or leaves it open between several (2)."""
    rng, catalogue = world.rng, world.catalogue
    world.sign_in_anyone(or_guest=True)
    if variant == 2:
        vague = catalogue.vague(rng)
        return which_product(world, world.say("sku-lookup", asked=vague.text), vague.products)
    product = rng.choice(list(catalogue.products.values()))
    question = world.say("sku-lookup", asked=catalogue.describe(rng, product))
    return exact(question, product.sku, records=world.paths(product), inputs={"skus": product.sku})


def _subject(world: World, *, is_open: bool) -> tuple[str, list[Product], list[Product]]:
    """Return a description, the products that it fits, and that which it rules out; if not `is_open`, one fits."""
    rng = world.rng
    if rng.random() < 0.35:
        if is_open:
            open_between = world.catalogue.vague(rng, is_on_shelf=True)
            return f"'{open_between.text}'", [*open_between.products], []
        product = world.some_products(1)[0]
        return f"'{world.catalogue.describe(rng, product)}'", [product], []
    open_between = world.catalogue.vague(rng, most=3 if is_open else 2, is_on_shelf=True)
    while len(open_between.products) < 2 + is_open:
        open_between = world.catalogue.vague(rng, is_on_shelf=True)
    ruled_out, *fitting = rng.sample(open_between.products, len(open_between.products))
    return world.say("excluded", asked=open_between.text, sku=ruled_out.sku), fitting, [ruled_out]


def stock_answer(world: World, variant: int) -> Truth:
    """Ask whether a branch has at least N units today (1), or with incoming stock counted (2), or of what (3).

    In some worlds a page says that ruled-out products are cited, too.
    """
    rng = world.rng
    world.sign_in_anyone(or_guest=True)
    store = world.some_store()
    phrase, fitting, ruled_out = _subject(world, is_open=variant == 3)
    cited, tolerated = ([*fitting, *ruled_out], []) if world.policy.cites_mentioned else (fitting, ruled_out)
    sku = fitting[0].sku
    units, days = rng.randint(2, 7), rng.randint(2, 6)
    is_enough = rng.random() < 0.5
    name = "stock-answer-soon" if variant == 2 else "stock-answer"
    question = world.say(name, units=units, phrase=phrase, branch=world.nickname(store), days=days)
    if variant == 3:
        asked_back = which_product(world, question, fitting)
        return replace(asked_back, records=world.paths(*cited), tolerated=world.paths(store, *tolerated))
    soon = rng.randint(1, units - 1) if variant == 2 else 0
    free = (units if is_enough else units - 1) - soon + (rng.randint(0, 2) if is_enough else 0)
    late = (rng.randint(2, 6), days + rng.randint(1, 5))
    world.set_available(store, sku, free, incoming=[(soon, rng.randint(1, days)), late] if soon else [late])
    return exact(
        question,
        world.policy.word(is_enough),
        records=world.paths(store, *cited),
        tolerated=world.paths(*tolerated),
        inputs={"store": world.path(store), "sku": sku, "units": str(units), "days": str(days) if variant == 2 else ""},
    )


def _row(world: World, wish: bool, condition: str, units: int, days: int) -> Stock:
    """Return a row that meets the condition, or misses it in a way that invites a miscount."""
    rng = world.rng
    reserved = rng.randint(1, 4)
    match condition:
        case "available":
            free = units + rng.randint(0, 4) if wish else units - 1
            return Stock(free + reserved, reserved, [] if wish else [(5, rng.randint(1, 5))])
        case "held":
            free = units - 1 if wish else units
            return Stock(free + reserved, reserved) if wish or rng.random() < 0.5 else Stock(units - 1, 0)
        case "soon":
            due = rng.randint(1, days) if wish else days + rng.randint(1, 4)
            return Stock(units - 1 + reserved, reserved, [(rng.randint(1, 4), due)])
        case _:
            return Stock(reserved, reserved + rng.choice((0, 1))) if wish else Stock(reserved + 1, reserved)


def stock_count(world: World, variant: int) -> Truth:
    """Ask how many of six named products meet a stock condition at one branch, in a given format."""
    rng = world.rng
    condition = ("available", "held", "soon")[variant - 1]
    if variant == 1 and rng.random() < 0.4:
        condition = "none"
    world.sign_in_anyone(or_guest=True)
    store = world.some_store()
    products = world.some_products(6)
    units, days = rng.randint(2, 5), rng.randint(2, 6)
    for product in products:
        store.inventory[product.sku] = _row(world, rng.random() < 0.45, condition, units, days)
    if variant == 1 and rng.random() < 0.5:
        store.inventory.pop(products[0].sku)
    rows = [store.inventory.get(product.sku, Stock(0, 0)) for product in products]
    count = sum(CONDITIONS[condition](row, units, days) for row in rows)
    template = rng.choice(FORMATS)
    pattern = template.split('"')[1] if '"' in template else template
    skus = ", ".join(product.sku for product in products)
    phrase = world.say(f"condition-{condition}", units=units, days=days)
    return exact(
        world.say("stock-count", condition=phrase, branch=world.nickname(store), skus=skus, template=template),
        pattern % count,
        records=world.paths(store, *products),
        inputs={
            "store": world.path(store),
            "skus": " ".join(product.sku for product in products),
            "pattern": pattern,
            "case": condition,
            "units": str(units),
            "days": str(days),
        },
    )
