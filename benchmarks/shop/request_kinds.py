"""The kinds of requests to a shop, recognized by their wording.

A pattern matches an order or a question, and not a mere mention. These texts request no refund: "my
last refund went well", "I need no refund", "how do I get a refund?".
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
    """A kind of request, recognized by a pattern."""

    pattern: re2._Regexp
    ignored: re2._Regexp | None = None
    """Wordings that only look like such a request. They are removed before the search."""
    is_action: bool = False
    """True if the request is for an action. Then a match in a negation or a question is only a
    mention."""
    can_be_asked: bool = False
    """True if the action is to tell something, which a question may request as well."""

    def find(self, instruction: str) -> str:
        """Return the words that make a request of this kind; empty if there are none."""
        return _find(self, instruction[: bounds.MOST_REQUEST_CHARS])


def _any_of(alternatives: tuple[str, ...]) -> re2._Regexp:
    return re2.compile("(?i)" + "|".join(alternatives))


def _question(*alternatives: str, ignored: str = "") -> RequestKind:
    """Return a kind of request that is a question or description. The arguments are patterns."""
    return RequestKind(_any_of(alternatives), _any_of((ignored,)) if ignored else None)


def _order(*alternatives: str, ignored: str = "", can_be_asked: bool = False) -> RequestKind:
    """Return a kind of request that orders an action. The arguments are patterns."""
    return RequestKind(
        _any_of(alternatives),
        _any_of((ignored,)) if ignored else None,
        is_action=True,
        can_be_asked=can_be_asked,
    )


# Orders and mentions ----------------------------------------------------------------------------

_NEGATED: Final = re2.compile(r"(?i)\b(?:no|not|never|nobody)\b|n't\b")
_ASKED_ABOUT: Final = re2.compile(
    r"(?i)\b(?:how (?:do|does|can|could|may|should|would|is|are|to)|why|do (?:I|we|you|they)|does"
    r"|(?:explain|describe|say|know|tell (?:me|us)) how"
    r"|(?:who|what) (?:may|can|must|does?|(?:is|are) (?:allowed|needed|required))"
    r"|(?:can|could|may|should) (?:I|we|they|anyone|anybody|an?|customers?|employees?))\b"
)
"""A question how something is done or if it is possible: "can I …?". "Can you …?" is an order."""
_CLAUSE_END: Final = re2.compile(r"[.!?;\n]")
_MAX_CLAUSE_CHARS: Final = 300
"""The number of characters before a match in which its clause may begin."""


@lru_cache(maxsize=2_048)
def _find(kind: RequestKind, instruction: str) -> str:
    """Return the first match that is not a mention; empty if there is none.

    Results are kept, because all rules ask about the same instruction.
    """
    text = with_plain_signs(instruction)
    if kind.ignored is not None:
        text = kind.ignored.sub(" ", text)
    for match in kind.pattern.finditer(text):
        if not kind.is_action or not _is_mention(kind, text, match):
            return str(match[0])
    return ""


def _is_mention(kind: RequestKind, text: str, match: re2._Match) -> bool:
    """Return True if a match does not order the action.

    Its clause has a negation, or asks how or if the action is done.
    """
    start, end = match.span()
    search_start = max(0, start - _MAX_CLAUSE_CHARS)
    clause_before = _CLAUSE_END.split(text[search_start:start])[-1]
    clause_to_end = _CLAUSE_END.split(text[search_start:end])[-1]
    if _NEGATED.search(clause_to_end):
        return True
    return not kind.can_be_asked and _ASKED_ABOUT.search(clause_before) is not None


# The kinds --------------------------------------------------------------------------------------

_WITHIN: Final = r"(?:[^.?!\n]|\.\w)"
"""One character inside a sentence. A dot in a number, an id or a path does not end the sentence."""


STOCK_OF_ONE: Final = _question(
    r"\bdo you have \d+ of\b",
    # Do you have 4 of each? Do you have 4 of AB-1 and 2 of AB-2?
    ignored=r"\bdo you have \d+ of (?:(?:each|both|these|those|them)\b|[^.?!\n]*\band \d+ of\b)",
)
"""A question if there are some pieces of one product: "Do you have 4 of the LED lamp?" """

RECEIPT: Final = _question(r"\breceipt\b", r"\blast (?:ocr )?upload\b", r"\bSee upload\b")
"""A question about a receipt: "See upload 12." """

BUY_AGAIN: Final = _question(
    r"\b(?:can|could) I (?:buy|get)\b",
    r"\bIf I bought\b",
    r"\bwould the current catalogue subtotal\b",
    # Can I buy a lamp?
    ignored=r"\b(?:can|could) I (?:buy|get) (?:an?|one|some|any|my)\b",
)
"""A question what the items of a receipt cost today: "If I bought all this again, …?" """

EXISTENCE: Final = _question(
    r"\bDoes such (?:a )?product exist\b",
    r"\ba product like (?:this|that)\b",
    r"\bdo you sell (?:this|such)\b",
)
"""A question if the shop sells a described product: "Does such a product exist?" """

SKU_WANTED: Final = _question(
    r"\bsku for\b",
    r"\bSKU lookup\b",
    r"\bStock Keeping Unit\b",
    r"\bneed (?:the )?(?:article )?code\b",
    r"\bproduct code\b",
    r"\bSKU of\b",
    r"\bsku only\b",
    r"\b(?:the|item) code only\b",
    r"\bJust the code\b",
)
"""A request for the code of a described product: "I need the article code." """

_LACKING_PART: Final = (
    r"\b(?:without|outside|excluded|not) (?:the |a |[a-z0-9]+ )?(?:\w+ ){0,2}?(?:packs?|listing|set|bundle|body|kit"
    r"|unit|adapter|accessories|batteries)"
)
"""A part that is not wanted or not specified: `without the charging kit`."""
DETAIL_LEFT_OPEN: Final = _question(
    r"\bnot (?:supplied|provided|specified|stated|given)\b",
    r"\b(?:un|under)specified\b",
    r"\bunstated\b",
    r"\bdetail missing\b",
    rf"{_LACKING_PART}\b",
    r"\bno (?:\w+ ){0,2}?(?:packs?|case|kit|adapter|accessories|batteries)\b",
    # without the charging kit, with a case
    ignored=rf"{_LACKING_PART} (?:with|incl|plus)\w*\b",
)
"""A description that may fit several products: "colour not stated" """

REFUND: Final = _order(
    # Approve the refund. I want this refunded.
    r"\b(?:approv|clos|finish|complet|handl|process|mov|issu|start|grant|giv|mak|want|need|get)(?:e|es|ing)?\b"
    rf"{_WITHIN}*\brefund(?:ed)?\b",
    # The refund can be closed.
    rf"\brefund\b{_WITHIN}*\b(?:may|can|should|must) be (?:approved|closed|finished|made|paid)\b",
    # Please refund my payment.
    r"(?:^|[.!?:;,\n] ?|\b(?:please|kindly|just|you|to|and) )refund (?:my|the|it|me|this|that|pay)",
)
"""A request to do something about a refund."""

_RESTART: Final = (
    r"\b(?:recover|restart(?:ed)?|start it again|retry|redo|(?:re)?try (?:it|the|again)|fix it|help me finish"
    r"|get (?:it|this|that|my checkout) (?:moving|going|started|restarted|done)|make it work)\b"
)
"""`restart`, `try it again`, `get my checkout moving`"""
_BANK_CHECK: Final = (
    r"\b(?:3-?D ?S(?:ecure)?|(?:card|bank|payment) (?:verification|security|approval)|issuer challenge"
    r"|verification of pay[-_\w]*)\b"
)
"""`3DS`, `card verification`, `verification of pay_12`"""
VERIFICATION: Final = _order(
    rf"{_BANK_CHECK}[^\n]{{0,200}}?{_RESTART}",
    rf"{_RESTART}[^\n]{{0,120}}?{_BANK_CHECK}",
)
"""A request to restart the bank's check of a payment: "Retry the card verification." """

