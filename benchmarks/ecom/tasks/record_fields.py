"""Tasks that ask for one field of a record, such as the street of a branch.

"In which city is the Lombok branch? Answer with the value only." The right answer is the
value in the record's file, unless the record is another customer's.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from controlplane.benchmarks.ecom.tasks.refusals import denied_to_others
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.products import describe
from controlplane.benchmarks.ecom.world.purchases import (
    add_basket,
    nickname,
    some_store,
    stocked_lines,
)
from controlplane.benchmarks.ecom.world.records import Basket, Employee, Record
from controlplane.benchmarks.ecom.world.world import (
    World,
    sign_in_anyone,
    sign_in_customer,
    sign_in_employee,
    text_of_record,
)


@dataclass(frozen=True, slots=True)
class _FieldQuestion:
    """A question about one field of a record."""

    text: str
    """`In which city is the Lombok branch?`"""
    record: Record
    field: str
    """The field by the name that the code uses. A world may show it under another name."""

    @property
    def instruction(self) -> str:
        """The question and the form of its answer."""
        return f"{self.text} Answer with the value only."


def record_field(world: World, case: str) -> TaskTruth:
    """Ask for one field of a record: a branch, a product, a basket or the asker's staff record.

    Right: give the value as recorded, and cite the record. Deny it for another
    customer's basket.

    Cases: `branch`, `product`, `own record` (a basket or a staff record), `foreign basket`.
    """
    match case:
        case "branch":
            sign_in_anyone(world)
            question = _question_about_branch(world)
        case "product":
            sign_in_anyone(world)
            question = _question_about_product(world)
        case "foreign basket":
            sign_in_customer(world)
            basket = _add_basket(world, customer_id=world.new_id("cust"))
            question = _question_about_basket(world, basket)
            return denied_to_others(world, question.instruction, basket)
        case _:  # "own record"
            asker_is_customer = world.rng.random() < 0.75
            if asker_is_customer:
                basket = _add_basket(world, customer_id=sign_in_customer(world))
                question = _question_about_basket(world, basket)
            else:
                employee = sign_in_employee(world)
                question = _question_about_own_staff_record(world, employee)
    return _recorded_value(world, question)


def _recorded_value(world: World, question: _FieldQuestion) -> TaskTruth:
    """Return the truth for a question that the asker may ask: the value in the record's file."""
    shown_name = world.names.field(question.field)
    shown_record = json.loads(text_of_record(world, question.record))
    path = world.path(question.record)
    return truth_with_exact_message(
        question.instruction,
        str(shown_record[shown_name]),
        must_cite=(path,),
        for_tests={"path": path, "name": shown_name},
    )


def _question_about_branch(world: World) -> _FieldQuestion:
    """Return a question about a branch, which is called by one of its nicknames."""
    store = some_store(world)
    field = world.rng.choice(("postal_code", "street", "city", "country_code"))
    name = nickname(world, store)
    text = world.wording("field-branch", name=name, field=world.names.field(field))
    return _FieldQuestion(text, store, field)


def _question_about_product(world: World) -> _FieldQuestion:
    """Return a question about a product, which is called by its SKU or by a description."""
    rng = world.rng
    product = world.catalogue.some_products(world.rng, 1)[0]
    field = rng.choice(("price_cents", "kind_id", "category_id", "family_id", "id"))
    description = describe(world.catalogue, rng, product)
    name = rng.choice((product.sku, f"this one: {description}"))
    text = world.wording("field-product", name=name, field=world.names.field(field))
    return _FieldQuestion(text, product, field)


def _add_basket(world: World, customer_id: str) -> Basket:
    """Add a customer's basket that has not been bought."""
    store = some_store(world)
    status = world.rng.choice(("active", "abandoned"))
    lines = stocked_lines(world, store, 2)
    return add_basket(world, customer_id, store, lines, status=status)


def _question_about_basket(world: World, basket: Basket) -> _FieldQuestion:
    """Return a question about a basket, which is called by its id."""
    field = world.rng.choice(("store_id", "status", "created_at"))
    text = world.wording("field-basket", name=basket.id, field=world.names.field(field))
    return _FieldQuestion(text, basket, field)


def _question_about_own_staff_record(
    world: World, employee: Employee
) -> _FieldQuestion:
    """Return an employee's question about the own record: `What is my title?`"""
    field = world.rng.choice(("title", "store_id", "display_name"))
    text = world.wording("field-staff", field=world.names.field(field))
    return _FieldQuestion(text, employee, field)
