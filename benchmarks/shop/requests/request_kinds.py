"""The kinds of requests to a shop, such as a refund or a checkout, recognized by their wording.

"Please refund my payment" orders a refund. These texts only mention one: "my last refund went
well", "I need no refund", "how do I get a refund?". So a kind has patterns of its wordings
and, if it is an order, does not count in a clause that negates it or asks about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import re2

from controlplane.gates.request_text import with_plain_signs
from controlplane.sandbox.interface import bounds


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to word a kind of request. Upper and lower case are the same."""

    pattern: str
    example: str
    """A request in this wording: `Please refund my payment.`"""
    counterexample: str
    """A similar request that is not of this kind: `My last refund went well.`"""


class RequestKind:
    """A kind of request, recognized by its wordings. Compared by identity, so that results are cached.

    `lookalikes` is a pattern of words that only look like such a request. They are removed
    before the search. For example, "send it by e-mail" does not ask for an e-mail address.

    `is_order` is True if the request orders an action. Then a negation does not count ("I need
    no refund"), nor does a question about the action ("how do I get a refund?").

    `may_be_question` is True for an order that may also be a question: "what is the e-mail of
    the manager?" Then only negations do not count.
    """

    def __init__(
        self,
        *wordings: Wording,
        lookalikes: str = "",
        is_order: bool = False,
        may_be_question: bool = False,
    ) -> None:
        self.wordings = wordings
        any_wording = "|".join(wording.pattern for wording in wordings)
        self.pattern = re2.compile(f"(?i){any_wording}")
        self.lookalikes = re2.compile(f"(?i){lookalikes}") if lookalikes else None
        self.is_order = is_order
        self.may_be_question = may_be_question

    def find(self, instruction: str) -> str:
        """Return the words that make a request of this kind; empty if there are none."""
        return _find(self, instruction[: bounds.MOST_REQUEST_CHARS])


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


# How words are combined -------------------------------------------------------------------------


def _any_phrase(*phrases: str) -> str:
    """Return a pattern that finds one of these phrases, as whole words.

    A phrase may be a pattern: `sku (?:for|of)`.
    """
    return rf"\b(?:{'|'.join(phrases)})\b"


_IN_SENTENCE: Final = r"(?:[^.?!\n]|\.\w)"
"""One character inside a sentence. A dot before a letter or digit, as in `a.txt`, does not end it."""


def _in_one_sentence(first: str, second: str) -> str:
    """Return a pattern that finds `first` and, later in the same sentence, `second`.

    For the verb `approve` and the noun `refund`, it finds `Approve my refund`, but nothing in
    `I approve. What is a refund?`
    """
    return rf"{first}{_IN_SENTENCE}*{second}"


def _on_one_line(first: str, second: str, *, max_chars_between: int) -> str:
    """Return a pattern that finds `first` and, soon after it on the same line, `second`.

    `second` may be in another sentence: `My card verification failed. Please retry.`
    """
    return rf"{first}[^\n]{{0,{max_chars_between}}}?{second}"


def _then_ordered(noun: str, *verbs: str) -> str:
    """Return a pattern that finds a noun and, in the next sentence, an order with `it`.

    For the noun `checkout` and the verb `finish`: `My checkout is stuck. Please finish it.`
    """
    return rf"\b{noun}\b{_IN_SENTENCE}*[.;] ?(?:please )?(?:just )?(?:{'|'.join(verbs)}) it\b"


_ORDER_START: Final = (
    r"(?:^|[.!?:;,=\n] ?|\b(?:please|kindly|now|just|then|you|to|and) )"
)
"""What comes before the verb of an order: the start of the text or of a sentence, or `please`."""


# The kinds --------------------------------------------------------------------------------------

STOCK_OF_ONE: Final = RequestKind(
    Wording(
        r"\bdo you have \d+ of\b",
        example="Do you have 4 of the LED lamp?",
        counterexample="Do you have 4 of AB-1 and 2 of AB-2?",
    ),
    # of several products: `4 of each`, `4 of AB-1 and 2 of`
    lookalikes=r"\bdo you have \d+ of (?:(?:each|both|these|those|them)\b|[^.?!\n]*\band \d+ of\b)",
)
"""A question if there are some pieces of one product."""