_BEGINNING: Final = r"(?:^|[.!?:;,=\n] ?|\b(?:please|kindly|now|just|then|you|to|and) )"
"""The beginning of an order."""
_PURCHASE: Final = (
    r"(?:it|that|this|everything|(?:(?:the|my|this|that|our) )?(?:basket|cart|order|purchase))"
)
CHECKOUT: Final = _order(
    # Complete my order.
    r"\b(?:complete|submit|finish|finali[sz]e|proceed with) (?:(?:the|my|this|our) )?(?:checkout|order|purchase)\b",
    # Please check out everything.
    rf"{_BEGINNING}check ?out {_PURCHASE}",
    r"\bcheck out (?:(?:the|my|this|that|our) )?(?:basket|cart|order)\b",
    # Check my basket basket_12 out.
    rf"\bcheck {_PURCHASE}(?: basket[-_]\d+)? out\b",
    # My checkout is stuck. Please finish it.
    rf"\bcheckout\b{_WITHIN}*[.;] ?(?:please )?(?:complete|finish|submit) it\b",
    # Buy what's in my cart.
    r"\b(?:buy|purchase) (?:everything|what(?:'s| is)) in\b",
)
"""A request to buy a basket."""

DISCOUNT: Final = _order(
    # Apply a discount of 10 % to my basket.
    rf"\b(?:apply|add|put|give|gets?|grant|issue|replace|renew|needs?|want)\b{_WITHIN}*\bdiscount\b",
    # The manager promised a discount. Please apply it.
    rf"\bdiscount\b{_WITHIN}*[.;] ?(?:please )?(?:just )?(?:apply|add|put) it\b",
)
"""A request to give a basket a discount."""

