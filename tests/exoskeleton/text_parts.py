"""Cases about words, numbers, dates and identities."""

from toolkit.records import Identity, is_same_id, read_identity
from toolkit.text import (
    amount_text,
    first_number,
    money_in_text,
    names_match,
    normal_words,
    relative_date,
    yes_no_words,
)


def identity_of(given: dict) -> Identity:
    return Identity(given["user"], frozenset(given["roles"]))


def identity_text(given: dict) -> dict:
    found = read_identity(given["text"])
    return {"user": found.user, "roles": sorted(found.roles)}


PARTS = {
    "amount_text": lambda given: {"text": amount_text(given["cents"])},
    "first_number": lambda given: {"number": first_number(given["text"])},
    "money_in_text": lambda given: {"cents": money_in_text(given["text"])},
    "name_words": lambda given: {"match": names_match(given["candidate"], given["query"])},
    "words": lambda given: {"words": normal_words(given["text"])},
    "relative_date": lambda given: {"answer": relative_date(given["text"], given["clock"])},
    "yes_no_tokens": lambda given: {"tokens": yes_no_words(given["rules"])},
    "ids": lambda given: {"equal": is_same_id(given["left"], given["right"])},
    "identity_text": identity_text,
    "identity_kind": lambda given: {
        "customer": identity_of(given).is_customer,
        "customer_or_guest": identity_of(given).is_outside,
    },
    "may_cite": lambda given: {"allowed": identity_of(given).may_cite(given.get("owner"))},
}
