"""Solutions of the tasks about baskets and receipts. Each function solves the family of its name."""

from __future__ import annotations

from typing import Any

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import OK, UNSUPPORTED, Truth
from benchmarks.ecom.world.shop_records import ACTIVE


def with_one_more(basket: dict[str, Any], sku: str) -> dict[str, Any]:
    """Return a basket's data with one more unit of `sku`."""
    lines = [{**line, "quantity": line["quantity"] + (line["sku"] == sku)} for line in basket["lines"]]
    if sku not in [line["sku"] for line in lines]:
        lines.append({"sku": sku, "quantity": 1})
    return {**basket, "lines": lines}


def basket_addition(client: ReferenceClient, truth: Truth) -> Answer:
    """Raise the line or append one."""
    path = truth.inputs["basket"]
    client.save(path, with_one_more(client.record(path), truth.inputs["sku"]))
    return client.answer(truth, truth.message)


def basket_checkout(client: ReferenceClient, truth: Truth) -> Answer:
    """Check the basket's status and stock, then run the tool or refuse."""
    basket = client.record(truth.inputs["basket"])
    lines = basket["lines"] if isinstance(basket["lines"], list) else []
    wanted = {str(line["sku"]): int(str(line["quantity"])) for line in lines if isinstance(line, dict)}
    stock = client.available(truth.inputs["store"], list(wanted))
    products = map(client.record, truth.inputs["products"].splitlines())
    downloads = {str(data["sku"]) for data in products if data["fulfilment"] == "download"}
    short = [sku for sku, count in wanted.items() if sku not in downloads and stock[sku] < count]
    if basket["status"] == ACTIVE and not short:
        client.run("checkout", truth.inputs["id"])
        return client.answer(truth, f"Basket {truth.inputs['id']} is checked out.", outcome=OK)
    reason = f"not enough of {', '.join(short)}" if short else f"it is {client.names.state(str(basket['status']))}"
    return client.answer(truth, f"Basket {truth.inputs['id']} cannot be checked out: {reason}.", outcome=UNSUPPORTED)


def foreign_basket(client: ReferenceClient, truth: Truth) -> Answer:
    """Compare the basket's owner with the signed-in user and refuse."""
    if client.record(truth.inputs["basket"])["customer_id"] == client.who()["user"]:
        return client.answer(truth, "It is yours.", outcome=OK)
    return client.answer(truth, truth.message)


def receipt_rebuy(client: ReferenceClient, truth: Truth) -> Answer:
    """Compare every line with what the branch can sell today."""
    inputs = truth.inputs
    bought = {sku: int(count) for sku, _, count in (each.partition("=") for each in inputs["bought"].split())}
    free = client.available(inputs["store"], list(bought))
    return client.answer(truth, inputs["yes"] if all(free[sku] >= bought[sku] for sku in bought) else inputs["no"])


def unnamed_basket(client: ReferenceClient, truth: Truth) -> Answer:
    """Check out the only active basket, or ask which of several is meant."""
    ids = [str(client.record(path)["id"]) for path in truth.inputs["baskets"].split()]
    if len(ids) > 1:
        return client.answer(truth, f"You have several active baskets. Which one: {' or '.join(ids)}?")
    client.run("checkout", ids[0])
    return client.answer(truth, f"Basket {ids[0]} is checked out.")


def guest_basket_status(client: ReferenceClient, truth: Truth) -> Answer:
    """Refuse."""
    return client.answer(truth, truth.message)


def receipt_reprice(client: ReferenceClient, truth: Truth) -> Answer:
    """Add up today's prices and compare them with the old subtotal."""
    inputs = truth.inputs
    now = 0
    for each in inputs["bought"].split("\n"):
        path, _, count = each.partition("\t")
        now += int(str(client.record(path)["price_cents"])) * int(count)
    is_within = abs(now - int(inputs["before"])) <= int(inputs["limit"])
    return client.answer(truth, inputs["yes"] if is_within else inputs["no"])
