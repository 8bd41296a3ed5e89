"""The check `tell_city_stock`: adds up the stock of a city's branches before the model is asked.

"How many units of the product (LED lamp, 9 W) are in every Graz branch?" would take a model
many calls, and models make mistakes in adding. So the sum is in its first message: "all branches
of Graz together have 7 units of AB-1 available".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.branches.branch_searches import branches_around
from controlplane.benchmarks.shop.branches.branch_stock import stock_of
from controlplane.benchmarks.shop.preflight.refusals import (
    LEFT_TO_MODEL,
    CheckResult,
    told_to_model,
)
from controlplane.benchmarks.shop.product_functions import match_products
from controlplane.benchmarks.shop.requests.answer_templates import (
    asked_template,
    filled_template,
)
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.staff import reference_to
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)

_ALL_BRANCHES: Final = re.compile(
    r"\b(?:every|all|each)(?: of the| the)? (?P<city>[A-ZÄÖÜ][\w-]*(?: [A-ZÄÖÜ][\w-]*)*) branch",
    re.IGNORECASE,
)
"""`in every Graz branch`"""
_UNITS_OF: Final = re.compile(
    r"\bunits of (?:the )?product \((?P<product>[^()]+)\)", re.IGNORECASE
)
"""`how many units of the product (LED lamp, 9 W)`"""


@dataclass(frozen=True, slots=True)
class _CityStock:
    """What a request for the units of one product at all branches of a city names."""

    city: str
    product: str
    template: str
    """The requested form of the answer, such as `<COUNT:%d>`; empty if there is none."""


def city_stock(request: str) -> _CityStock | None:
    """Return the city, product and template of a request for a city's stock; None for others."""
    city = _ALL_BRANCHES.search(request)
    product = _UNITS_OF.search(request)
    if city is None or product is None:
        return None
    return _CityStock(city["city"], product["product"].strip(), asked_template(request))


@layout_from_harness
def tell_city_stock(layout: ShopLayout, request: str, intent: str) -> CheckResult:
    """Tell the model how many units of a product the branches of a city have together.

    The check is for requests such as "How many units of the product (LED lamp, 9 W) are in
    every Graz branch?". `intent` is not needed.
    """
    stock = city_stock(request)
    if stock is None:
        return LEFT_TO_MODEL
    products = match_products(layout, stock.product)
    if len(products.value) != 1:
        return LEFT_TO_MODEL

    code = products.value[0]["sku"]
    total = 0
    references = list(products.refs)
    for branch in branches_around(layout, stock.city):
        total += stock_of(layout, branch).units(code).available
        references.append(reference_to(branch, Kind.BRANCH))

    message = filled_template(stock.template, total) if stock.template else str(total)
    notice = f"all branches of {stock.city} together have {total} units of {code} available: {message}."
    files = ", ".join(reference.path for reference in references)
    context = f"(Found out beforehand: {notice} Files: {files}.)\n"
    return told_to_model(context, references)
