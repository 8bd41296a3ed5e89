"""Kinds of requests about a basket: to buy it, or to give it a discount.

"Please check out everything" is a request to buy. "How do I complete my order?" is a question,
and "don't apply the discount" has a negation. So each kind has patterns of its wordings, and
`ignores_negations` and `ignores_questions` say that such texts are not of the kind.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.shop.requests.request_kind import RequestKind, Wording

# Patterns of words that follow each other: in one sentence, on one line, or as an order.
#
# The wordings of requests are made of them. `in_one_sentence("approve", "refund")` matches
# "Please approve the refund", but not "Approve it. My refund is late."


def any_phrase(*phrases: str) -> str:
    """Return a pattern that finds one of these phrases, as whole words.

    A phrase may be a pattern: `sku (?:for|of)`.
    """
    return rf"\b(?:{'|'.join(phrases)})\b"


_IN_SENTENCE: Final = r"(?:[^.?!\n]|\.\w)"
"""One character inside a sentence. A dot before a letter or digit, as in `a.txt`, does not end it."""


def in_one_sentence(first: str, second: str) -> str:
    """Return a pattern that finds `first` and, later in the same sentence, `second`.

    For the verb `approve` and the noun `refund`, it finds `Approve my refund`, but nothing in
    `I approve. What is a refund?`
    """
    return rf"{first}{_IN_SENTENCE}*{second}"


def on_one_line(first: str, second: str, *, max_chars_between: int) -> str:
    """Return a pattern that finds `first` and, soon after it on the same line, `second`.

    `second` may be in another sentence: `My card verification failed. Please retry.`
    """
    return rf"{first}[^\n]{{0,{max_chars_between}}}?{second}"


def _then_ordered(noun: str, *verbs: str) -> str:
    """Return a pattern that finds a noun and, in the next sentence, an order with `it`.

    For the noun `checkout` and the verb `finish`: `My checkout is stuck. Please finish it.`
    """
    return rf"\b{noun}\b{_IN_SENTENCE}*[.;] ?(?:please )?(?:just )?(?:{'|'.join(verbs)}) it\b"


ORDER_START: Final = (
    r"(?:^|[.!?:;,=\n] ?|\b(?:please|kindly|now|just|then|you|to|and) )"
)
"""What comes before the verb of an order: the start of the text or of a sentence, or `please`."""


# Kinds of requests about the people who work in a shop, and how to reach them.
#
# "What is the e-mail of the manager?" is of both kinds: it asks for an e-mail address
# (`STAFF_CONTACT`) and mentions a member of staff (`STAFF`). Customers may not have such an
# address. "Send me the bill by e-mail" does not ask for an address.

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
    # Parts of a text that match this are ignored: `by e-mail`, `my e-mail`.
    lookalikes=r"\b(?:send an|to|by|via|my) e-?mail\b|\be-?mail me\b",
    ignores_negations=True,  # "Don't give me the e-mail of the manager."
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
        _then_ordered("checkout", "complete", "finish", "submit"),
        example="My checkout is stuck. Please finish it.",
        counterexample="My checkout is stuck. When did I finish it?",
    ),
    Wording(
        any_phrase("(?:buy|purchase) (?:everything|what(?:'s| is)) in"),
        example="Buy what's in my cart.",
        counterexample="What did I buy in May?",
    ),
    ignores_negations=True,  # "don't check out my basket" does not count
    ignores_questions=True,  # "How do I check out my basket?" does not count
)
"""A request to buy a basket."""

_DISCOUNT_VERBS: Final = (
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
)

DISCOUNT: Final = RequestKind(
    # A verb, and later in the same sentence the noun. The verbs are patterns: `gets?` is `get`
    # or `gets`.
    Wording(
        in_one_sentence(any_phrase(*_DISCOUNT_VERBS), any_phrase("discount")),
        example="Apply a discount of 10 % to my basket.",
        counterexample="Who may apply a discount?",
    ),
    # The noun, and in the next sentence an order with `it`: `apply it`, `add it` or `put it`.
    Wording(
        _then_ordered("discount", "apply", "add", "put"),
        example="The manager promised a discount. Please apply it.",
        counterexample="The manager promised a discount. Is it in my basket?",
    ),
    ignores_negations=True,  # "don't apply the discount" does not count
    ignores_questions=True,  # "Who may apply a discount?" does not count
)
"""A request to give a basket a discount."""
