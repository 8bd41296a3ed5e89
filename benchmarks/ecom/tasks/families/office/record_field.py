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

VARIANTS: Final = (Variant("a branch"), Variant("a product"), Variant("a record of one's own"))
STORE_FIELDS: Final = ("postal_code", "street", "city", "country_code")
PRODUCT_FIELDS: Final = ("price_cents", "kind_id", "category_id", "family_id", "id")
BASKET_FIELDS: Final = ("store_id", "status", "created_at")
STAFF_FIELDS: Final = ("title", "store_id", "display_name")


def _question(world: World, variant: int) -> tuple[str, Record, str]:
    """Sign in an asker; return the question, the record and the field."""
    rng = world.rng
    if variant == 1:
        sign_in_anyone(world)
        store, field = some_store(world), rng.choice(STORE_FIELDS)
        return (
            f"What does the record of {nickname(world, store)} hold in the field `{world.names.field(field)}`?",
            store,
            field,
        )
    if variant == 2:
        sign_in_anyone(world)
        product, field = some_products(world, 1)[0], rng.choice(PRODUCT_FIELDS)
        named = rng.choice((product.sku, f"this one: {world.catalogue.describe(rng, product)}"))
        return (
            f"What exact value does `{world.names.field(field)}` have in the catalogue record of {named}?",
            product,
            field,
        )
    if rng.random() < 0.5:
        customer, store = sign_in_customer(world), some_store(world)
        basket = world.add_basket(
            customer, store, stocked_lines(world, store, 2), status=rng.choice(("active", "abandoned"))
        )
        field = rng.choice(BASKET_FIELDS)
        return f"What is recorded as `{world.names.field(field)}` for my basket {basket.id}?", basket, field
    employee, field = sign_in_employee(world), rng.choice(STAFF_FIELDS)
    return f"Find my own staff record: what is my `{world.names.field(field)}` there?", employee, field


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
