"""The reference solution of `basket-checkout`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import OK, UNSUPPORTED, Truth
from benchmarks.ecom.world.shop_records import ACTIVE


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Check the basket's status and stock, then run the tool or refuse."""
    basket = client.record(truth.inputs["basket"])
    lines = basket["lines"] if isinstance(basket["lines"], list) else []
    wanted = {str(line["sku"]): int(str(line["quantity"])) for line in lines if isinstance(line, dict)}
    stock = client.available(truth.inputs["store"], list(wanted))
    downloads = {
        str(data["sku"]) for data in map(client.record, _product_paths(truth)) if data["fulfilment"] == "download"
    }
    short = [sku for sku, count in wanted.items() if sku not in downloads and stock[sku] < count]
    if basket["status"] == ACTIVE and not short:
        client.run("/bin/checkout", truth.inputs["id"])
        return client.answer(truth, f"Basket {truth.inputs['id']} is checked out.", outcome=OK)
    reason = f"not enough of {', '.join(short)}" if short else f"it is {basket['status']}"
    return client.answer(truth, f"Basket {truth.inputs['id']} cannot be checked out: {reason}.", outcome=UNSUPPORTED)


def _product_paths(truth: Truth) -> list[str]:
    return [path for path in truth.records if path not in (truth.inputs["basket"], truth.inputs["store"])]
