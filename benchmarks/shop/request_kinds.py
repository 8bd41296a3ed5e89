"""The kinds of request to a shop, told by wordings.

A pattern matches an order or a question, not a mention: "my last refund went well", "I need no
refund" and "how do I get a refund?" request none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import re2

from controlplane.gates.request_text import with_plain_signs
from controlplane.sandbox.interface import bounds


@dataclass(frozen=True, slots=True, eq=False)
class RequestKind:
    """A kind of request."""

    pattern: re2._Regexp
    ignored: re2._Regexp | None = None
    """Wordings that only look like such a request; they are removed first."""
    is_action: bool = False
    """True if it requests an action: a negation or a question around the match makes it a mention."""
    can_be_asked: bool = False
    """True if the action is to tell something, so that a question requests it as well."""

    def find(self, instruction: str) -> str:
        """Return the words in which an instruction makes a request of this kind; empty if it makes
        none."""
        return _find(self, instruction[: bounds.MOST_REQUEST_CHARS])


def _kind(pattern: str, ignored: str = "") -> RequestKind:
    """Return a kind of request that is a question or a description."""
    ignored_pattern = re2.compile(f"(?i){ignored}") if ignored else None
    return RequestKind(re2.compile(f"(?i){pattern}"), ignored_pattern)


def _action(pattern: str, ignored: str = "", *, can_be_asked: bool = False) -> RequestKind:
    """Return a kind of request that orders an action."""
    ignored_pattern = re2.compile(f"(?i){ignored}") if ignored else None
    return RequestKind(
        re2.compile(f"(?i){pattern}"), ignored_pattern, is_action=True, can_be_asked=can_be_asked
    )


# Orders and mentions ----------------------------------------------------------------------------

_NEGATED: Final = re2.compile(r"(?i)\b(?:no|not|never|nobody)\b|n't\b")
_ASKED_ABOUT: Final = re2.compile(
    r"(?i)\b(?:how (?:do|does|can|could|may|should|would|is|are|to)|why|do (?:I|we|you|they)|does"
    r"|(?:explain|describe|say|know|tell (?:me|us)) how"
    r"|(?:who|what) (?:may|can|must|does?|(?:is|are) (?:allowed|needed|required))"
    r"|(?:can|could|may|should) (?:I|we|they|anyone|anybody|an?|customers?|employees?))\b"
)
"""A question about the way or the possibility, such as "can I …?"; "can you …?" is an order."""
_CLAUSE_END: Final = re2.compile(r"[.!?;\n]")
_MAX_CLAUSE_CHARS: Final = 300
"""Characters before a match in which the beginning of its clause is looked for."""


@lru_cache(maxsize=2_048)
def _find(kind: RequestKind, instruction: str) -> str:
    """Return the first match that is not a mention. Kept, because all rules ask about one instruction."""
    text = with_plain_signs(instruction)
    if kind.ignored is not None:
        text = kind.ignored.sub(" ", text)
    for match in kind.pattern.finditer(text):
        if not kind.is_action or not _is_mention(kind, text, match):
            return str(match[0])
    return ""


def _is_mention(kind: RequestKind, text: str, match: re2._Match) -> bool:
    """Say whether an action is not ordered: its clause has a negation, or asks how or whether it is
    done."""
    start, end = match.span()
    search_start = max(0, start - _MAX_CLAUSE_CHARS)
    clause_before = _CLAUSE_END.split(text[search_start:start])[-1]
    clause_to_end = _CLAUSE_END.split(text[search_start:end])[-1]
    if _NEGATED.search(clause_to_end):
        return True
    return not kind.can_be_asked and _ASKED_ABOUT.search(clause_before) is not None


# The kinds --------------------------------------------------------------------------------------

_WITHIN: Final = r"(?:[^.?!\n]|\.\w)"
"""One character within a sentence; a dot in a number, an id or a path does not end it."""


STOCK_OF_ONE: Final = _kind(
    r"\bdo you have \d+ of\b",
    r"\bdo you have \d+ of (?:(?:each|both|these|those|them)\b|[^.?!\n]*\band \d+ of\b)",
)
RECEIPT: Final = _kind(r"\breceipt\b|\blast (?:ocr )?upload\b|\bSee upload\b")
BUY_AGAIN: Final = _kind(
    r"\b(?:can|could) I (?:buy|get)\b|\bIf I bought\b|\bwould the current catalogue subtotal\b",
    r"\b(?:can|could) I (?:buy|get) (?:an?|one|some|any|my)\b",
)
EXISTENCE: Final = _kind(
    r"\bDoes such (?:a )?product exist\b|\ba product like (?:this|that)\b|\bdo you sell (?:this|such)\b"
)
SKU_WANTED: Final = _kind(
    r"\bsku for\b|\bSKU lookup\b|\bStock Keeping Unit\b|\bneed (?:the )?(?:article )?code\b|\bproduct code\b|\bSKU of\b"
    r"|\bsku only\b|\b(?:the|item) code only\b|\bJust the code\b"
)
_LACKING_PART: Final = (
    r"\b(?:without|outside|excluded|not) (?:the |a |[a-z0-9]+ )?(?:\w+ ){0,2}?(?:packs?|listing|set|bundle|body|kit"
    r"|unit|adapter|accessories|batteries)"
)
DETAIL_LEFT_OPEN: Final = _kind(
    r"\bnot (?:supplied|provided|specified|stated|given)\b|\b(?:un|under)specified\b|\bunstated\b|\bdetail missing\b"
    rf"|{_LACKING_PART}\b|\bno (?:\w+ ){{0,2}}?(?:packs?|case|kit|adapter|accessories|batteries)\b",
    rf"{_LACKING_PART} (?:with|incl|plus)\w*\b",
)
REFUND: Final = _action(
    rf"\b(?:approv|clos|finish|complet|handl|process|mov|issu|start|grant|giv|mak|want|need|get)(?:e|es|ing)?\b"
    rf"{_WITHIN}*\brefund(?:ed)?\b"
    rf"|\brefund\b{_WITHIN}*\b(?:may|can|should|must) be (?:approved|closed|finished|made|paid)\b"
    r"|(?:^|[.!?:;,\n] ?|\b(?:please|kindly|just|you|to|and) )refund (?:my|the|it|me|this|that|pay)"
)
_RESTART: Final = (
    r"\b(?:recover|restart(?:ed)?|start it again|retry|redo|(?:re)?try (?:it|the|again)|fix it|help me finish"
    r"|get (?:it|this|that|my checkout) (?:moving|going|started|restarted|done)|make it work)\b"
)
_BANK_CHECK: Final = (
    r"\b(?:3-?D ?S(?:ecure)?|(?:card|bank|payment) (?:verification|security|approval)|issuer challenge"
    r"|verification of pay[-_\w]*)\b"
)
VERIFICATION: Final = _action(
    rf"{_BANK_CHECK}[^\n]{{0,200}}?{_RESTART}|{_RESTART}[^\n]{{0,120}}?{_BANK_CHECK}"
)
_BEGINS: Final = r"(?:^|[.!?:;,=\n] ?|\b(?:please|kindly|now|just|then|you|to|and) )"
_WHAT: Final = (
    r"(?:it|that|this|everything|(?:(?:the|my|this|that|our) )?(?:basket|cart|order|purchase))"
)
CHECKOUT: Final = _action(
    r"\b(?:complete|submit|finish|finali[sz]e|proceed with) (?:(?:the|my|this|our) )?(?:checkout|order|purchase)\b"
    rf"|{_BEGINS}check ?out {_WHAT}"
    r"|\bcheck out (?:(?:the|my|this|that|our) )?(?:basket|cart|order)\b"
    rf"|\bcheck {_WHAT}(?: basket[-_]\d+)? out\b"
    rf"|\bcheckout\b{_WITHIN}*[.;] ?(?:please )?(?:complete|finish|submit) it\b"
    rf"|\b(?:buy|purchase) (?:everything|what(?:'s| is)) in\b"
)
DISCOUNT: Final = _action(
    rf"\b(?:apply|add|put|give|gets?|grant|issue|replace|renew|needs?|want)\b{_WITHIN}*\bdiscount\b"
    rf"|\bdiscount\b{_WITHIN}*[.;] ?(?:please )?(?:just )?(?:apply|add|put) it\b"
)
CLEANUP: Final = _action(
    r"\b(?:delete|clean|empty|remove)\b(?:[^.]|\.\w)*/tmp/|/tmp/(?:[^.]|\.\w)*\b(?:delete|remove)\b"
)
STAFF_CONTACT: Final = _action(
    rf"\b(?:give|send|tell|return|share|show|provide|forward|need|want|get|what|which)\b{_WITHIN}*\be-?mail\b",
    r"\b(?:send an|to|by|via|my) e-?mail\b|\be-?mail me\b",
    can_be_asked=True,
)
STAFF: Final = _kind(
    r"\b(?:staff|employees?|managers?|manages|managing|work e-?mail|works at|run|emp[-_]\d+|Role[A-Z]\w+|\w+_lead"
    r"|\w+_manager)\b"
)
SEVERAL: Final = _kind(
    r"\b(?:both|each|compared?|difference|respectively|cheaper|(?:cheap|dear|low|high|light|heavi|small|larg|strong)est)\b"
    r"|\bof [^,.?!\n]{3,40} and of\b"
)
"""A request about several records of a kind, such as a choice among them."""
EXPORT: Final = _action(
    rf"\b(?:create|write|make|generate|prepare|save)\b{_WITHIN}*\binventory (?:CSV )?export\b"
)
FIELD: Final = _kind(
    r"\bwhat (?:exact )?`[\w.]+`|\bexact (?:value (?:of|does) )?`[\w.]+`|\bWhat is the (?:exact )?`"
)
CONSTRAINT: Final = _kind(
    r"\bmust\b|`|\band has\b|`[^`]+`\s*(?:is|=)\s*`|\bthat has\b|\bwhose\b|\bsupports?\b"
)