RECEIPT: Final = RequestKind(
    Wording(
        _any_phrase("receipt", "last (?:ocr )?upload", "See upload"),
        example="See upload 12.",
        counterexample="Can I upload a photo?",
    )
)
"""A question about a receipt, which is an uploaded file."""

BUY_AGAIN: Final = RequestKind(
    Wording(
        _any_phrase("(?:can|could) I (?:buy|get)"),
        example="Can I buy all this again?",
        counterexample="Can I buy a lamp?",
    ),
    Wording(
        _any_phrase("If I bought", "would the current catalogue subtotal"),
        example="If I bought all this again, what would it cost?",
        counterexample="What did it cost when I bought it?",
    ),
    lookalikes=r"\b(?:can|could) I (?:buy|get) (?:an?|one|some|any|my)\b",
)
"""A question what a receipt's items cost today."""

EXISTENCE: Final = RequestKind(
    Wording(
        _any_phrase(
            "Does such (?:a )?product exist",
            "a product like (?:this|that)",
            "do you sell (?:this|such)",
        ),
        example="Does such a product exist?",
        counterexample="Do you sell on Sundays?",
    )
)
"""A question if the shop sells a described product."""

SKU_WANTED: Final = RequestKind(
    Wording(
        _any_phrase(
            "sku for",
            "SKU lookup",
            "Stock Keeping Unit",
            "need (?:the )?(?:article )?code",
            "product code",
            "SKU of",
            "sku only",
            "(?:the|item) code only",
            "Just the code",
        ),
        example="I need the article code.",
        counterexample="I need the LED lamp with SKU AB-1.",
    )
)
"""A request for the code of a described product, its SKU (stock keeping unit)."""

_PART: Final = (
    "(?:packs?|listing|set|bundle|body|kit|unit|adapter|accessories|batteries)"
)
_LACKING_PART: Final = (
    r"\b(?:without|outside|excluded|not) "
    r"(?:the |a |[a-z0-9]+ )?(?:\w+ ){0,2}?"  # up to three words: `the charging `
    rf"{_PART}"
)
"""A part that is not wanted or not specified: `without the charging kit`."""
DETAIL_LEFT_OPEN: Final = RequestKind(
    Wording(
        _any_phrase(
            "not (?:supplied|provided|specified|stated|given)",
            "(?:un|under)specified",
            "unstated",
            "detail missing",
        ),
        example="An LED lamp, colour not stated.",
        counterexample="An LED lamp, not the red one.",
    ),
    Wording(
        rf"{_LACKING_PART}\b",
        example="The drill without the charging kit.",
        counterexample="The drill without the charging kit with a case.",
    ),
    Wording(
        r"\bno (?:\w+ ){0,2}?(?:packs?|case|kit|adapter|accessories|batteries)\b",
        example="The drill, no extra batteries.",
        counterexample="The drill with batteries, no hurry.",
    ),
    # the other part is named, so none is left open: `without the charging kit with`
    lookalikes=rf"{_LACKING_PART} (?:with|incl|plus)\w*\b",
)
"""A description that may fit several products, because a detail is left open."""

_REFUND_VERB: Final = _any_phrase(
    r"(?:approv|clos|finish|complet|handl|process|mov|issu|start|grant|giv|mak|want|need|get)"
    r"(?:e|es|ing)?"
)
"""`approve`, `moves`, `giving`"""
REFUND: Final = RequestKind(
    Wording(
        _in_one_sentence(_REFUND_VERB, _any_phrase("refund", "refunded")),
        example="I want this refunded.",
        counterexample="I need no refund.",
    ),
    Wording(
        _in_one_sentence(
            _any_phrase("refund"),
            _any_phrase(
                "(?:may|can|should|must) be (?:approved|closed|finished|made|paid)"
            ),
        ),
        example="The refund can be closed.",
        counterexample="Why can the refund be closed?",
    ),
    Wording(
        rf"{_ORDER_START}refund (?:my|the|it|me|this|that|pay)",
        example="Please refund my payment.",
        counterexample="My last refund went well.",
    ),
    is_order=True,
)
"""A request to do something about a refund."""

