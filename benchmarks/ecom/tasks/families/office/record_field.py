"""Asks for one field of one record, exactly as recorded."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import (
    cite_records,
    nickname,
    sign_in_anyone,
    sign_in_customer,
    sign_in_employee,
    some_products,
    some_store,
    stocked_lines,
)
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.layout import Record
from benchmarks.ecom.world.pages import Wordings

VARIANTS: Final = (Variant("a branch"), Variant("a product"), Variant("a record of one's own"))
STORE_FIELDS: Final = ("postal_code", "street", "city", "country_code")
PRODUCT_FIELDS: Final = ("price_cents", "kind_id", "category_id", "family_id", "id")
BASKET_FIELDS: Final = ("store_id", "status", "created_at")
STAFF_FIELDS: Final = ("title", "store_id", "display_name")

BRANCH: Final = Wordings(
    ("What does the record of {name} hold in the field `{field}`?",),
    ("I need the value of `{field}` for {name}.",),
)
PRODUCT: Final = Wordings(
    ("What exact value does `{field}` have in the catalogue record of {name}?",),
    ("Which `{field}` is stored in the product file of {name}?",),
)
BASKET: Final = Wordings(
    ("What is recorded as `{field}` for my basket {name}?",),
    ("Tell me the `{field}` of {name}, one of my baskets.",),
)
STAFF: Final = Wordings(
    ("Find my own staff record: what is my `{field}` there?",),
    ("Please look me up: which `{field}` is in my own employee file?",),
)


def _question(world: World, variant: int) -> tuple[str, Record, str]:
    """Sign in an asker; return the question, the record and the field."""
    rng = world.rng
    if variant == 1:
        sign_in_anyone(world)
        store, field = some_store(world), rng.choice(STORE_FIELDS)
        return (
            world.say(BRANCH).format(name=nickname(world, store), field=world.names.field(field)),
            store,
            field,
        )
    if variant == 2:
        sign_in_anyone(world)
        product, field = some_products(world, 1)[0], rng.choice(PRODUCT_FIELDS)
        named = rng.choice((product.sku, f"this one: {world.catalogue.describe(rng, product)}"))
        return (
            world.say(PRODUCT).format(name=named, field=world.names.field(field)),
            product,
            field,
        )
    if rng.random() < 0.5:
        customer, store = sign_in_customer(world), some_store(world)
        basket = world.add_basket(
            customer, store, stocked_lines(world, store, 2), status=rng.choice(("active", "abandoned"))
        )
        field = rng.choice(BASKET_FIELDS)
        return world.say(BASKET).format(name=basket.id, field=world.names.field(field)), basket, field
    employee, field = sign_in_employee(world), rng.choice(STAFF_FIELDS)
    return world.say(STAFF).format(field=world.names.field(field)), employee, field


def pose(world: World, variant: int) -> Truth:
    """Ask for one field."""
    question, record, field = _question(world, variant)
    return Truth(
        instruction=f"{question} Answer with the value only.",
        message=str(world.shown(record, field)),
        is_exact=True,
        records=cite_records(world, [record]),
        inputs={"path": world.path(record), "field": field, "name": world.names.field(field)},
    )