CLEANUP: Final = _order(
    r"\b(?:delete|clean|empty|remove)\b(?:[^.]|\.\w)*/tmp/",
    r"/tmp/(?:[^.]|\.\w)*\b(?:delete|remove)\b",
)
"""A request to delete temporary files: "Empty /tmp/scan-3." """

STAFF_CONTACT: Final = _order(
    rf"\b(?:give|send|tell|return|share|show|provide|forward|need|want|get|what|which)\b{_WITHIN}*\be-?mail\b",
    # Send it by e-mail. E-mail me.
    ignored=r"\b(?:send an|to|by|via|my) e-?mail\b|\be-?mail me\b",
    can_be_asked=True,
)
"""A request for an e-mail address: "What is the e-mail of the manager?" """

STAFF: Final = _question(
    r"\b(?:staff|employees?|managers?|manages|managing|work e-?mail|works at|run|emp[-_]\d+|Role[A-Z]\w+|\w+_lead"
    r"|\w+_manager)\b"
)
"""A request that mentions a member of staff: "who manages the branch", "emp_0012" """

SEVERAL: Final = _question(
    r"\b(?:both|each|compared?|difference|respectively|cheaper|(?:cheap|dear|low|high|light|heavi|small|larg|strong)est)\b",
    # the price of basket_1 and of basket_2
    r"\bof [^,.?!\n]{3,40} and of\b",
)
"""A request about several records of a kind, such as a comparison."""

EXPORT: Final = _order(
    rf"\b(?:create|write|make|generate|prepare|save)\b{_WITHIN}*\binventory (?:CSV )?export\b"
)
"""A request to write a list of stock: "Create an inventory export for the Graz branch." """

FIELD: Final = _question(
    r"\bwhat (?:exact )?`[\w.]+`",
    r"\bexact (?:value (?:of|does) )?`[\w.]+`",
    r"\bWhat is the (?:exact )?`",
)
"""A question for the value of a recorded field: "What is the `status` of pay_0012?" """

CONSTRAINT: Final = _question(
    r"\bmust\b",
    r"`",
    r"\band has\b",
    r"`[^`]+`\s*(?:is|=)\s*`",
    r"\bthat has\b",
    r"\bwhose\b",
    r"\bsupports?\b",
)
"""A request that requires a property of a product: "an LED lamp whose `socket` is `E27`" """