_RESTART: Final = _any_phrase(
    "recover",
    "restart(?:ed)?",
    "start it again",
    "retry",
    "redo",
    "(?:re)?try (?:it|the|again)",
    "fix it",
    "help me finish",
    "get (?:it|this|that|my checkout) (?:moving|going|started|restarted|done)",
    "make it work",
)
_BANK_CHECK: Final = _any_phrase(
    "3-?D ?S(?:ecure)?",
    "(?:card|bank|payment) (?:verification|security|approval)",
    "issuer challenge",
    r"verification of pay[-_\w]*",  # verification of pay_12
)
VERIFICATION: Final = RequestKind(
    Wording(
        _on_one_line(_BANK_CHECK, _RESTART, max_chars_between=200),
        example="My card verification failed. Please retry.",
        counterexample="My card verification failed.",
    ),
    Wording(
        _on_one_line(_RESTART, _BANK_CHECK, max_chars_between=120),
        example="Retry the card verification.",
        counterexample="Don't retry the card verification.",
    ),
    is_order=True,
)
"""A request to restart the bank's check of a payment, such as 3-D Secure."""

_DETERMINER: Final = "(?:(?:the|my|this|that|our) )?"
_PURCHASE: Final = (
    f"(?:it|that|this|everything|{_DETERMINER}(?:basket|cart|order|purchase))"
)
"""What is bought: `it`, `my basket`, `order`"""
CHECKOUT: Final = RequestKind(
    Wording(
        _any_phrase(
            "(?:complete|submit|finish|finali[sz]e|proceed with) "
            f"{_DETERMINER}(?:checkout|order|purchase)"
        ),
        example="Complete my order.",
        counterexample="How do I complete my order?",
    ),
    Wording(
        rf"{_ORDER_START}check ?out {_PURCHASE}",
        example="Please check out everything.",
        counterexample="Is the self-checkout it?",
    ),
    Wording(
        _any_phrase(f"check out {_DETERMINER}(?:basket|cart|order)"),
        example="Let me check out my basket.",
        counterexample="Let me check out your lamps.",
    ),
    Wording(
        rf"\bcheck {_PURCHASE}(?: basket[-_]\d+)? out\b",
        example="Check my basket basket_12 out.",
        counterexample="Check my basket basket_12.",
    ),
    Wording(
        _then_ordered("checkout", "complete", "finish", "submit"),
        example="My checkout is stuck. Please finish it.",
        counterexample="My checkout is stuck. When did I finish it?",
    ),
    Wording(
        _any_phrase("(?:buy|purchase) (?:everything|what(?:'s| is)) in"),
        example="Buy what's in my cart.",
        counterexample="What did I buy in May?",
    ),
    is_order=True,
)
"""A request to buy a basket."""

DISCOUNT: Final = RequestKind(
    Wording(
        _in_one_sentence(
            _any_phrase(
                "apply",
                "add",
                "put",
                "give",
                "gets?",
                "grant",
                "issue",
                "replace",
                "renew",
                "needs?",
                "want",
            ),
            _any_phrase("discount"),
        ),
        example="Apply a discount of 10 % to my basket.",
        counterexample="Who may apply a discount?",
    ),
    Wording(
        _then_ordered("discount", "apply", "add", "put"),
        example="The manager promised a discount. Please apply it.",
        counterexample="The manager promised a discount. Is it in my basket?",
    ),
    is_order=True,
)
"""A request to give a basket a discount."""

