"""Records of customers: check a basket out, give a discount, advance a refund, restart a card verification."""

from __future__ import annotations

import re
from typing import Any, Final

from benchmarks.ecom.player.knowledge import (
    CLARIFICATION,
    OK,
    UNSUPPORTED,
    WORD,
    Change,
    Cited,
    Conclusion,
    Knowledge,
    NotStated,
    Record,
    cite_records,
    deny,
    finding,
)

BASKET: Final = re.compile(r"\b(?:basket|cart|order)[-_]\d+\b", re.IGNORECASE)
PERCENT: Final = re.compile(r"(\d+)\s*(?:%|percent|per cent)", re.IGNORECASE)
LIMIT: Final = re.compile(r"\b(\d{1,2}) ?(?:%|per ?cent\b)")
THRESHOLD: Final = re.compile(r"(?:EUR|€) ?([\d.,]*\d)|([\d.,]*\d) ?(?:EUR|€|euros?)")
NO_REASONS: Final = ("discount", "percent", "reduction", "basket", "employee", "issuer")
"""Words of a request that are not a reason, though a policy may quote them."""
ISSUER: Final = re.compile(r"\bemp[-_]\d+\b")
PAYMENT: Final = re.compile(r"\bpay(?:ment)?[-_]\d+\b", re.IGNORECASE)
RETURN: Final = re.compile(r"\b(?:ret|return|rma)[-_]\d+\b", re.IGNORECASE)
CLOSING: Final = re.compile(r"\b(?:clos\w+|finish\w*|complet\w+|conclud\w+|finali[sz]\w+|wrap)\b", re.IGNORECASE)
STANDS_OPEN: Final = re.compile(r"\bopen\b|\bactive\b|\bblocks\b")
IS_OVER: Final = re.compile(r"abandon|given up|gave up|timed? out|time-?out|expired|ran out|dropped|broken off")
PARAGRAPH: Final = re.compile(r"\n\s*\n|\n[-*] |\n\d+\. ")


def basket_id(known: Knowledge) -> str:
    """Return the id of the basket that the task names, or an empty string."""
    found = BASKET.search(known.instruction)
    return found[0].lower() if found else ""


def record_use(known: Knowledge, name: str) -> tuple[dict[str, Any], Cited]:
    """Return the asker's rights to a record, and its reference; nothing if no record has that name."""
    value, refs = known.computed("may_use", record=name) if name else (None, {})
    return value or {}, refs


def refusal(known: Knowledge, use: dict[str, Any]) -> Conclusion | None:
    """Return the refusal if the security rules keep a record from the asker, or None."""
    if known.asker == "guest":
        return deny(known, "Nobody is signed in, so nothing that belongs to a customer is shown or changed.")
    if use and not use["see"]:
        return deny(known, f"That does not belong to the signed-in customer {known.user}.")
    return None


def check_out(known: Knowledge) -> Conclusion:
    """Check out the named basket, or the customer's only open one."""
    name = basket_id(known)
    use, cited = record_use(known, name)
    if refused := refusal(known, use):
        return refused
    if known.asker == "staff":
        return Conclusion("Only customers have baskets.", UNSUPPORTED, known.cite("checkout"))
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


def leave_lines(known: Knowledge) -> Conclusion:
    """Decline to change the lines of a basket: the player buys baskets as they are."""
    declined = Conclusion("No line of a basket was changed.", UNSUPPORTED, known.cite("checkout"))
    return refusal(known, record_use(known, basket_id(known))[0]) or declined


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
    obstacle = _discount_obstacle(known.records("basket", [name])[0], employees[0], basket, reason)
    if not obstacle and not 1 <= percent <= maximum:
        obstacle = f"{percent} percent is not allowed, the maximum is {maximum} percent"
    if obstacle:
        return Conclusion(f"{name} gets no discount: {obstacle}.", UNSUPPORTED, cited)
    change = Change("execute", "/bin/discount", (name, str(percent), reason, known.user))
    return Conclusion(f"{name} has {percent} percent off ({reason}).", OK, cited, (change,))


def _discount_obstacle(record: Record, employee: Record, basket: dict[str, Any], reason: str) -> str:
    if basket["branch"] not in employee.data.values():
        return f"it belongs to {basket['branch']}, another branch than that of {employee.id}"
    if not basket["is_open"]:
        return f"it is {basket['state']}"
    if any(isinstance(value, dict) for value in record.data.values()):
        return "it has a discount already"
    if basket["short"]:
        return f"its branch has too few units of {', '.join(basket['short'])} today"
    return "" if reason else "the reason is none of those that the policy names"


def _verbs_of(known: Knowledge, tool: str) -> list[str]:
    """Return a tool's subcommands, in the order in which its help lists them."""
    (told,) = known.look_up({"run": tool, "args": ["--help"]})
    return re.findall(rf"{tool.rsplit('/', 1)[1]} ([a-z][\w-]+) <", told["stdout"] if isinstance(told, dict) else "")


