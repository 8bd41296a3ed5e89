"""Baskets: check one out, add a product, list its lines, give a discount."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from benchmarks.ecom.player.knowledge import (
    CLARIFICATION,
    OK,
    UNSUPPORTED,
    Change,
    Cited,
    Conclusion,
    Knowledge,
    NotStated,
    Record,
    ask_which_product,
    cite_records,
    deny,
)
from benchmarks.ecom.player.phrases import phrase_in, products_meant

BASKET: Final = re.compile(r"\b(?:basket|cart|order)[-_]\d+\b", re.IGNORECASE)
QUANTITY: Final = re.compile(r"\b(?:put|add)\s+(\d+)\b", re.IGNORECASE)
PRODUCT: Final = (
    r"\b(?:put|add)\s+(?:one|an?|\d+)?\s*(?:more\s+)?(?:unit of |of )?(?:the )?(.+?)\s+(?:in|into|to) (?:my|the)\b",
    r"^(?:one|an?|\d+)\s+(.+?)\s+(?:for|in|into|to) my\b",
)
PERCENT: Final = re.compile(r"(\d+)\s*(?:%|percent|per cent)", re.IGNORECASE)
LIMIT: Final = re.compile(r"\b(\d{1,2}) ?(?:%|per ?cent\b)")
THRESHOLD: Final = re.compile(r"(?:EUR|€) ?([\d.,]*\d)|([\d.,]*\d) ?(?:EUR|€|euros?)")
NO_REASONS: Final = ("discount", "percent", "reduction", "basket", "employee", "issuer")
"""Words of a request that name no reason, though a policy may quote them."""
ISSUER: Final = re.compile(r"\bemp[-_]\d+\b")


def basket_id(known: Knowledge) -> str:
    """Return the id of the basket that the task names, or an empty string."""
    found = BASKET.search(known.instruction)
    return found[0].lower() if found else ""


def record_use(known: Knowledge, name: str) -> tuple[dict[str, Any], Cited]:
    """Return what may be done with a record, and its reference; nothing if no record is called so."""
    value, refs = known.computed("may_use", record=name) if name else (None, {})
    return value or {}, refs


def refusal(known: Knowledge, *uses: dict[str, Any]) -> Conclusion | None:
    """Return the refusal if the security rules keep records from the asker, or None."""
    if known.asker == "guest":
        return deny(known, "Nobody is signed in, so nothing that belongs to a customer is shown or changed.")
    if any(use and not use["see"] for use in uses):
        return deny(known, f"That does not belong to the signed-in customer {known.user}.")
    return None


def refused_to_change(known: Knowledge, use: dict[str, Any]) -> Conclusion | None:
    """Return the refusal, if any, of an asker who wants to change a basket."""
    refused = refusal(known, use)
    if not refused and known.asker == "staff":
        return Conclusion("Only customers have baskets.", UNSUPPORTED, known.cite("checkout"))
    return refused


def check_out(known: Knowledge) -> Conclusion:
    """Check out the named basket, or the customer's only open one."""
    name = basket_id(known)
    use, cited = record_use(known, name)
    refused = refused_to_change(known, use)
    if refused:
        return refused
    if not name:
        ids, cited = known.needed("pick_basket")
        if len(ids) > 1:
            question = f"You have several active baskets. Which one do you mean: {' or '.join(ids)}?"
            return Conclusion(question, CLARIFICATION, {**cited, **known.cite("checkout")})
        name = next(iter(ids), "")
    if not cited:
        return Conclusion(f"There is no basket {name or 'to buy'}.", UNSUPPORTED, known.cite("checkout"))
    basket, _ = known.needed("check_basket", basket=name)
    cited = {**cited, **known.cite("checkout", "stock")}
    if not basket["is_open"]:
        return Conclusion(f"{name} cannot be checked out: it is {basket['state']}.", UNSUPPORTED, cited)
    if basket["short"]:
        why = f"too few units of {', '.join(basket['short'])}"
        return Conclusion(f"{name} cannot be checked out: {why}.", UNSUPPORTED, cited)
    return Conclusion(f"{name} is checked out.", OK, cited, (Change("execute", "/bin/checkout", (name,)),))


