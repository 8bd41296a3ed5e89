"""The kinds of requests to a shop, such as a refund or a checkout, recognized by their wording.

"Please refund my payment" orders a refund. These texts only mention one: "my last refund went
well", "I need no refund", "how do I get a refund?". So a kind has patterns of its wordings
and, if it is an order, does not count in a clause that negates it or asks about it.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.shop.requests.phrases import (
    ORDER_START,
    any_phrase,
    in_one_sentence,
    on_one_line,
    then_ordered,
)
from controlplane.benchmarks.shop.requests.request_kind import RequestKind, Wording

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
        any_phrase("receipt", "last (?:ocr )?upload", "See upload"),
        example="See upload 12.",
        counterexample="Can I upload a photo?",
    )
)
"""A question about a receipt, which is an uploaded file."""

BUY_AGAIN: Final = RequestKind(
    Wording(
        any_phrase("(?:can|could) I (?:buy|get)"),
        example="Can I buy all this again?",
        counterexample="Can I buy a lamp?",
    ),
    Wording(
        any_phrase("If I bought", "would the current catalogue subtotal"),
        example="If I bought all this again, what would it cost?",
        counterexample="What did it cost when I bought it?",
    ),
    lookalikes=r"\b(?:can|could) I (?:buy|get) (?:an?|one|some|any|my)\b",
)
"""A question what a receipt's items cost today."""

EXISTENCE: Final = RequestKind(
    Wording(
        any_phrase(
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
        any_phrase(
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
        any_phrase(
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

_REFUND_VERB: Final = any_phrase(
    r"(?:approv|clos|finish|complet|handl|process|mov|issu|start|grant|giv|mak|want|need|get)"
    r"(?:e|es|ing)?"
)
"""`approve`, `moves`, `giving`"""
REFUND: Final = RequestKind(
    Wording(
        in_one_sentence(_REFUND_VERB, any_phrase("refund", "refunded")),
        example="I want this refunded.",
        counterexample="I need no refund.",
    ),
    Wording(
        in_one_sentence(
            any_phrase("refund"),
            any_phrase(
                "(?:may|can|should|must) be (?:approved|closed|finished|made|paid)"
            ),
        ),
        example="The refund can be closed.",
        counterexample="Why can the refund be closed?",
    ),
    Wording(
        rf"{ORDER_START}refund (?:my|the|it|me|this|that|pay)",
        example="Please refund my payment.",
        counterexample="My last refund went well.",
    ),
    is_order=True,
)
"""A request to do something about a refund."""

_RESTART: Final = any_phrase(
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
_BANK_CHECK: Final = any_phrase(
    "3-?D ?S(?:ecure)?",
    "(?:card|bank|payment) (?:verification|security|approval)",
    "issuer challenge",
    r"verification of pay[-_\w]*",  # verification of pay_12
)
VERIFICATION: Final = RequestKind(
    Wording(
        on_one_line(_BANK_CHECK, _RESTART, max_chars_between=200),
        example="My card verification failed. Please retry.",
        counterexample="My card verification failed.",
    ),
    Wording(
        on_one_line(_RESTART, _BANK_CHECK, max_chars_between=120),
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
        any_phrase(
            "(?:complete|submit|finish|finali[sz]e|proceed with) "
            f"{_DETERMINER}(?:checkout|order|purchase)"
        ),
        example="Complete my order.",
        counterexample="How do I complete my order?",
    ),
    Wording(
        rf"{ORDER_START}check ?out {_PURCHASE}",
        example="Please check out everything.",
        counterexample="Is the self-checkout it?",
    ),
    Wording(
        any_phrase(f"check out {_DETERMINER}(?:basket|cart|order)"),
        example="Let me check out my basket.",
        counterexample="Let me check out your lamps.",
    ),
    Wording(
        rf"\bcheck {_PURCHASE}(?: basket[-_]\d+)? out\b",
        example="Check my basket basket_12 out.",
        counterexample="Check my basket basket_12.",
    ),
    Wording(
        then_ordered("checkout", "complete", "finish", "submit"),
        example="My checkout is stuck. Please finish it.",
        counterexample="My checkout is stuck. When did I finish it?",
    ),
    Wording(
        any_phrase("(?:buy|purchase) (?:everything|what(?:'s| is)) in"),
        example="Buy what's in my cart.",
        counterexample="What did I buy in May?",
    ),
    is_order=True,
)
"""A request to buy a basket."""

DISCOUNT: Final = RequestKind(
    Wording(
        in_one_sentence(
            any_phrase(
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
            any_phrase("discount"),
        ),
        example="Apply a discount of 10 % to my basket.",
        counterexample="Who may apply a discount?",
    ),
    Wording(
        then_ordered("discount", "apply", "add", "put"),
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
        any_phrase("delete", "clean", "empty", "remove") + rf"{_UP_TO_DOT}*/tmp/",
        example="Delete these files:\n/tmp/scan-3/a.txt",
        counterexample="Delete my basket. The receipt is in /tmp/scan-3.",
    ),
    Wording(
        rf"/tmp/{_UP_TO_DOT}*" + any_phrase("delete", "remove"),
        example="In /tmp/scan-3, please remove all logs.",
        counterexample="In /tmp/scan-3, how many logs are there?",
    ),
    is_order=True,
)
"""A request to delete temporary files."""

STAFF_CONTACT: Final = RequestKind(
    Wording(
        in_one_sentence(
            any_phrase(
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
            any_phrase("e-?mail"),
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
        any_phrase(
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
        any_phrase(
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
        in_one_sentence(
            any_phrase("create", "write", "make", "generate", "prepare", "save"),
            any_phrase("inventory (?:CSV )?export"),
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
        any_phrase("must", "and has", "that has", "whose", "supports?"),
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
