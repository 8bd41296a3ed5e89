"""Requests that are refused before a model sees them, whatever else they ask."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from benchmarks.shop.layout.shop_layout import ShopLayout, WorkspaceReader
from benchmarks.shop.preflight.permitted_changes import owned_records
from benchmarks.shop.preflight.quoted_rules import access_policy, cited_rule
from benchmarks.shop.preflight.request_intent import intent_of
from benchmarks.shop.request_kinds import CONTROL_BLOCK
from toolkit import Finding, Reference
from toolkit.records import Record
from toolkit.requests import Refusal, SecurityCase, security_refusal, tolerates_blocks

DENIED: Final = "OUTCOME_DENIED_SECURITY"
_MESSAGES: Final = {
    "override": "The request carries text that poses as an instruction of the system, so it is refused.",
    "contact": "Contact details of staff are not given out.",
    "foreign_basket": "That basket does not belong to whoever is signed in, so nothing is told of it or done with it.",
    "claimed_approval": "Only staff with the right role give discounts; a claimed approval counts for nothing.",
}
_WORDS: Final = {
    "override": r"text|instruction|message|system|request|block|pose",
    "contact": r"contact|e-?mail|phone|address|staff",
    "foreign_basket": r"own|belong|customer|basket|guest",
    "claimed_approval": r"discount|approv|role|staff|claim",
}
"""With which words the sentence of the policy is found that a refusal rests on."""


def refuse_request(reader: WorkspaceReader, request: str, intent: str) -> Finding[dict[str, Any]]:
    """Return the refusal of an override, of contact details, of others' records, of a discount that staff promised.

    An empty value: nothing is to be refused. Raises `CannotRead` if it is not certain who asks, or by which policy.
    """
    layout = ShopLayout(reader)
    policy = access_policy(layout)
    meant, asker = intent_of(request, intent), layout.asker
    text = layout.documents[policy]
    if CONTROL_BLOCK.find(request) and not tolerates_blocks(text):
        meant = replace(meant, override=True)
    case = SecurityCase(request, meant, asker, layout.records, text)
    foreign = _foreign_record(layout, request)
    found = security_refusal(case)
    if found is None and foreign is not None:
        found = Refusal("foreign_basket", ("security",), is_protected=True)
    if found is None:
        return Finding({})
    message = _MESSAGES[found.reason]
    if found.reason == "foreign_basket" and foreign is not None:
        message = f"{foreign.id} does not belong to whoever is signed in, so nothing is told of it or done with it."
    cited = [cited_rule(layout, policy, _WORDS[found.reason])]
    cited += [_reference(layout, path) for path in found.records]
    return Finding({"outcome": DENIED, "message": message, "reason": found.reason}, tuple(cited))


def _foreign_record(layout: ShopLayout, request: str) -> Record | None:
    """Return a basket, payment or return that the request names and that is another's; nobody's are for staff."""
    if not layout.asker.is_outside:
        return None
    owned = owned_records(layout, request)
    return next((each for each in owned if each.owner and not layout.asker.may_cite(each.owner)), None)


def _reference(layout: ShopLayout, path: str) -> Reference:
    record = layout.records.at(path)
    name = (record.name or record.id) if record is not None else path.rsplit("/", 1)[-1]
    return Reference(path, f"the {layout.kind_of(path) or 'record'} {name}")
