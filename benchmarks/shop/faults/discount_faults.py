"""Reasons against a discount on a basket, by what a shop's page says about discounts.

The page says: "Staff with the role `floor_lead` give up to 10 % for `damaged` goods with
`/bin/discount <basket_id> <percent> <reason>`."

| run | fault |
|---|---|
| `/bin/discount basket_1 12 damaged` | the page knows no more than 10 percent |
| `/bin/discount basket_1 5 birthday` | `birthday` is not among the reasons of the page |
| any, by emp_4, who is no `floor_lead` | emp_4 has none of the roles floor_lead |

What the page leaves open is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from controlplane.benchmarks.shop.faults.checkout_faults import (
    basket_with_stock,
    state_and_stock_faults,
)
from controlplane.benchmarks.shop.faults.tool_commands import Command
from controlplane.benchmarks.shop.texts.amounts import amount_text, money_in_text
from controlplane.benchmarks.shop.texts.documents import marked_words
from controlplane.benchmarks.shop.workspace.field_shapes import Shape, shape_of
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.policies import lacked_roles
from controlplane.benchmarks.shop.workspace.record_ids import is_same_id
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout

_TODAYS_STOCK: Final = re.compile(
    r"\b(?:available|checked out|bought|sold|sell|in stock)\b[^.]*\btoday\b|\btoday\b[^.]*\bstock\b"
)
"""Words of a page which say that a basket must be in stock today to get a discount."""


def discount_faults(
    layout: ShopLayout, basket: Record, command: Command
) -> Iterator[str]:
    """Yield the reasons why the asker cannot give this discount on a basket.

    `command` is the command on a page that describes the call, with the call's arguments:
    `percent`, and on some pages `reason` and `issuer`, the member of staff who gives it.
    """
    asker = layout.asker
    if not asker.is_staff:
        yield f"{asker.user or 'a guest'} is not a member of staff"
        return
    page_text = " ".join(command.text.split())
    # If a notice has changed the page on discounts, its roles and limits may no longer hold, so
    # they are not compared.
    is_amended = layout.policies.is_amended(command.page)

    # 1. Who gives the discount?
    issuer = command.argument_for("issuer")
    if issuer and not is_same_id(issuer, asker.user):
        yield f"{issuer} is named as the issuer, and {asker.user} is signed in"
    if not is_amended:
        yield from _role_faults(layout, page_text)
    if _are_at_different_branches(layout, basket):
        yield f"{basket.id} and {asker.user} are of different branches"

    # 2. Is there a discount already, and is the reason one of the page's?
    yield from _repeated_discount(basket, page_text)
    yield from _reason_faults(command.argument_for("reason"), page_text)

    # 3. Is the basket open and, if the page requires this, is each line in stock today? For a
    #    basket that is not open, `state_and_stock_faults` yields just that.
    is_open = basket.state == layout.open_state
    requires_stock = _TODAYS_STOCK.search(page_text) is not None
    if requires_stock or not is_open:
        yield from state_and_stock_faults(layout, basket)

    # 4. Is the percentage too high?
    percent = command.argument_for("percent")
    if percent.isdecimal() and not is_amended:
        yield from _limit_faults(layout, basket, int(percent), page_text)


def _role_faults(layout: ShopLayout, page_text: str) -> Iterator[str]:
    """Yield a fault if the asker has none of the roles of which a page requires one."""
    roles = lacked_roles(layout, page_text)
    if roles:
        yield f"{layout.asker.user} has none of the roles {', '.join(sorted(roles))}"


def _repeated_discount(basket: Record, page_text: str) -> Iterator[str]:
    """Yield a fault if a basket has a discount already: `{"discount": {"percent": 5}}`.

    Shops choose the field's name, and their page on discounts has it in backticks.
    """
    marked = set(marked_words(page_text))
    for key, value in basket.data.items():
        if key in marked and shape_of(value) is Shape.MAPPING:
            yield f"{basket.id} has a `{key}` already"
            return


def _reason_faults(reason: str, page_text: str) -> Iterator[str]:
    """Yield a fault if a page lists reasons, such as `damaged`, but not this one.

    Reasons are single words in backticks. If a page has none, any reason may be right.
    """
    marked = set(marked_words(page_text))
    lists_reasons = any(shape_of(word) is Shape.WORD for word in marked)
    if reason and lists_reasons and reason not in marked:
        yield f"`{reason}` is not among the reasons of the page"


def _are_at_different_branches(layout: ShopLayout, basket: Record) -> bool:
    """Return True if the asker works at another branch than the basket's.

    The result is False if this is not certain: each record must name a single branch.
    """
    staff = layout.records.record(layout.asker.user)
    if staff is None:
        return False
    of_basket = _linked_branches(layout, basket)
    of_staff = _linked_branches(layout, staff)
    if len(of_basket) != 1 or len(of_staff) != 1:
        return False
    return of_basket != of_staff


def _linked_branches(layout: ShopLayout, record: Record) -> set[str]:
    """Return the paths of the branches that a record names.

    `{"id": "basket_1", "store": "store_graz"}` -> `{"/proc/stores/store_graz.json"}`
    """
    branches = set()
    for link in record.links():
        path = layout.records.files.path_of(link)
        if path is not None and layout.kinds.of(path) is Kind.BRANCH:
            branches.add(path)
    return branches


_PERCENT: Final = re.compile(r"(?<![\w.,])(\d{1,3}) ?(?:%|percent\b)")
"""`5 %`"""
_MONEY: Final = re.compile(r"(?:EUR|€)\s*\d[\d.,]*\d|\d[\d.,]*\s*(?:EUR|€)")
"""`EUR 100.00`, `100 €`"""


def _limit_faults(
    layout: ShopLayout, basket: Record, percent: int, page_text: str
) -> Iterator[str]:
    """Yield a fault if a discount is higher than a page allows.

    | page | a fault is |
    |---|---|
    | "up to 10 %" | 12 % |
    | "up to 5 %, and up to 10 % from EUR 100" | 12 %, or 8 % for a basket below EUR 100 |

    Every page with two percentages and one amount is read like the second one.
    """
    limits = {int(amount) for amount in _PERCENT.findall(page_text)}
    limits -= {1}  # A step, and not a limit: "discounts in 1 percent steps".
    if not limits:
        return
    lowest = min(limits)
    highest = max(limits)
    if percent > highest:
        yield f"the page knows no more than {highest} percent"
        return
    amounts = {money_in_text(amount) for amount in _MONEY.findall(page_text)}
    has_threshold = len(limits) == 2 and len(amounts) == 1
    if has_threshold and percent > lowest:
        threshold = amounts.pop() or 0
        subtotal = basket_with_stock(layout, basket.path).subtotal_cents
        if subtotal < threshold:
            yield (
                f"the lines come to {amount_text(subtotal)}, which is below "
                f"{amount_text(threshold)}: {lowest} percent is the most"
            )
