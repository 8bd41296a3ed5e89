"""Payments: advance a refund, restart a card verification."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.ecom.player.basket_skills import basket_id, record_use, refusal
from benchmarks.ecom.player.knowledge import (
    OK,
    UNSUPPORTED,
    WORD,
    Change,
    Conclusion,
    Knowledge,
    deny,
    finding,
)

PAYMENT: Final = re.compile(r"\bpay(?:ment)?[-_]\d+\b", re.IGNORECASE)
RETURN: Final = re.compile(r"\b(?:ret|return|rma)[-_]\d+\b", re.IGNORECASE)
CLOSING: Final = re.compile(r"\b(?:clos\w+|finish\w*|complet\w+|conclud\w+|finali[sz]\w+|wrap)\b", re.IGNORECASE)
STANDS_OPEN: Final = re.compile(r"\bopen\b|\bactive\b|\bblocks\b")
IS_OVER: Final = re.compile(r"abandon|given up|gave up|timed? out|time-?out|expired|ran out|dropped|broken off")
PARAGRAPH: Final = re.compile(r"\n\s*\n|\n[-*] |\n\d+\. ")


def verbs_of(known: Knowledge, tool: str) -> list[str]:
    """Return a tool's subcommands, in the order in which its help lists them."""
    (told,) = known.look_up({"run": tool, "args": ["--help"]})
    return re.findall(rf"{tool.rsplit('/', 1)[1]} ([a-z][\w-]+) <", told["stdout"] if isinstance(told, dict) else "")


def _words_beside(known: Knowledge, name: str, command: str) -> set[str]:
    """Return the words in back quotes of the paragraph of a document that holds a command. Raises `NotStated`."""
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
    refused = refusal(known, use)
    if refused:
        return refused
    other = _linked(known, named, "payment" if named_return else "return") if use else ""
    payment, paid = record_use(known, other if named_return else named)
    returned, sent = record_use(known, named if named_return else other)
    cited = {**paid, **sent, **known.cite("returns")}
    if not payment or not returned:
        missing = f"no return is tied to {named}" if payment else "there is no such payment"
        return Conclusion(f"Nothing was changed: {missing}.", UNSUPPORTED, cited)
    verbs = verbs_of(known, "/bin/refund")
    approval, closure = (_words_beside(known, "returns", f"/bin/refund {verb}") for verb in verbs[:2])
    fitting = approval - closure if step == "approve" else approval & closure
    if returned["state"] not in fitting or payment["state"] not in approval & closure:
        stands = f"the return is {returned['state']}, the payment {payment['state']}"
        return Conclusion(f"Nothing was changed: {stands}.", UNSUPPORTED, cited)
    name = named if named_return else other
    change = Change("execute", "/bin/refund", (verbs[step == "close"], name))
    return Conclusion(f"The refund of {name} has taken its next step.", OK, cited, (change,))


def restart_verification(known: Knowledge) -> Conclusion:
    """Restart a card verification if every condition holds, else name the recorded obstacle."""
    found = PAYMENT.search(known.instruction)
    named = found[0] if found else basket_id(known)
    use, _ = record_use(known, named)
    refused = refusal(known, use)
    if refused:
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
    obstacle = _obstacle(known, payment, str(paid["state"]), str(bought["state"]))
    if obstacle:
        return Conclusion(f"{payment} cannot be verified again: {obstacle}.", UNSUPPORTED, cited)
    return Conclusion(
        f"The verification of {payment} was started again; it stays unpaid until the bank agrees.",
        OK,
        {**cited, **known.cite("checkout", "security")},
        (Change("execute", "/bin/payments", (verbs_of(known, "/bin/payments")[0], payment)),),
    )


def _obstacle(known: Knowledge, payment: str, state: str, basket_state: str) -> str:
    """Return what prevents a restart, with the recorded value, or an empty string."""
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
    """Say whether the document calls the state of a challenge open, just before or behind its name, or not over."""
    text = re.sub(r"\s+", " ", known.document_text("verification"))
    places = list(re.finditer(rf"(.{{0,20}})`{re.escape(state)}`(.{{0,34}})", text))
    near = " ".join(f"{place[1]} {place[2].split('`')[0]}" for place in places)
    return bool(STANDS_OPEN.search(near)) or not IS_OVER.search(near)
