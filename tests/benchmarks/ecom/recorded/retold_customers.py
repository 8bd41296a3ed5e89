"""Retells the customers of a recorded message: the one who asks, and others.

    "The current identity cust-0004 is not its owner cust-0012"
    -> "The current identity cust-0121 is not its owner another customer"

In our shop, cust-0121 asks. Others get no id, because a right message need not name them.
"""

import re
from typing import Final


def with_own_customers(message: str, request: str, user: str) -> str:
    """Replace the ids of customers: by the id of the user who asks, or by "another customer".

    The request does not name the user who asks. So an id in the request is another customer's.
    """
    ids_in_request = set(re.findall(r"cust-\d+", request))

    def replacement(match: re.Match[str]) -> str:
        text_before = message[: match.start()].lower()
        is_user = match[0] not in ids_in_request and precedes_user(text_before)
        return user if is_user else "another customer"

    return re.sub(r"cust-\d+", replacement, message)


SIGNS_OF_CUSTOMERS: Final = re.compile(
    # The user who asks: "your identity is cust-0031", "refund of the customer (cust-0031)"
    r"(?P<user>identity|customer \(?$)"
    # The customer whose record it is: "your identity does not match cust-0004"
    r"|does not match|owner|owned by|belongs? to(?: customer)?"
)


def precedes_user(text_before: str) -> bool:
    """Return True if an id after this text, in lower case, is of the user who asks.

    "the current identity is "                         -> True
    "refund of the customer ("                         -> True
    "the current identity cust-0004 is not the owner " -> False, since the last sign counts
    """
    signs = list(SIGNS_OF_CUSTOMERS.finditer(text_before))
    return bool(signs) and signs[-1]["user"] is not None
