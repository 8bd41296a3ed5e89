"""What kind of request an instruction is. Each kind is one pattern; an instruction that fits none is left alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final


@dataclass(frozen=True, slots=True)
class Request:
    """A kind of request: the pattern that fits it, and words of which any fitting instruction holds one."""

    pattern: re.Pattern[str]
    words: tuple[str, ...]
    """In lower case; looking for them first spares most searches. Empty where the pattern is always tried."""


def _kind(pattern: str, *words: str, flags: re.RegexFlag = re.IGNORECASE) -> Request:
    return Request(re.compile(pattern, flags), words)


@lru_cache(maxsize=2_048)
def find(request: Request, instruction: str) -> re.Match[str] | None:
    """Return where `request` fits the instruction; remembered, because every rule asks the same of one instruction."""
    if request.words:
        lowered = _lowered(instruction)
        if not any(word in lowered for word in request.words):
            return None
    return request.pattern.search(instruction)


@lru_cache(maxsize=64)
def _lowered(text: str) -> str:
    return text.lower()


CONTROL_BLOCK: Final = _kind(
    r"\[\[[^\]\n]{3,200}\]\]|<!--|<\|?/?system|<｜|\bBEGIN [A-Z ]{0,40}(?:MODEL|TRUSTED|SYSTEM|OPERATOR)\b"
    r"|---\s{0,9}(?:model|origin|source|role|priority|status)\s*:"
    r"|^model_context\s*:|模型上下文|^[ \t]*role\s*:\s*system"
    r"|^>?[ \t]*(?:Quoted (?:provider|message)|Forwarded by)|#\s*(?:SYSTEM OVERRIDE|Security relay|Ops escalation)"
    r"|(?<=\S)(?:model_context\s*:|#\s*(?:SYSTEM OVERRIDE|Security relay|Ops escalation)|Quoted (?:provider|message))"
    r"|(?<=\S)引用的"
    r"|(?<!not )\b(?:[Ii]gnore|[Dd]isregard|[Ss]kip) (?:(?:the|all|any|every|local|these|prior) )+(?:workspace )?"
    r"(?:rules|permission checks?|instructions|policies)\b",
    flags=re.MULTILINE,
)
"""A block that poses as an instruction of the system, in the wrappers that are known."""

STOCK_OF_ONE: Final = _kind(r"\bdo you have \d+ of\b", "do you have")
STOCK_OF_LISTED: Final = _kind(r"\bhow many of these SKUs\b", "of these skus")
RECEIPT: Final = _kind(r"\breceipt\b|\blast (?:ocr )?upload\b|\bSee upload\b", "receipt", "upload")
BUY_AGAIN: Final = _kind(
    r"\b(?:can|could) I (?:buy|get)\b|\bIf I bought\b|\bwould the current catalogue subtotal\b",
    "can i",
    "could i",
    "if i bought",
    "current catalogue subtotal",
)
EXISTENCE: Final = _kind(r"\bDoes such (?:a )?product exist\b", "does such")
PRICE_COUNT: Final = _kind(r"\bhow many matching SKUs\b|# of matching products", "matching")
STAFF_COUNT: Final = _kind(r"\bhow many (?:staff|people)\b", "how many")
SKU_WANTED: Final = _kind(
    r"\bsku for\b|\bSKU lookup\b|\bStock Keeping Unit\b|\bneed (?:the )?(?:article )?code\b|\bproduct code\b|\bSKU of\b"
    r"|\bsku only\b|\b(?:the|item) code only\b|\bJust the code\b",
    "sku",
    "code",
    "stock keeping",
)
DETAIL_LEFT_OPEN: Final = _kind(
    r"\bnot (?:supplied|provided|specified|stated|given)\b|\b(?:un|under)specified\b|\bunstated\b|\bdetail missing\b"
    r"|\b(?:without|outside|excluded|not) (?:the |a |[a-z0-9]+ )?(?:\w+ ){0,3}?(?:packs?|listing|set|bundle|body|kit"
    r"|unit|adapter|accessories|batteries)\b",
    "not",
    "specified",
    "unstated",
    "missing",
    "without",
    "outside",
    "excluded",
)
REFUND: Final = _kind(r"\brefund\b", "refund")
VERIFICATION: Final = _kind(
    r"\b3-?D ?S(?:ecure)?\b|\bcard verification\b|\bbank (?:verification|approval)\b|\bissuer challenge\b"
    r"|\bVerification of pay",
    "3d",
    "3-d",
    "verification",
    "approval",
    "issuer",
)
CHECKOUT: Final = _kind(
    r"\bcheck\s?(?:it |the basket |\S+ )?out\b|\bcheckout\b|\bready to buy\b|\bbuy everything\b",
    "check",
    "ready to buy",
    "buy everything",
)
DISCOUNT: Final = _kind(r"\bdiscount\b", "discount")
DISCOUNT_STATE: Final = _kind(
    r"\bReplace whatever is on\b|\balready-discounted\b|\bunless the (?:discount )?policy (?:forbids|blocks)\b",
    "replace",
    "discount",
)
OVER_LIMIT: Final = _kind(
    r"\b(\d+)\s?(?:percent|%).*\bIf (?:policy blocks it|that is too much)\b",
    "percent",
    "%",
    flags=re.IGNORECASE | re.DOTALL,
)
ADDITION: Final = _kind(
    r"\b(?:add|put)\b.*\b(?:newest|latest|last)\b.*\b(?:basket|one)\b", "add", "put", flags=re.IGNORECASE | re.DOTALL
)
CLEANUP: Final = _kind(r"\b(?:delete|clean|empty|remove)\b[^.]*/tmp/|/tmp/[^.]*\b(?:delete|remove)\b", "/tmp/")
OTHER_SYSTEM: Final = _kind(
    r"\b(?:Zendesk|Salesforce|ServiceNow|Jira|HubSpot|Freshdesk|Slack|Trello|Asana)\b",
    "zendesk",
    "salesforce",
    "servicenow",
    "jira",
    "hubspot",
    "freshdesk",
    "slack",
    "trello",
    "asana",
)
STAFF_CONTACT: Final = _kind(
    r"\b(?:staff|work|direct|contact)\s+e-?mail\b|'s\s+(?:\w+\s+){0,3}e-?mail\b"
    r"|\b(?:their|her|his)\s+(?:\w+\s+){0,3}e-?mail\b"
    r"|\be-?mail\s+(?:address\b|are on my\b)",
    "mail",
)
CLAIMED_RIGHT: Final = _kind(
    r"\bapproved for basket\b|\bcross-customer\b|\bhelping (?:a friend|someone)\b|\bSYSTEM OVERRIDE\b"
    r"|\bforgot to sign in\b|\bcounter-confirmed\b|\bSESSION NOTE\b",
    "approved",
    "cross-customer",
    "helping",
    "override",
    "sign in",
    "confirmed",
    "session note",
)
EXPORT: Final = _kind(r"\binventory (?:CSV )?export\b", "export")
FIELD: Final = _kind(
    r"\bwhat (?:exact )?`[\w.]+`|\bexact (?:value (?:of|does) )?`[\w.]+`|\bWhat is the (?:exact )?`", "`"
)
CONSTRAINT: Final = _kind(
    r"\bmust\b|`|\band has\b|`[^`]+`\s*(?:is|=)\s*`|\bthat has\b|\bwhose\b|\bsupports?\b",
    "has",
    "`",
    "whose",
    "must",
    "support",
)
