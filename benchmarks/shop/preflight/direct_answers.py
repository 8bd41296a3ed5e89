"""Answers requests by code alone, or adds context to the model's first message.

A check returns an answer (`_answer`), a text for the first message (`_added_context`),
or `NOTHING` if the request is not clear. All checks get the same arguments: the
request, and as `intent` the classifier's answer, which some of them do not need.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from controlplane.benchmarks.shop.dispatch import wave_path
from controlplane.benchmarks.shop.preflight.intent import Intent, intent_of, meant_by
from controlplane.benchmarks.shop.product_functions import match_products
from controlplane.benchmarks.shop.record_functions import pick_basket, reference_to
from controlplane.benchmarks.shop.requests.answer_templates import (
    asked_template,
    filled_template,
)
from controlplane.benchmarks.shop.stock_functions import BranchStock
from controlplane.benchmarks.shop.table_functions import dispatch_plan
from controlplane.benchmarks.shop.workspace.branches import branches_around
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.policies import access_policy, cited_rule
from controlplane.benchmarks.shop.workspace.records.record_searches import named_records
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.gates.submission import CLARIFICATION, OK
from controlplane.sandbox.functions import FunctionResult, Reference

CheckResult: TypeAlias = FunctionResult[dict[str, Any]]
NOTHING: Final[CheckResult] = FunctionResult({})
"""The result of a check that leaves the request to the model."""


def _answer(
    outcome: str, message: str, reason: str, references: Iterable[Reference] = ()
) -> CheckResult:
    """Return the result of a check that answers the request without the model."""
    value = {"outcome": outcome, "message": message, "reason": reason}
    return FunctionResult(value, tuple(references))


def _added_context(text: str, references: Iterable[Reference]) -> CheckResult:
    """Return the result of a check that adds a text to the model's first message."""
    return FunctionResult({"context": text}, tuple(references))


def is_guest(layout: ShopLayout) -> bool:
    """Return True if the asker is neither a member of staff nor a customer."""
    return layout.asker.is_outside and not layout.asker.is_customer


def may_be_for_staff_only(layout: ShopLayout, subject: str) -> bool:
    """Return True if a subject may be for staff only, and the asker is not a member of staff.

    A subject may be for staff only if the page on access mentions it. The page's
    sentences are not interpreted; the model decides what they forbid.
    """
    if not layout.asker.is_outside:
        return False
    page = layout.policies.text_of("security")
    return subject in page.casefold()


# Deleting temporary files -----------------------------------------------------------------------


_EXTENSION: Final = re.compile(
    r"(?<![\w/])"  # not inside a name or path, such as `a.txt` or `/.git`
    r"[`'\"]?"  # perhaps a quotation mark
    r"\*?"  # perhaps the star of a pattern
    r"(\.[A-Za-z]\w{0,9})\b"
    r"[`'\"]?"
    r"(?!/)"  # not a folder, such as `.cache/`
)
"""An extension that stands alone: `.tmp`, `*.log`, `'.csv'`."""
_DELETING_VERB: Final = re.compile(
    r"\b(?:delet|remov|clean|clear|empty|wip|purg|drop)\w*", re.IGNORECASE
)
_TEMPORARY_FOLDER: Final = re.compile(r"(?<![\w/])/tmp/[\w./-]*\w")
_OTHER_CONDITION: Final = re.compile(
    r"\b(?:except|but not|other than|older|newer|larger|smaller|apart from)\b",
    re.IGNORECASE,
)
"""Words that select files by something other than their extension."""


@layout_from_harness
def clean_up(layout: ShopLayout, request: str, intent: str) -> CheckResult:
    """Return the files below a temporary folder that a request asks to delete.

    They are all files or those with one extension. A request with other conditions is left
    to the model. `intent` is the answer of a classifier (a small model) as JSON.
    """
    checked_intent = intent_of(request, intent)
    folders = {folder.rstrip("/") for folder in _TEMPORARY_FOLDER.findall(request)}
    request_without_folders = _TEMPORARY_FOLDER.sub("", request)
    extensions = {match[1] for match in _EXTENSION.finditer(request_without_folders)}
    # `tmp_path` is the folder that the classifier has found in the request.
    names_only_this_folder = folders == {checked_intent.tmp_path.rstrip("/")}
    if not names_only_this_folder or len(extensions) > 1:
        return NOTHING
    if not _DELETING_VERB.search(request) or _OTHER_CONDITION.search(request):
        return NOTHING
    if is_guest(layout):
        return NOTHING

    # The classifier can only say "`.tmp` files only" (`tmp_only`), but the request may
    # name any extension. So all files are taken first, and then those with its extension.
    all_files = replace(checked_intent, tmp_only=False)
    paths = files_to_delete(all_files, layout.files.paths) or []
    for extension in extensions:  # none or one
        paths = [path for path in paths if path.endswith(extension)]
    if not paths:
        return NOTHING
    answer = _answer(OK, "\n".join(paths), "clean-up")
    return FunctionResult({**answer.value, "delete": paths})


def files_to_delete(intent: Intent, paths: Iterable[str]) -> list[str] | None:
    """Return the files that a request wants deleted, sorted.

    They are the files below the folder that the request names, or only those that end
    in `.tmp` (`tmp_only`). The result is None if the request does not ask to change
    files, if its folder is not below `/tmp`, or if the folder is empty.
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


@layout_from_harness
def plan_wave(layout: ShopLayout, request: str, intent: str) -> CheckResult:
    """Return the plan for the dispatch wave whose document the request names."""
    path = wave_path(request)
    if not path or may_be_for_staff_only(layout, "wave"):
        return NOTHING
    plan = dispatch_plan(layout, path)
    return _answer(OK, plan.value["answer"], "dispatch wave", plan.refs)


# Choosing a basket ------------------------------------------------------------------------------


_ON_CHOOSING: Final = r"several|which|basket|identity"
"""Words of the sentence of a policy that a question about the basket cites."""


@layout_from_harness
def ask_which_basket(layout: ShopLayout, request: str, intent: str) -> CheckResult:
    """Ask which of several open baskets to buy, or tell the model which basket is meant.

    The check is for customers who want to buy a basket and do not give its id. `intent`
    is the classifier's answer as JSON.
    """
    checked_intent = meant_by(request, intent)
    if not checked_intent.checkout or checked_intent.basket_id:
        return NOTHING
    if not layout.asker.is_customer or named_records(
        layout.records, layout.asker, request
    ):
        return NOTHING

    baskets = pick_basket(layout, checked_intent.selector)
    ids = baskets.value
    if not ids:
        return NOTHING
    if len(ids) == 1:
        which = f"the {checked_intent.selector or 'only'} open basket"
        context = (
            f"(Found out beforehand: {which} of {layout.asker.user} is {ids[0]}.)\n"
        )
        return _added_context(context, baskets.refs)

    choices = f"{', '.join(ids[:-1])} or {ids[-1]}"
    message = f"You have several open baskets. Which one do you mean: {choices}?"
    references = list(baskets.refs)
    policies = (layout.policies.by_subject.get("checkout", ""), access_policy(layout))
    for path in dict.fromkeys(policies):
        if path:
            references.append(cited_rule(layout, path, _ON_CHOOSING))
    return _answer(CLARIFICATION, message, "several baskets", references)


# Counting the stock of a city -------------------------------------------------------------------


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


@layout_from_harness
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
    notice = f"all branches of {stock.city} together have {total} units of {code} available: {message}."
    files = ", ".join(reference.path for reference in references)
    context = f"(Found out beforehand: {notice} Files: {files}.)\n"
    return _added_context(context, references)
