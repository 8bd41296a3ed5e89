"""The kinds of requests to a shop, such as a refund or a checkout, recognized by their wording.

"Please refund my payment" orders a refund. These texts only mention one: "my last refund went
well", "I need no refund", "how do I get a refund?". So a kind has a pattern of its wording
and, if it is an order, does not count in a clause that negates it or asks about it.
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
    """A kind of request, recognized by a pattern. Compared by identity, so that results are cached."""

    pattern: re2._Regexp
    lookalikes: re2._Regexp | None = None
    """Wordings that only look like such a request. They are removed before the search.

    "Send it by e-mail" is not a request for an e-mail address.
    """
    is_order: bool = False
    """True if the request orders an action.

    Then a negation ("no refund") does not count, nor does a question about the action ("how
    do I get a refund?").
    """
    may_be_question: bool = False
    """True for an order that may also be a question: "what is the e-mail of the manager?".

    Then only negations do not count.
    """

    def find(self, instruction: str) -> str:
        """Return the words that make a request of this kind; empty if there are none."""
        return _find(self, instruction[: bounds.MOST_REQUEST_CHARS])


def _any_of(alternatives: tuple[str, ...]) -> re2._Regexp:
    """Return one pattern that finds any of these, in upper or lower case."""
    return re2.compile("(?i)" + "|".join(alternatives))


def _wording(*alternatives: str, lookalikes: str = "") -> RequestKind:
    """Return a kind of request that is not an order: a match of any of these patterns is enough."""
    return RequestKind(
        _any_of(alternatives), _any_of((lookalikes,)) if lookalikes else None
    )


def _order(
    *alternatives: str, lookalikes: str = "", may_be_question: bool = False
) -> RequestKind:
    """Return a kind of request that orders an action, in words that match one of these patterns."""
    return RequestKind(
        _any_of(alternatives),
        _any_of((lookalikes,)) if lookalikes else None,
        is_order=True,
        may_be_question=may_be_question,
    )


# Orders and mentions ----------------------------------------------------------------------------


@lru_cache(maxsize=2_048)
def _find(kind: RequestKind, instruction: str) -> str:
    """Return the first match that is not a mention; empty if there is none.

    Results are kept, because all rules ask about the same instruction.
    """
    text = with_plain_signs(instruction)
    if kind.lookalikes is not None:
        text = kind.lookalikes.sub(" ", text)
    for match in kind.pattern.finditer(text):
        only_mentions_action = kind.is_order and _is_mention(kind, text, match)
        if not only_mentions_action:
            return str(match[0])
    return ""


_NEGATED: Final = re2.compile(r"(?i)\b(?:no|not|never|nobody)\b|n't\b")
"""`I need no refund`, `don't refund`"""
_HOW_OR_WHY: Final = (
    r"how (?:do|does|can|could|may|should|would|is|are|to)|why|do (?:I|we|you|they)|does"
    r"|(?:explain|describe|say|know|tell (?:me|us)) how"
)
"""A question how or why something is done: `how do I`, `tell me how`."""
_WHO_MAY: Final = (
    r"(?:who|what) (?:may|can|must|does?|(?:is|are) (?:allowed|needed|required))"
)
"""A question who may do something, or what it takes: `who may`, `what is needed`."""
_IS_IT_POSSIBLE: Final = (
    r"(?:can|could|may|should) (?:I|we|they|anyone|anybody|an?|customers?|employees?)"
)
"""A question if something is possible: `can I`.

`Can you` is not one, because it begins an order.
"""
_ASKED_ABOUT: Final = re2.compile(
    rf"(?i)\b(?:{_HOW_OR_WHY}|{_WHO_MAY}|{_IS_IT_POSSIBLE})\b"
)
"""A question about an action."""
_CLAUSE_END: Final = re2.compile(r"[.!?;\n]")
_MAX_CLAUSE_CHARS: Final = 300
"""A clause is taken to begin at most this many characters before a match in it."""


def _is_mention(kind: RequestKind, text: str, match: re2._Match) -> bool:
    """Return True if a match only mentions the action: "I need no refund", "how do I get a refund?"

    Its clause has a negation, or asks how or if the action is done.
    """
    start, end = match.span()
    search_start = max(0, start - _MAX_CLAUSE_CHARS)

    # A negation may be inside the match: "give me no refund".
    clause_with_match = _CLAUSE_END.split(text[search_start:end])[-1]
    if _NEGATED.search(clause_with_match):
        return True

    # A question begins before the match. Inside it, "can I" is part of the order.
    if kind.may_be_question:
        return False
    clause_before_match = _CLAUSE_END.split(text[search_start:start])[-1]
    return _ASKED_ABOUT.search(clause_before_match) is not None


# The kinds --------------------------------------------------------------------------------------

_IN_SENTENCE: Final = r"(?:[^.?!\n]|\.\w)"
"""One character inside a sentence. A dot before a letter or digit, as in `a.txt`, does not end it."""


STOCK_OF_ONE: Final = _wording(
    # Do you have 4 of the LED lamp?
    r"\bdo you have \d+ of\b",
    # Do you have 4 of each? Do you have 4 of AB-1 and 2 of AB-2?
    lookalikes=r"\bdo you have \d+ of (?:(?:each|both|these|those|them)\b|[^.?!\n]*\band \d+ of\b)",
)
"""A question if there are some pieces of one product."""

RECEIPT: Final = _wording(
    r"\breceipt\b", r"\blast (?:ocr )?upload\b", r"\bSee upload\b"
)
"""A question about a receipt, which is an uploaded file: "See upload 12."
"""

BUY_AGAIN: Final = _wording(
    # Can I buy all this again?
    r"\b(?:can|could) I (?:buy|get)\b",
    # If I bought all this again, what would it cost?
    r"\bIf I bought\b",
    # What would the current catalogue subtotal be?
    r"\bwould the current catalogue subtotal\b",
    # Can I buy a lamp?
    lookalikes=r"\b(?:can|could) I (?:buy|get) (?:an?|one|some|any|my)\b",
)
"""A question what a receipt's items cost today."""

EXISTENCE: Final = _wording(
    r"\bDoes such (?:a )?product exist\b",
    r"\ba product like (?:this|that)\b",
    r"\bdo you sell (?:this|such)\b",
)
"""A question if the shop sells a described product: "Does such a product exist?"
"""

SKU_WANTED: Final = _wording(
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
"""A request for the code of a described product: "I need the article code."
"""

_PART: Final = (
    r"(?:packs?|listing|set|bundle|body|kit|unit|adapter|accessories|batteries)"
)
_LACKING_PART: Final = (
    r"\b(?:without|outside|excluded|not) "
    r"(?:the |a |[a-z0-9]+ )?(?:\w+ ){0,2}?"  # up to three words: `the charging `
    rf"{_PART}"
)
"""A part that is not wanted or not specified: `without the charging kit`."""
DETAIL_LEFT_OPEN: Final = _wording(
    r"\bnot (?:supplied|provided|specified|stated|given)\b",
    r"\b(?:un|under)specified\b",
    r"\bunstated\b",
    r"\bdetail missing\b",
    # the drill without the charging kit
    rf"{_LACKING_PART}\b",
    # the drill, no extra batteries
    r"\bno (?:\w+ ){0,2}?(?:packs?|case|kit|adapter|accessories|batteries)\b",
    # without the charging kit with a case (so the parts are stated)
    lookalikes=rf"{_LACKING_PART} (?:with|incl|plus)\w*\b",
)
"""A description that may fit several products: "colour not stated"
"""

_REFUND_VERB: Final = (
    r"(?:approv|clos|finish|complet|handl|process|mov|issu|start|grant|giv|mak|want|need|get)"
    r"(?:e|es|ing)?"
)
"""`approve`, `moves`, `giving`"""
REFUND: Final = _order(
    # Approve the refund. I want this refunded.
    rf"\b{_REFUND_VERB}\b{_IN_SENTENCE}*\brefund(?:ed)?\b",
    # The refund can be closed.
    rf"\brefund\b{_IN_SENTENCE}*\b(?:may|can|should|must) be (?:approved|closed|finished|made|paid)\b",
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
    # My card verification failed. Please retry.
    rf"{_BANK_CHECK}[^\n]{{0,200}}?{_RESTART}",
    # Retry the card verification.
    rf"{_RESTART}[^\n]{{0,120}}?{_BANK_CHECK}",
)
"""A request to restart the bank's check of a payment: "Retry the card verification."
"""

_BEGINNING: Final = r"(?:^|[.!?:;,=\n] ?|\b(?:please|kindly|now|just|then|you|to|and) )"
"""The beginning of an order."""
_PURCHASE: Final = r"(?:it|that|this|everything|(?:(?:the|my|this|that|our) )?(?:basket|cart|order|purchase))"
CHECKOUT: Final = _order(
    # Complete my order.
    r"\b(?:complete|submit|finish|finali[sz]e|proceed with) (?:(?:the|my|this|our) )?(?:checkout|order|purchase)\b",
    # Please check out everything.
    rf"{_BEGINNING}check ?out {_PURCHASE}",
    # I want to check out my basket.
    r"\bcheck out (?:(?:the|my|this|that|our) )?(?:basket|cart|order)\b",
    # Check my basket basket_12 out.
    rf"\bcheck {_PURCHASE}(?: basket[-_]\d+)? out\b",
    # My checkout is stuck. Please finish it.
    rf"\bcheckout\b{_IN_SENTENCE}*[.;] ?(?:please )?(?:complete|finish|submit) it\b",
    # Buy what's in my cart.
    r"\b(?:buy|purchase) (?:everything|what(?:'s| is)) in\b",
)
"""A request to buy a basket."""

DISCOUNT: Final = _order(
    # Apply a discount of 10 % to my basket.
    rf"\b(?:apply|add|put|give|gets?|grant|issue|replace|renew|needs?|want)\b{_IN_SENTENCE}*\bdiscount\b",
    # The manager promised a discount. Please apply it.
    rf"\bdiscount\b{_IN_SENTENCE}*[.;] ?(?:please )?(?:just )?(?:apply|add|put) it\b",
)
"""A request to give a basket a discount."""

_UP_TO_DOT: Final = r"(?:[^.]|\.\w)"
"""One character before the dot that ends a sentence. The sentence may span several lines."""
CLEANUP: Final = _order(
    # Delete all files below /tmp/scan-3.
    rf"\b(?:delete|clean|empty|remove)\b{_UP_TO_DOT}*/tmp/",
    # In /tmp/scan-3, please remove all logs.
    rf"/tmp/{_UP_TO_DOT}*\b(?:delete|remove)\b",
)
"""A request to delete temporary files."""

STAFF_CONTACT: Final = _order(
    # Give me the e-mail of the manager. What is her work e-mail?
    rf"\b(?:give|send|tell|return|share|show|provide|forward|need|want|get|what|which)\b{_IN_SENTENCE}*\be-?mail\b",
    # Send it by e-mail. E-mail me.
    lookalikes=r"\b(?:send an|to|by|via|my) e-?mail\b|\be-?mail me\b",
    may_be_question=True,
)
"""A request for an e-mail address."""

STAFF: Final = _wording(
    # the staff, who manages the branch, who works at Graz Centre
    r"\b(?:staff|employees?|managers?|manages|managing|work e-?mail|works at"
    # those who run the branch
    r"|run"
    # emp_0012
    r"|emp[-_]\d+"
    # names of roles: RoleManager, floor_lead, branch_manager
    r"|Role[A-Z]\w+|\w+_lead|\w+_manager)\b"
)
"""A request that mentions a member of staff."""

SEVERAL: Final = _wording(
    # both baskets, the price of each, the cheapest lamp
    r"\b(?:both|each|compared?|difference|respectively|cheaper|(?:cheap|dear|low|high|light|heavi|small|larg|strong)est)\b",
    # the price of basket_1 and of basket_2
    r"\bof [^,.?!\n]{3,40} and of\b",
)
"""A request about several records of a kind, such as a comparison."""

EXPORT: Final = _order(
    # Create an inventory export for the Graz branch.
    rf"\b(?:create|write|make|generate|prepare|save)\b{_IN_SENTENCE}*\binventory (?:CSV )?export\b"
)
"""A request to write a list of stock."""

FIELD: Final = _wording(
    # With what exact `status` is pay_0012 recorded?
    r"\bwhat (?:exact )?`[\w.]+`",
    # Give the exact value of `status` of pay_0012.
    r"\bexact (?:value (?:of|does) )?`[\w.]+`",
    # What is the `status` of pay_0012?
    r"\bWhat is the (?:exact )?`",
)
"""A question for the value of a recorded field, whose name is in backticks."""

CONSTRAINT: Final = _wording(
    r"\bmust\b",
    r"`",  # around a property or its value
    r"\band has\b",
    r"\bthat has\b",
    r"\bwhose\b",
    r"\bsupports?\b",
)
"""A request that requires a property of a product: "an LED lamp whose `socket` is `E27`"."""
