"""Baskets: buying them, putting something in, telling what they hold."""

from __future__ import annotations

import json
import re
from typing import Final

from benchmarks.ecom.player.conclusions import (
    OK,
    UNSUPPORTED,
    Conclusion,
    Deed,
    Proof,
    asked_back,
    cited,
    denied,
    which_product,
)
from benchmarks.ecom.player.customer_phrases import counts, products_meant
from benchmarks.ecom.player.known import Known, Record
from benchmarks.ecom.player.skills.stock_skill import available, rows_of

BASKET: Final = re.compile(r"\b(?:basket|cart|order)[-_]\d+\b", re.IGNORECASE)
QUANTITY: Final = re.compile(r"\b(?:put|add)\s+(\d+)\b", re.IGNORECASE)
PRODUCT: Final = (
    r"\b(?:put|add)\s+(?:one|an?|\d+)?\s*(?:more\s+)?(?:unit of |of )?(?:the )?(.+?)\s+(?:in|into|to) (?:my|the)\b",
    r"^(?:one|an?|\d+)\s+(.+?)\s+(?:for|in|into|to) my\b",
)


def basket_id(known: Known) -> str:
    """Return the id of the basket that the task names; empty for none."""
    found = BASKET.search(known.instruction)
    return found[0].lower() if found else ""


def refusal(known: Known, *records: Record | None) -> Conclusion | None:
    """Return the refusal that the security rules demand of a customer's record, or None."""
    who = known.identity
    if not (who.is_customer or who.is_staff):
        return denied(known, "Nobody is signed in, so nothing that belongs to a customer is shown or changed.")
    if who.is_customer and any(each is not None and each.text("customer_id") != who.user for each in records):
        return denied(known, f"That does not belong to the signed-in customer {who.user}.")
    return None


def own_active(known: Known) -> list[Record]:
    """Return the active baskets of the signed-in customer, the newest first."""
    mine = known.holding("baskets", f'"customer_id": "{known.identity.user}"')
    active = [each for each in mine if each.text("status") == "active"]
    return sorted(active, key=lambda each: each.text("created_at"), reverse=True)


def products_of(known: Known, basket: Record) -> dict[str, Record | None]:
    """Return the product of every line by its SKU."""
    return known.records("products", counts(basket.rows("lines")))


def check_out(known: Known) -> Conclusion:
    """Buy the basket that is named, or the customer's only active one."""
    name = basket_id(known)
    basket = known.record("baskets", name) if name else None
    refused = refusal(known, basket)
    if refused:
        return refused
    if known.identity.is_staff:
        return Conclusion("Only customers have baskets.", UNSUPPORTED, known.because("checkout"))
    if not name:
        active = own_active(known)
        if len(active) > 1:
            ids = " or ".join(each.text("id") for each in active)
            return asked_back(
                known, f"You have several active baskets. Which one do you mean: {ids}?", active, "checkout"
            )
        basket = active[0] if active else None
    if basket is None:
        return Conclusion(f"There is no basket {name or 'to buy'}.", UNSUPPORTED, known.because("checkout"))
    return _bought(known, basket)


def _bought(known: Known, basket: Record) -> Conclusion:
    name = basket.text("id")
    wanted = counts(basket.rows("lines"))
    products, store = known.both(
        lambda: products_of(known, basket), lambda: known.record("branches", basket.text("store_id"))
    )
    here = rows_of(store)
    short = [
        sku
        for sku, quantity in wanted.items()
        if not _is_download(products[sku]) and available(here.get(sku)) < quantity
    ]
    citations = {**cited(basket, store, *products.values()), **known.because("checkout", "stock")}
    if basket.text("status") != "active":
        return Conclusion(f"{name} cannot be checked out: it is {basket.text('status')}.", UNSUPPORTED, citations)
    if short:
        return Conclusion(f"{name} cannot be checked out: too few units of {', '.join(short)}.", UNSUPPORTED, citations)
    return Conclusion(
        f"{name} is checked out.",
        OK,
        citations,
        deeds=(Deed("execute", "/bin/checkout", (name,)),),
        proof=Proof(basket.path, "checked_out", "status"),
    )


def _is_download(product: Record | None) -> bool:
    return product is not None and product.text("fulfilment") == "download"


def add_product(known: Known) -> Conclusion:
    """Put units of one product into the basket that is named, or into the newest active one."""
    name = basket_id(known)
    basket = known.record("baskets", name) if name else None
    refused = refusal(known, basket)
    if refused:
        return refused
    if known.identity.is_staff:
        return Conclusion("Only customers have baskets.", UNSUPPORTED, known.because("checkout"))
    products, active = known.both(
        lambda: products_meant(known, _product_phrase(known.instruction)), lambda: own_active(known)
    )
    if len(products) > 1:
        return which_product(known, products)
    basket = basket or next(iter(active), None)
    if basket is None or not products or basket.text("status") != "active":
        why = "that product is not in the catalogue" if basket and not products else "there is no such active basket"
        return Conclusion(f"Nothing was changed: {why}.", UNSUPPORTED, {**cited(basket), **known.because("checkout")})
    product = products[0]
    quantity = QUANTITY.search(known.instruction)
    text = _edited(basket, product, int(quantity[1]) if quantity else 1)
    return Conclusion(
        f"Put {product.text('sku')} into {basket.text('id')}.",
        OK,
        {**cited(basket, product), **known.because("checkout")},
        deeds=(Deed("write", basket.path, content=text),),
        proof=Proof(basket.path, text),
    )


def _product_phrase(instruction: str) -> str:
    found = (re.search(pattern, instruction, re.IGNORECASE) for pattern in PRODUCT)
    return next((each[1] for each in found if each), instruction)


def _edited(basket: Record, product: Record, quantity: int) -> str:
    """Return the basket's file with more units of the product: on its line, or on a new last one."""
    sku = product.text("sku")
    lines = [dict(row.data) for row in basket.rows("lines")]
    for line in lines:
        if line.get("sku") == sku:
            line["quantity"] = counts(basket.rows("lines"))[sku] + quantity
            break
    else:
        lines.append({"sku": sku, "quantity": quantity})
    return json.dumps({**basket.data, "lines": lines}, indent=2, ensure_ascii=False) + "\n"


def tell_lines(known: Known) -> Conclusion:
    """Tell the SKUs in a basket to the customer whom it belongs to."""
    basket = known.record("baskets", basket_id(known))
    refused = refusal(known, basket)
    if refused:
        return refused
    if basket is None or known.identity.is_staff:
        return Conclusion("There is no such basket of yours.", UNSUPPORTED, known.because("checkout"))
    products = products_of(known, basket)
    return Conclusion("\n".join(products), OK, cited(basket, *products.values()))
