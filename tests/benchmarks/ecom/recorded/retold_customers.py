"""Retells the customers of a recorded message: the one who asks, and others.

    "the current identity cust-0004 is not its owner cust-0012"
    -> "the current identity cust-0121 is not its owner another customer"

Here cust-0121 asks in our shop, which does not tell whose record another one is.
"""

import re
from typing import Final


def with_own_customers(message: str, request: str, user: str) -> str:
    """Replace the ids of customers: by the id of the user who asks, or by "another customer".

    An id that the request names is another customer's, too.
    """
    ids_in_request = set(re.findall(r"cust-\d+", request))

    def replacement(match: re.Match[str]) -> str:
        text_before = message[: match.start()].lower()
        is_user = match[0] not in ids_in_request and precedes_user(text_before)
        return user if is_user else "another customer"

    return re.sub(r"cust-\d+", replacement, message)


WORDS_BEFORE_USER: Final = re.compile(
    r"identity|/bin/id|customer \(|customer $|current"
)
"""What precedes the id of the user who asks: "the current identity is cust-0031"."""


def precedes_user(text_before: str) -> bool:
    """Return True if an id after this text, in lower case, is of the user who asks.

    "the current identity is" -> True
    "it belongs to customer" -> False
    """
    # A word counts only if it stands near the id, within so many letters before it.
    if "owner" in text_before[-16:] or "belong" in text_before[-30:]:
        return False
    return WORDS_BEFORE_USER.search(text_before[-60:]) is not None
