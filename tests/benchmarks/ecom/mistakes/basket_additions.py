"""Wrong answers to a request for one more product in a basket.

    basket_addition_mistakes(truth)  # {"two units": adds_two_units}

A script adds a product by writing the file of the basket, `{"lines": [{"sku": "TENT-2", ...}]}`.
"""

from typing import Any

from controlplane.benchmarks.ecom.tasks.truth import TaskTruth
from controlplane.sandbox.interface.outcomes import CLARIFICATION, OK
from tests.benchmarks.ecom.solutions.careless_solutions import (
    Answer,
    Mistakes,
    ReferenceClient,
    only_says,
)


def basket_addition_mistakes(truth: TaskTruth) -> Mistakes:
    """Return wrong answers to a request for one more product in a basket.

    If several products fit the request, the right answer asks which is meant. If only one does,
    `truth.for_tests` has it: `{"basket": "/proc/carts/basket-0012.json", "sku": "TENT-2"}`.
    """
    if truth.outcome == CLARIFICATION:
        return {"guessed": only_says("Added.", outcome=OK)}
    basket_path = truth.for_tests["basket"]
    sku = truth.for_tests["sku"]

    def adds_two_units(client: ReferenceClient, truth: TaskTruth) -> Answer:
        basket = client.record(basket_path)
        basket = with_one_more(basket, sku)
        basket = with_one_more(basket, sku)
        client.save(basket_path, basket)
        return client.answer(truth, truth.message)

    return {"two units": adds_two_units}


def with_one_more(basket: dict[str, Any], sku: str) -> dict[str, Any]:
    """Return a basket's data with one more unit of a product.

    `{"lines": [{"sku": "TENT-2", "quantity": 1}]}` gets the quantity 2.
    """
    lines = []
    is_in_basket = False
    for line in basket["lines"]:
        quantity = line["quantity"]
        if line["sku"] == sku:
            is_in_basket = True
            quantity += 1
        lines.append({**line, "quantity": quantity})
    if not is_in_basket:
        lines.append({"sku": sku, "quantity": 1})
    return {**basket, "lines": lines}
