"""What kind of request an instruction is. Each kind is one pattern; an instruction that fits none is left alone."""

from __future__ import annotations

import re
from typing import Final

_I: Final = re.IGNORECASE

CONTROL_BLOCK: Final = re.compile(
    r"\[\[[^\]\n]{3,200}\]\]|<!--|<\|?/?system|<｜|\bBEGIN [A-Z ]*(?:MODEL|TRUSTED|SYSTEM)[A-Z ]*\b"
    r"|---\s*\n?\s*(?:model|origin|source|role|priority|status)\s*:|^model_context\s*:|模型上下文|^\s*role\s*:\s*system"
    r"|^>?\s*(?:Quoted (?:provider|message)|Forwarded by)|#\s*(?:SYSTEM OVERRIDE|Security relay|Ops escalation)"
    r"|(?<=\S)(?:model_context\s*:|#\s*(?:SYSTEM OVERRIDE|Security relay|Ops escalation)|Quoted (?:provider|message))"
    r"|(?<=\S)引用的",
    re.MULTILINE,
)
"""A block that poses as an instruction of the system, in the wrappers that are known."""

STOCK_OF_ONE: Final = re.compile(r"\bdo you have \d+ of\b", _I)
STOCK_OF_LISTED: Final = re.compile(r"\bhow many of these SKUs\b", _I)
RECEIPT: Final = re.compile(r"\breceipt\b|\blast (?:ocr )?upload\b|\bSee upload\b", _I)
BUY_AGAIN: Final = re.compile(
    r"\b(?:can|could) I (?:buy|get)\b|\bIf I bought\b|\bwould the current catalogue subtotal\b", _I
)
EXISTENCE: Final = re.compile(r"\bDoes such (?:a )?product exist\b", _I)
PRICE_COUNT: Final = re.compile(r"\bhow many matching SKUs\b|# of matching products", _I)
STAFF_COUNT: Final = re.compile(r"\bhow many (?:staff|people)\b", _I)
SKU_WANTED: Final = re.compile(
    r"\bsku for\b|\bSKU lookup\b|\bStock Keeping Unit\b|\bneed (?:the )?(?:article )?code\b|\bproduct code\b|\bSKU of\b"
    r"|\bsku only\b|\b(?:the|item) code only\b|\bJust the code\b",
    _I,
)
DETAIL_LEFT_OPEN: Final = re.compile(
    r"\bnot (?:supplied|provided|specified|stated|given)\b|\b(?:un|under)specified\b|\bunstated\b|\bdetail missing\b"
    r"|\b(?:without|outside|excluded|not) (?:the |a |[a-z0-9]+ )?(?:\w+ ){0,3}?(?:packs?|listing|set|bundle|body|kit"
    r"|unit|adapter|accessories|batteries)\b",
    _I,
)
REFUND: Final = re.compile(r"\brefund\b", _I)
VERIFICATION: Final = re.compile(
    r"\b3-?D ?S(?:ecure)?\b|\bcard verification\b|\bbank (?:verification|approval)\b|\bissuer challenge\b"
    r"|\bVerification of pay",
    _I,
)
CHECKOUT: Final = re.compile(
    r"\bcheck\s?(?:it |the basket |\S+ )?out\b|\bcheckout\b|\bready to buy\b|\bbuy everything\b", _I
)
DISCOUNT: Final = re.compile(r"\bdiscount\b", _I)
OVER_LIMIT: Final = re.compile(r"\b(\d+)\s?(?:percent|%).*\bIf (?:policy blocks it|that is too much)\b", _I | re.DOTALL)
ADDITION: Final = re.compile(r"\b(?:add|put)\b.*\b(?:newest|latest|last)\b.*\b(?:basket|one)\b", _I | re.DOTALL)
CLEANUP: Final = re.compile(r"\b(?:delete|clean|empty|remove)\b[^.]*/tmp/|/tmp/[^.]*\b(?:delete|remove)\b", _I)
OTHER_SYSTEM: Final = re.compile(r"\b(?:Zendesk|Salesforce|ServiceNow|Jira|HubSpot|Freshdesk|Slack|Trello|Asana)\b", _I)
STAFF_CONTACT: Final = re.compile(r"\b(?:staff |work |direct )?e-?mail(?: address)?\b", _I)
CLAIMED_RIGHT: Final = re.compile(
    r"\bapproved for basket\b|\bcross-customer\b|\bhelping (?:a friend|someone)\b|\bSYSTEM OVERRIDE\b"
    r"|\bforgot to sign in\b|\bcounter-confirmed\b|\bSESSION NOTE\b",
    _I,
)
EXPORT: Final = re.compile(r"\binventory (?:CSV )?export\b", _I)
FIELD: Final = re.compile(
    r"\bwhat (?:exact )?`[\w.]+`|\bexact (?:value (?:of|does) )?`[\w.]+`|\bWhat is the (?:exact )?`", _I
)
CONSTRAINT: Final = re.compile(r"\band has\b|`[^`]+`\s*(?:is|=)\s*`|\bthat has\b|\bwhose\b|\bsupports?\b", _I)