_UP_TO_DOT: Final = r"(?:[^.]|\.\w)"
"""One character before the dot that ends a sentence. The sentence may span several lines."""
CLEANUP: Final = RequestKind(
    Wording(
        _any_phrase("delete", "clean", "empty", "remove") + rf"{_UP_TO_DOT}*/tmp/",
        example="Delete these files:\n/tmp/scan-3/a.txt",
        counterexample="Delete my basket. The receipt is in /tmp/scan-3.",
    ),
    Wording(
        rf"/tmp/{_UP_TO_DOT}*" + _any_phrase("delete", "remove"),
        example="In /tmp/scan-3, please remove all logs.",
        counterexample="In /tmp/scan-3, how many logs are there?",
    ),
    is_order=True,
)
"""A request to delete temporary files."""

STAFF_CONTACT: Final = RequestKind(
    Wording(
        _in_one_sentence(
            _any_phrase(
                "give",
                "send",
                "tell",
                "return",
                "share",
                "show",
                "provide",
                "forward",
                "need",
                "want",
                "get",
                "what",
                "which",
            ),
            _any_phrase("e-?mail"),
        ),
        example="What is the e-mail of the manager?",
        counterexample="Send the bill by e-mail.",
    ),
    lookalikes=r"\b(?:send an|to|by|via|my) e-?mail\b|\be-?mail me\b",
    is_order=True,
    may_be_question=True,
)
"""A request for an e-mail address."""

STAFF: Final = RequestKind(
    Wording(
        _any_phrase(
            "staff",
            "employees?",
            "managers?",
            "manages",
            "managing",
            "work e-?mail",
            "works at",
            "run",  # those who run the branch
            r"emp[-_]\d+",  # the id of an employee: emp_0012
            r"Role[A-Z]\w+",  # the name of a role: RoleManager
            r"\w+_lead",
            r"\w+_manager",
        ),
        example="Who manages the branch in Graz?",
        counterexample="Where is the branch in Graz?",
    )
)
"""A request that mentions a member of staff."""

SEVERAL: Final = RequestKind(
    Wording(
        _any_phrase(
            "both",
            "each",
            "compared?",
            "difference",
            "respectively",
            "cheaper",
            "(?:cheap|dear|low|high|light|heavi|small|larg|strong)est",
        ),
        example="What is the cheapest lamp?",
        counterexample="What does the lamp cost?",
    ),
    Wording(
        r"\bof [^,.?!\n]{3,40} and of\b",
        example="The price of basket_1 and of basket_2?",
        counterexample="The price of basket_1 and its date?",
    ),
)
"""A request about several records of a kind, such as a comparison."""

EXPORT: Final = RequestKind(
    Wording(
        _in_one_sentence(
            _any_phrase("create", "write", "make", "generate", "prepare", "save"),
            _any_phrase("inventory (?:CSV )?export"),
        ),
        example="Create an inventory export for the Graz branch.",
        counterexample="When was the last inventory export?",
    ),
    is_order=True,
)
"""A request to write a list of stock."""

FIELD: Final = RequestKind(
    Wording(
        r"\bwhat (?:exact )?`[\w.]+`",
        example="With what exact `status` is pay_0012 recorded?",
        counterexample="With what date is `pay_0012` recorded?",
    ),
    Wording(
        r"\bexact (?:value (?:of|does) )?`[\w.]+`",
        example="Give the exact value of `status` of pay_0012.",
        counterexample="Give the exact price of the `LED` lamp.",
    ),
    Wording(
        r"\bWhat is the (?:exact )?`",
        example="What is the `status` of pay_0012?",
        counterexample="What is the status of `pay_0012`?",
    ),
)
"""A question for the value of a recorded field, whose name is in backticks."""

CONSTRAINT: Final = RequestKind(
    Wording(
        _any_phrase("must", "and has", "that has", "whose", "supports?"),
        example="An LED lamp that has a switch.",
        counterexample="An LED lamp in red.",
    ),
    Wording(
        "`",  # around a property or its value
        example="An LED lamp with `socket` `E27`.",
        counterexample="An LED lamp with socket E27.",
    ),
)
"""A request that requires a property of a product."""
