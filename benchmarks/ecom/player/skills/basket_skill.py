"""Baskets: check one out, add a product, list its lines."""

from __future__ import annotations

import json
import re
from typing import Final

from benchmarks.ecom.player.conclusions import (
    OK,
    UNSUPPORTED,
    Change,
    Conclusion,
    Proof,
    ask_between,
    ask_which_product,
    cite_records,
    deny,
)
from benchmarks.ecom.player.customer_phrases import phrase_in, products_meant, quantities_by_sku
from benchmarks.ecom.player.knowledge import Knowledge, Record
from benchmarks.ecom.player.read_policies import open_state
from benchmarks.ecom.player.skills.stock_skill import available, stock_by_sku

BASKET: Final = re.compile(r"\b(?:basket|cart|order)[-_]\d+\b", re.IGNORECASE)
DOWNLOADED: Final = re.compile(r"learning|digital")
QUANTITY: Final = re.compile(r"\b(?:put|add)\s+(\d+)\b", re.IGNORECASE)
PRODUCT: Final = (
    r"\b(?:put|add)\s+(?:one|an?|\d+)?\s*(?:more\s+)?(?:unit of |of )?(?:the )?(.+?)\s+(?:in|into|to) (?:my|the)\b",
    r"^(?:one|an?|\d+)\s+(.+?)\s+(?:for|in|into|to) my\b",
)


def basket_id(known: Knowledge) -> str:
    """Return the id of the basket that the task names, or an empty string."""
    found = BASKET.search(known.instruction)
    return found[0].lower() if found else ""


def refusal(known: Knowledge, *records: Record | None) -> Conclusion | None:
    """Return the refusal if the security rules keep `records` from the asker, or None."""
    who = known.identity
    if not (who.is_customer or who.is_staff):
        return deny(known, "Nobody is signed in, so nothing that belongs to a customer is shown or changed.")
    if who.is_customer and any(each is not None and each.text("customer_id") != who.user for each in records):
        return deny(known, f"That does not belong to the signed-in customer {who.user}.")
    return None


def own_active_baskets(known: Knowledge) -> list[Record]:
    """Return the signed-in customer's active baskets, the newest first."""
    mine = known.records_matching("baskets", f': "{known.identity.user}"')
    active = [each for each in mine if each.text("status") == open_state(known)]
    return sorted(active, key=lambda each: each.text("created_at"), reverse=True)


def products_of(known: Knowledge, basket: Record) -> dict[str, Record | None]:
    """Return the products of a basket's lines by SKU."""
    return known.records("products", quantities_by_sku(basket.rows("lines")))


def _named_basket(known: Knowledge, name: str) -> tuple[Record | None, Conclusion | None]:
    """Return the named basket, if any, and the refusal of an asker who may not use it."""
    basket = known.record("baskets", name) if name else None
    refused = refusal(known, basket)
    if not refused and known.identity.is_staff:
        refused = Conclusion("Only customers have baskets.", UNSUPPORTED, known.cite("checkout"))
    return basket, refused


def check_out(known: Knowledge) -> Conclusion:
    """Check out the named basket, or the customer's only active one."""
    name = basket_id(known)
    basket, refused = _named_basket(known, name)
    if refused:
        return refused
    if not name:
        active = own_active_baskets(known)
        if len(active) > 1:
            ids = " or ".join(each.text("id") for each in active)
            return ask_between(
                known, f"You have several active baskets. Which one do you mean: {ids}?", active, "checkout"
            )
        basket = active[0] if active else None
    if basket is None:
        return Conclusion(f"There is no basket {name or 'to buy'}.", UNSUPPORTED, known.cite("checkout"))
    return _checkout(known, basket)


def stocked_lines(known: Knowledge, basket: Record) -> tuple[dict[str, Record | None], Record | None, list[str]]:
    """Return the products of a basket, its branch, and the SKUs of which the branch has too few units today."""
    wanted = quantities_by_sku(basket.rows("lines"))
    products, store = known.look_up_both(
        lambda: products_of(known, basket), lambda: known.record("branches", basket.text("store_id"))
    )
    here = stock_by_sku(store)
    short = [
        sku
        for sku, quantity in wanted.items()
        if not is_download(products[sku]) and available(here.get(sku)) < quantity
    ]
    return products, store, short


def _checkout(known: Knowledge, basket: Record) -> Conclusion:
    name = basket.text("id")
    products, store, short = stocked_lines(known, basket)
    citations = {**cite_records(basket, store, *products.values()), **known.cite("checkout", "stock")}
    if basket.text("status") != open_state(known):
        return Conclusion(f"{name} cannot be checked out: it is {basket.text('status')}.", UNSUPPORTED, citations)
    if short:
        return Conclusion(f"{name} cannot be checked out: too few units of {', '.join(short)}.", UNSUPPORTED, citations)
    return Conclusion(
        f"{name} is checked out.",
        OK,
        citations,
        changes=(Change("execute", "/bin/checkout", (name,)),),
    )


def is_download(product: Record | None) -> bool:
    """Say whether a product is a download, which needs no stock."""
    held = [str(each) for each in product.raw.values()] if product else []
    return any(each == "download" or (each.startswith("cat-") and DOWNLOADED.search(each)) for each in held)


def add_product(known: Knowledge) -> Conclusion:
    """Put units of one product into the named basket, or into the newest active one."""
    basket, refused = _named_basket(known, basket_id(known))
    if refused:
        return refused
    products, active = known.look_up_both(
        lambda: products_meant(known, phrase_in(known.instruction, *PRODUCT)), lambda: own_active_baskets(known)
    )
    if len(products) > 1:
        return ask_which_product(known, products)
    basket = basket or next(iter(active), None)
    if basket is None or not products or basket.text("status") != open_state(known):
        why = "that product is not in the catalogue" if basket and not products else "there is no such active basket"
        return Conclusion(
            f"Nothing was changed: {why}.", UNSUPPORTED, {**cite_records(basket), **known.cite("checkout")}
        )
    product = products[0]
    quantity = QUANTITY.search(known.instruction)
    text = _text_with_product(basket, product, int(quantity[1]) if quantity else 1)
    return Conclusion(
        f"Put {product.text('sku')} into {basket.text('id')}.",
        OK,
        {**cite_records(basket, product), **known.cite("checkout")},
        changes=(Change("write", basket.path, content=text),),
        proof=Proof(basket.path, text),
    )


def _text_with_product(basket: Record, product: Record, quantity: int) -> str:
    """Return the basket's file with more units of the product, on its own line or on a new last one."""
    sku = product.text("sku")
    data: dict[str, object] = dict(basket.raw)
    for name, rows in basket.raw.items():
        if isinstance(rows, list) and rows and isinstance(rows[0], dict):
            counted = next(key for key, value in rows[0].items() if isinstance(value, int))
            lines = [{**row, counted: row[counted] + quantity} if row.get("sku") == sku else row for row in rows]
            data[name] = lines if lines != rows else [*rows, {"sku": sku, counted: quantity}]
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def tell_lines(known: Knowledge) -> Conclusion:
    """List the SKUs in a basket for the customer who owns it."""
    basket = known.record("baskets", basket_id(known))
    refused = refusal(known, basket)
    if refused:
        return refused
    if basket is None or known.identity.is_staff:
        return Conclusion("There is no such basket of yours.", UNSUPPORTED, known.cite("checkout"))
    products = products_of(known, basket)
    return Conclusion("\n".join(products), OK, cite_records(basket, *products.values()))