def _words_beside(known: Knowledge, name: str, command: str) -> set[str]:
    """Return the words in back quotes of the document's paragraph that holds a command. Raises `NotStated`."""
    paragraphs = PARAGRAPH.split(known.document_text(name))
    return {word for text in paragraphs if command in re.sub(r"\s+", " ", text) for word in WORD.findall(text)}


def _linked(known: Knowledge, name: str, kind: str) -> str:
    """Return the id of the first record of a kind that is linked to another; empty if there is none."""
    found, _ = known.computed("linked_records", record=name)
    return next((str(record["id"]) for record in found or () if record["kind"] == kind), "")


def advance_refund(known: Knowledge) -> Conclusion:
    """Approve or close a refund if role, owner and status allow it, else name the status."""
    step = "close" if CLOSING.search(known.instruction) else "approve"
    if step == "approve" and not known.has_role_of("returns"):
        return deny(known, f"Approving a refund takes a role for it, which {known.user} does not have.")
    if step == "close" and known.asker == "staff":
        return deny(known, "A refund is closed by the customer whom it belongs to.")
    named_return, named_payment = RETURN.search(known.instruction), PAYMENT.search(known.instruction)
    named = (named_return or named_payment or [""])[0]
    use, _ = record_use(known, named)
    if refused := refusal(known, use):
        return refused
    other = _linked(known, named, "payment" if named_return else "return") if use else ""
    payment, paid = record_use(known, other if named_return else named)
    name = named if named_return else other
    returned, sent = record_use(known, name)
    cited = {**paid, **sent, **known.cite("returns")}
    if not payment or not returned:
        missing = f"no return is tied to {named}" if payment else "there is no such payment"
        return Conclusion(f"Nothing was changed: {missing}.", UNSUPPORTED, cited)
    verbs = _verbs_of(known, "/bin/refund")
    approval, closure = (_words_beside(known, "returns", f"/bin/refund {verb}") for verb in verbs[:2])
    fitting = approval - closure if step == "approve" else approval & closure
    if returned["state"] not in fitting or payment["state"] not in approval & closure:
        states = f"the return is {returned['state']}, the payment {payment['state']}"
        return Conclusion(f"Nothing was changed: {states}.", UNSUPPORTED, cited)
    change = Change("execute", "/bin/refund", (verbs[step == "close"], name))
    return Conclusion(f"The refund of {name} has taken its next step.", OK, cited, (change,))


def restart_verification(known: Knowledge) -> Conclusion:
    """Restart a card verification if every condition holds, else name the recorded obstacle."""
    found = PAYMENT.search(known.instruction)
    named = found[0] if found else basket_id(known)
    use, _ = record_use(known, named)
    if refused := refusal(known, use):
        return refused
    if known.asker == "staff":
        return deny(known, "Only the customer whom the payment belongs to may have its verification restarted.")
    payment = named if found or not use else _linked(known, named, "payment")
    basket = _linked(known, payment, "basket") if payment and use else ""
    wanted = (finding("may_use", record=basket), finding("may_use", record=payment)) if basket else ()
    known.look_up(finding("retry_moment", payment=payment), *wanted)
    paid, cited = record_use(known, payment)
    bought, of_basket = record_use(known, basket)
    cited = {**cited, **of_basket, **known.cite("verification")}
    if not paid or not bought:
        return Conclusion("There is no such payment.", UNSUPPORTED, cited)
    obstacle = _restart_obstacle(known, payment, str(paid["state"]), str(bought["state"]))
    if obstacle:
        return Conclusion(f"{payment} cannot be verified again: {obstacle}.", UNSUPPORTED, cited)
    return Conclusion(
        f"The verification of {payment} was started again; it stays unpaid until the bank agrees.",
        OK,
        {**cited, **known.cite("checkout", "security")},
        (Change("execute", "/bin/payments", (_verbs_of(known, "/bin/payments")[0], payment)),),
    )


def _restart_obstacle(known: Knowledge, payment: str, state: str, basket_state: str) -> str:
    """Return the reason against a restart, with the recorded value, or an empty string."""
    words = known.words_in("verification")
    check, _ = known.computed("retry_moment", payment=payment)
    if state not in words or check is None:
        return f"its status is {state}"
    if basket_state not in words:
        return f"its basket is {basket_state}"
    if check["attempts"] >= check["max_attempts"]:
        return f"all {check['max_attempts']} attempts are used up"
    is_early = not check["passed"] and _is_open(known, str(check["state"]))
    return f"it may be tried again from {check['retry_at']} on" if is_early else ""


def _is_open(known: Knowledge, state: str) -> bool:
    """Say whether the document calls the state of a challenge open, just before or after its name, or not over."""
    text = re.sub(r"\s+", " ", known.document_text("verification"))
    places = list(re.finditer(rf"(.{{0,20}})`{re.escape(state)}`(.{{0,34}})", text))
    near = " ".join(f"{place[1]} {place[2].split('`')[0]}" for place in places)
    return bool(STANDS_OPEN.search(near)) or not IS_OVER.search(near)
