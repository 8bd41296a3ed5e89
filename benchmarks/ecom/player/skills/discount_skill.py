"""Discounts: who may give one, on which basket, for which reason, and how much."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from benchmarks.ecom.player.conclusions import OK, UNSUPPORTED, Change, Conclusion, cite_records, deny
from benchmarks.ecom.player.customer_phrases import quantities_by_sku
from benchmarks.ecom.player.knowledge import Knowledge, Record
from benchmarks.ecom.player.read_policies import DiscountRules, discount_rules, open_state
from benchmarks.ecom.player.skills.basket_skill import basket_id, stocked_lines

PERCENT: Final = re.compile(r"(\d+)\s*(?:%|percent|per cent)", re.IGNORECASE)
NO_REASONS: Final = ("discount", "percent", "reduction", "basket", "employee", "issuer")
"""Words of a request that name no reason, though a policy may quote them."""
ISSUER: Final = re.compile(r"\bemp[-_]\d+\b")


def give_discount(known: Knowledge) -> Conclusion:
    """Give a discount if the policy allows it; name the maximum if the percentage is too high."""
    who = known.identity
    rules = discount_rules(known)
    if not who.is_staff:
        refusal = deny(known, "Only staff may give a discount, whoever agreed to it.")
        basket = known.record("baskets", basket_id(known))
        own = basket if basket and who.user in basket.data.values() else None
        return replace(refusal, citations={**refusal.citations, **cite_records(own)})
    issuer = ISSUER.search(known.instruction)
    basket, employee = known.look_up_both(
        lambda: known.record("baskets", basket_id(known)), lambda: known.record("staff", who.user)
    )
    if not rules.is_entitled or (issuer and issuer[0] != who.user):
        refusal = deny(known, f"{who.user} may not issue that discount: it takes a role of their own for it.")
        return replace(refusal, citations={**refusal.citations, **cite_records(basket, employee)})
    citations = {**cite_records(basket, employee), **known.cite("discounts")}
    if basket is None or employee is None:
        return Conclusion("There is no such basket.", UNSUPPORTED, citations)
    products, _, short = stocked_lines(known, basket)
    quantities = quantities_by_sku(basket.rows("lines"))
    subtotal = sum(each.number("price_cents") * quantities[sku] for sku, each in products.items() if each)
    asked = PERCENT.search(known.instruction)
    percent = int(asked[1]) if asked else rules.maximum(subtotal)
    said = known.instruction.casefold().replace(" ", "_")
    named = [each for each in rules.reasons if each in said and each not in NO_REASONS]
    reason = max(named, key=lambda each: ("_" in each, len(each)), default="")
    obstacle = _obstacle(known, basket, employee, reason) or _excess(rules, subtotal, percent)
    obstacle = obstacle or (f"its branch has too few units of {', '.join(short)} today" if short else "")
    if obstacle:
        return Conclusion(f"{basket.text('id')} gets no discount: {obstacle}.", UNSUPPORTED, citations)
    return Conclusion(
        f"{basket.text('id')} has {percent} percent off ({reason}).",
        OK,
        citations,
        changes=(Change("execute", "/bin/discount", (basket.text("id"), str(percent), reason, who.user)),),
    )


def _obstacle(known: Knowledge, basket: Record, employee: Record, reason: str) -> str:
    if employee.text("store_id") != basket.text("store_id"):
        return f"it belongs to {basket.text('store_id')}, another branch than {employee.text('store_id')}"
    if basket.text("status") != open_state(known):
        return f"it is {basket.text('status')}"
    if basket.part("discount"):
        return "it has a discount already"
    return "" if reason else "the reason is none of those that the policy names"


def _excess(rules: DiscountRules, subtotal: int, percent: int) -> str:
    maximum = rules.maximum(subtotal)
    return "" if 1 <= percent <= maximum else f"{percent} percent is not allowed, the maximum is {maximum} percent"