def add_product(known: Knowledge) -> Conclusion:
    """Put units of one product into the named basket, or into the newest open one."""
    use, _ = record_use(known, basket_id(known))
    refused = refused_to_change(known, use)
    if refused:
        return refused
    products = products_meant(known, phrase_in(known.instruction, *PRODUCT))
    if len(products) > 1:
        return ask_which_product(known, products)
    name = basket_id(known) or next(iter(known.needed("pick_basket", selector="newest")[0]), "")
    baskets = known.records("basket", [name]) if name else []
    if not baskets or not products or known.needed("check_basket", basket=name)[0]["is_open"] is False:
        why = "that product is not in the catalogue" if baskets and not products else "there is no such open basket"
        return Conclusion(
            f"Nothing was changed: {why}.", UNSUPPORTED, {**cite_records(*baskets), **known.cite("checkout")}
        )
    quantity = QUANTITY.search(known.instruction)
    text = _text_with_product(baskets[0], products[0], int(quantity[1]) if quantity else 1)
    return Conclusion(
        f"Put {products[0].text('sku')} into {name}.",
        OK,
        {**cite_records(baskets[0], products[0]), **known.cite("checkout")},
        (Change("write", baskets[0].path, content=text),),
    )


def _text_with_product(basket: Record, product: Record, quantity: int) -> str:
    """Return the basket's file with more units of the product, on its own line or on a new last one."""
    sku = product.text("sku")
    data = dict(basket.data)
    for name, rows in basket.data.items():
        if isinstance(rows, list) and rows and isinstance(rows[0], dict):
            counted = next(key for key, value in rows[0].items() if isinstance(value, int))
            lines = [{**row, counted: row[counted] + quantity} if row.get("sku") == sku else row for row in rows]
            data[name] = lines if lines != rows else [*rows, {"sku": sku, counted: quantity}]
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def tell_lines(known: Knowledge) -> Conclusion:
    """List the SKUs in a basket for the customer who owns it."""
    use, cited = record_use(known, basket_id(known))
    refused = refusal(known, use)
    if refused:
        return refused
    if not use or known.asker == "staff":
        return Conclusion("There is no such basket of yours.", UNSUPPORTED, known.cite("checkout"))
    skus = [line["sku"] for line in known.needed("check_basket", basket=basket_id(known))[0]["lines"]]
    return Conclusion("\n".join(skus), OK, {**cited, **cite_records(*known.records("product", skus))})


def give_discount(known: Knowledge) -> Conclusion:
    """Give a discount if the policy allows it; name the maximum if the percentage is too high."""
    text = re.sub(r"\s+", " ", known.document_text("discounts"))
    limits = sorted({int(limit) for limit in LIMIT.findall(text)} - {0, 1})
    threshold = THRESHOLD.search(text)
    if not limits or threshold is None:
        msg = "the document about discounts states no limits"
        raise NotStated(msg)
    name = basket_id(known)
    use, cited = record_use(known, name)
    if known.asker != "staff":
        return deny(known, "Only staff may give a discount, whoever agreed to it.", cited)
    employees = known.records("employee", [known.user])
    issuer = ISSUER.search(known.instruction)
    cited = {**cited, **cite_records(*employees)}
    if not known.has_role_of("discounts") or (issuer and issuer[0] != known.user):
        return deny(known, f"{known.user} may not issue that discount: it takes a role of their own for it.", cited)
    cited |= known.cite("discounts")
    if not use or not employees:
        return Conclusion("There is no such basket.", UNSUPPORTED, cited)
    basket, _ = known.needed("check_basket", basket=name)
    is_high = basket["subtotal_cents"] >= float((threshold[1] or threshold[2]).replace(",", "")) * 100
    maximum = limits[-1] if is_high else limits[0]
    asked = PERCENT.search(known.instruction)
    percent = int(asked[1]) if asked else maximum
    said = known.instruction.casefold().replace(" ", "_")
    named = [word for word in known.words_in("discounts") if word in said and word not in NO_REASONS]
    reason = max(named, key=lambda word: ("_" in word, len(word)), default="")
    obstacle = _obstacle(known.records("basket", [name])[0], employees[0], basket, reason)
    if not obstacle and not 1 <= percent <= maximum:
        obstacle = f"{percent} percent is not allowed, the maximum is {maximum} percent"
    if obstacle:
        return Conclusion(f"{name} gets no discount: {obstacle}.", UNSUPPORTED, cited)
    return Conclusion(
        f"{name} has {percent} percent off ({reason}).",
        OK,
        cited,
        (Change("execute", "/bin/discount", (name, str(percent), reason, known.user)),),
    )


def _obstacle(record: Record, employee: Record, basket: dict[str, Any], reason: str) -> str:
    if basket["branch"] not in employee.data.values():
        return f"it belongs to {basket['branch']}, another branch than that of {employee.id}"
    if not basket["is_open"]:
        return f"it is {basket['state']}"
    if record.properties:
        return "it has a discount already"
    if basket["short"]:
        return f"its branch has too few units of {', '.join(basket['short'])} today"
    return "" if reason else "the reason is none of those that the policy names"
