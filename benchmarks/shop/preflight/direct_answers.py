"""Answers requests by code alone, or adds context to the model's first message.

Each check returns a value with `outcome` and `message` if it answers, and a value with `context` if
it adds to the first message. It returns an empty value (`NOTHING`) if the request is not clear. All
checks get the same arguments: the request, and as `intent` the classifier's answer, which some of
them do not need.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from controlplane.benchmarks.shop.answer_templates import asked_template, filled_template
from controlplane.benchmarks.shop.branches import branches_around
from controlplane.benchmarks.shop.dispatch import wave_path
from controlplane.benchmarks.shop.kinds import Kind
from controlplane.benchmarks.shop.policies import access_policy, cited_rule
from controlplane.benchmarks.shop.preflight.intent import Intent, intent_of, meant_by
from controlplane.benchmarks.shop.product_functions import match_products
from controlplane.benchmarks.shop.record_functions import pick_basket, reference_to
from controlplane.benchmarks.shop.records import named_records
from controlplane.benchmarks.shop.stock_functions import BranchStock
from controlplane.benchmarks.shop.table_functions import dispatch_plan
from controlplane.benchmarks.shop.workspace import ShopLayout, on_harness
from controlplane.gates.submission import CLARIFICATION, OK
from controlplane.sandbox.functions import FunctionResult

CheckResult: TypeAlias = FunctionResult[dict[str, Any]]
NOTHING: Final[CheckResult] = FunctionResult({})


def is_guest(layout: ShopLayout) -> bool:
    """Return True if the asker is neither a member of staff nor a customer."""
    return layout.asker.is_outside and not layout.asker.is_customer


def may_be_for_staff_only(layout: ShopLayout, subject: str) -> bool:
    """Return True if a subject may be for staff only, and the asker is not a member of staff.

    A subject may be for staff only if the page on access mentions it. The page's sentences are not
    interpreted; the model decides what they forbid.
    """
    if not layout.asker.is_outside:
        return False
    page = layout.documents.get(layout.policies.get("security", ""), "")
    return subject in page.casefold()


# Deleting temporary files -----------------------------------------------------------------------


_EXTENSION: Final = re.compile(r"(?<![\w/])[`'\"]?\*?(\.[A-Za-z]\w{0,9})\b[`'\"]?(?!/)")
"""An extension, alone or as a pattern, perhaps quoted: `.tmp`, `*.log`, `'.csv'`. In `/tmp/a.txt`, it
is a part of a path."""
_DELETING_VERB: Final = re.compile(
    r"\b(?:delet|remov|clean|clear|empty|wip|purg|drop)\w*", re.IGNORECASE
)
_TEMPORARY_FOLDER: Final = re.compile(r"(?<![\w/])/tmp/[\w./-]*\w")
_OTHER_CONDITION: Final = re.compile(
    r"\b(?:except|but not|other than|older|newer|larger|smaller|apart from)\b", re.IGNORECASE
)
"""Words that select files by something other than their extension."""


@on_harness
def clean_up(layout: ShopLayout, request: str, intent: str) -> CheckResult:
    """Return the files below a temporary folder to delete: all of them, or those with one
    extension.

    A request with other conditions is left to the model.
    """
    meant = intent_of(request, intent)
    folders = {folder.rstrip("/") for folder in _TEMPORARY_FOLDER.findall(request)}
    words_beside_folders = _TEMPORARY_FOLDER.sub("", request)
    extensions = {match[1] for match in _EXTENSION.finditer(words_beside_folders)}
    is_certain = folders == {meant.tmp_path.rstrip("/")} and len(extensions) <= 1
    if not is_certain or not _DELETING_VERB.search(request):
        return NOTHING
    if _OTHER_CONDITION.search(request) or is_guest(layout):
        return NOTHING

    # The extension is taken from the request's words below, and not from the classifier's `tmp_only`.
    meant = replace(meant, tmp_only=False)
    paths = files_to_delete(meant, layout.paths) or []
    for extension in extensions:
        paths = [path for path in paths if path.endswith(extension)]
    if not paths:
        return NOTHING
    message = "\n".join(paths)
    return FunctionResult(
        {"outcome": OK, "message": message, "reason": "clean-up", "delete": paths}
    )


def files_to_delete(intent: Intent, paths: Iterable[str]) -> list[str] | None:
    """Return the files below the folder that a request names, sorted; None if there are none.

    The result is None, too, if the request asks for no change of files, or names no folder below
    `/tmp`. If it asks for files that end in `.tmp`, only these are returned: perhaps an empty list.
    """
    folder = f"{intent.tmp_path.rstrip('/')}/"
    if not intent.file_change or not folder.startswith("/tmp/"):
        return None
    files = sorted({path for path in paths if path.startswith(folder)})
    if not files:
        return None
    if intent.tmp_only:
        return [path for path in files if path.endswith(".tmp")]
    return files


# Planning a dispatch wave -----------------------------------------------------------------------


@on_harness
def plan_wave(layout: ShopLayout, request: str, intent: str) -> CheckResult:
    """Return the plan for the dispatch wave whose document the request names."""
    path = wave_path(request)
    if not path or may_be_for_staff_only(layout, "wave"):
        return NOTHING
    plan = dispatch_plan(layout, path)
    value = {"outcome": OK, "message": plan.value["answer"], "reason": "dispatch wave"}
    return FunctionResult(value, plan.refs)


# Choosing a basket ------------------------------------------------------------------------------


@on_harness
def ask_which_basket(layout: ShopLayout, request: str, intent: str) -> CheckResult:
    """Ask which of several open baskets to buy, or tell the model which basket is meant.

    The check is for customers who want to buy a basket and do not give its id.
    """
    meant = meant_by(request, intent)
    if not meant.checkout or meant.basket_id:
        return NOTHING
    if not layout.asker.is_customer or named_records(layout.records, layout.asker, request):
        return NOTHING

    baskets = pick_basket(layout, meant.selector)
    ids = baskets.value
    if not ids:
        return NOTHING
    if len(ids) == 1:
        which = f"the {meant.selector} open basket" if meant.selector else "the only open basket"
        context = f"(Found out beforehand: {which} of {layout.asker.user} is {ids[0]}.)\n"
        return FunctionResult({"context": context}, baskets.refs)

    choices = f"{', '.join(ids[:-1])} or {ids[-1]}"
    message = f"You have several open baskets. Which one do you mean: {choices}?"
    references = list(baskets.refs)
    policy_paths = (layout.policies.get("checkout", ""), access_policy(layout))
    for path in dict.fromkeys(policy_paths):
        if path:
            references.append(cited_rule(layout, path, r"several|which|basket|identity"))
    value = {"outcome": CLARIFICATION, "message": message, "reason": "several baskets"}
    return FunctionResult(value, tuple(references))


# Counting the stock of a city -------------------------------------------------------------------


_ALL_BRANCHES: Final = re.compile(
    r"\b(?:every|all|each)(?: of the| the)? (?P<city>[A-ZÄÖÜ][\w-]*(?: [A-ZÄÖÜ][\w-]*)*) branch",
    re.IGNORECASE,
)
"""`in every Graz branch`"""
_UNITS_OF: Final = re.compile(r"\bunits of (?:the )?product \((?P<product>[^()]+)\)", re.IGNORECASE)
"""`how many units of the product (LED lamp, 9 W)`"""


@dataclass(frozen=True, slots=True)
class CityStock:
    """A request for the units of one product at all branches of a city."""

    city: str
    product: str
    template: str
    """The requested form of the answer; empty if there is none."""


def city_stock(request: str) -> CityStock | None:
    """Return the city, product and template in such a request; None for other requests."""
    city = _ALL_BRANCHES.search(request)
    product = _UNITS_OF.search(request)
    if city is None or product is None:
        return None
    return CityStock(city["city"], product["product"].strip(), asked_template(request))


@on_harness
def tell_city_stock(layout: ShopLayout, request: str, intent: str) -> CheckResult:
    """Tell the model how many units of a product the branches of a city have together."""
    stock = city_stock(request)
    if stock is None:
        return NOTHING
    products = match_products(layout, stock.product)
    if len(products.value) != 1:
        return NOTHING

    code = products.value[0]["sku"]
    total = 0
    references = list(products.refs)
    for branch in branches_around(layout, stock.city):
        total += BranchStock(layout, branch).units(code).available
        references.append(reference_to(branch, Kind.BRANCH))

    message = filled_template(stock.template, total) if stock.template else str(total)
    notice = (
        f"all branches of {stock.city} together have {total} units of {code} available: {message}."
    )
    files = ", ".join(reference.path for reference in references)
    context = f"(Found out beforehand: {notice} Files: {files}.)\n"
    return FunctionResult({"context": context}, tuple(references))
