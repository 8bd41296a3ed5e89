"""The rule `lacking-role`: an employee asks for something that requires a role they do not have.

For example, a cited page says "discounts are given by staff with the role `floor_lead`", and
the asker is an employee without it. Most shops want a denial then, and agents often answer
`UNSUPPORTED` instead.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.benchmarks.shop.rules.review import (
    NO_OBJECTION,
    NOT_APPLICABLE,
    Review,
    rule,
)
from controlplane.benchmarks.shop.texts.documents import marked_words
from controlplane.gates.opinions import Opinion
from controlplane.gates.paths import split_fragment
from controlplane.gates.quoting import quote
from controlplane.gates.submission import UNSUPPORTED
from controlplane.gates.surrogates import encodable

_ROLE: Final = re2.compile(r"[a-z]+(?:[-_][a-z]+)+")
"""`floor_lead`, `shift-manager`"""


@rule("lacking-role", outcomes=(UNSUPPORTED,))
def lacking_role(review: Review) -> Opinion:
    """Object to UNSUPPORTED if a cited page names roles and the asker, an employee, has none of them.

    Usually, a missing role is a reason for a denial. Pages put roles in backticks, as they do
    with other names. So a word in backticks is a role only if a record that was read has it as
    one: `{"roles": ["floor_lead"]}`.
    """
    if not review.asker_has_role("employee"):
        return NOT_APPLICABLE
    known_roles = _known_roles(review)
    for path in review.submission.citations:
        page = split_fragment(path)[0]
        marked = marked_words(review.evidence.documents.get(page, ""))
        roles = {word for word in marked if word in known_roles and _is_role(word)}
        if not roles:
            continue
        has_one = any(review.asker_has_role(role) for role in roles)
        if not has_one:
            return (
                f"{quote(page)} names {quote(min(roles))}, a role that whoever asks does not have: check which outcome "
                "a missing role has."
            )
    return NO_OBJECTION


def _known_roles(review: Review) -> set[str]:
    """Return the roles in the records that were read: `{"roles": ["floor_lead"]}`.

    They are the values of all fields with `role` in their names.
    """
    roles = set()
    for fields in review.evidence.records.values():
        for name, value in fields:
            if "role" in name.casefold():
                roles.add(value)
    return roles


def _is_role(word: str) -> bool:
    """Return True if a word has the form of a role: small words joined by `-` or `_`.

    A single word, such as `staff`, is not compared: on a page it may mean something else.
    """
    return _ROLE.fullmatch(encodable(word)) is not None
