"""Reads a shop's policies: which page says who may see what, and which roles pages require.

For example, the page "Discounts are given by staff holding the role `floor_lead`" requires this
role of an employee who wants to give one (`lacks_discount_role`).
"""

from __future__ import annotations

import re
from typing import Final

from controlplane.benchmarks.shop.certain_values import value_or_raise
from controlplane.benchmarks.shop.texts.documents import quoted_sentence
from controlplane.benchmarks.shop.workspace.staff import role_holders
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.sandbox.functions import Reference


def access_policy(layout: ShopLayout) -> str:
    """Return the path of the document that says who may see and do what.

    Raises `CannotRead`, with the paths of all documents, if it is not certain which one it is.
    """
    documents = ", ".join(sorted(layout.documents.texts)) or "none"
    return value_or_raise(
        layout.policies.by_subject.get("security"),
        f"no single document tells who may see and do what, but {documents}",
    )


def cited_rule(layout: ShopLayout, path: str, words: str) -> Reference:
    """Return a reference to a document, with the sentence that gives the reason.

    `words` is a pattern of words that this sentence is likely to have, such as
    `contact|e-?mail|phone`. The sentence with the most of them is quoted.
    """
    return Reference(path, quoted_sentence(layout.documents.texts[path], words))


# Roles ------------------------------------------------------------------------------------------


def lacks_discount_role(layout: ShopLayout) -> bool:
    """Return True if the asker is a member of staff without a role that may give discounts.

    The result is False if that is not certain.
    """
    policy_path = layout.policies.by_subject.get("discounts")
    if policy_path is None or not layout.asker.is_staff:
        return False
    # A notice may have changed the policy. Then the model has to read both.
    if layout.policies.is_amended(policy_path):
        return False
    return bool(lacked_roles(layout, layout.documents.texts[policy_path]))


_ROLE_NAMED: Final = re.compile(
    # holding the role `floor_lead`
    r"\b(?:roles?|holding|holds|with)\b[^.`]{0,20}`(?P<role_after>[\w-]+)`"
    # the `floor_lead` role
    r"|`(?P<role_before>[\w-]+)`[^.`]{0,60}\broles?\b",
    re.IGNORECASE,
)
"""A word in backticks that may be the name of a role."""


def lacked_roles(layout: ShopLayout, text: str) -> set[str]:
    """Return the roles of which a text requires one; none if the asker has one of them.

    "Staff holding the role `floor_lead` or the `manager` role" -> `floor_lead`, `manager`.
    Other words may be in backticks, too. So a word counts as a role only if somebody in
    the shop has it.
    """
    one_line = re.sub(r"\s+", " ", text)
    named_roles = set()
    for match in _ROLE_NAMED.finditer(one_line):
        role = match["role_after"] or match["role_before"]
        named_roles.add(role.casefold())
    if not layout.asker.roles.isdisjoint(named_roles):
        return set()
    required_roles = set()
    for role in named_roles:
        number_of_holders = role_holders(layout.records, role).value
        if number_of_holders > 0:
            required_roles.add(role)
    return required_roles
