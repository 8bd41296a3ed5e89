"""Checks that answer a request without a model, or tell the model something beforehand.

For example, a customer with two open baskets says "check out my basket". `ask_which_basket`
answers with a question, so that no model has to be asked. Most requests are left to the model.
All checks have the same parameters: the request, and `intent`, the JSON answer of a small model
that has read the request: `{"checkout": true, "selector": "newest", ...}` (see `Intent`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from controlplane.benchmarks.shop.dispatch.wave_tables import wave_path
from controlplane.benchmarks.shop.preflight.intent import Intent, intent_of, meant_by
from controlplane.benchmarks.shop.product_functions import match_products
from controlplane.benchmarks.shop.record_functions import pick_basket
from controlplane.benchmarks.shop.requests.answer_templates import (
    asked_template,
    filled_template,
)
from controlplane.benchmarks.shop.table_functions import dispatch_plan
from controlplane.benchmarks.shop.workspace.branch_stock import BranchStock
from controlplane.benchmarks.shop.workspace.branches import branches_around
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.named_records import reference_to
from controlplane.benchmarks.shop.workspace.policies import access_policy, cited_rule
from controlplane.benchmarks.shop.workspace.records.record_searches import named_records
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.gates.submission import CLARIFICATION, OK
from controlplane.sandbox.functions import FunctionResult, Reference

CheckResult: TypeAlias = FunctionResult[dict[str, Any]]
"""The result of a check. It leaves the request to the model, answers it, or tells the model something."""
LEFT_TO_MODEL: Final[CheckResult] = FunctionResult({})
"""The model works on the request as if there were no check."""


def _answered(
    outcome: str, message: str, reason: str, references: Iterable[Reference] = ()
) -> CheckResult:
    """Return the result of a check that answers the request. The model is not asked."""
    value = {"outcome": outcome, "message": message, "reason": reason}
    return FunctionResult(value, tuple(references))


def _told_to_model(text: str, references: Iterable[Reference]) -> CheckResult:
    """Return the result of a check that adds a text to the model's first message."""
    return FunctionResult({"context": text}, tuple(references))


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
"""A request without such a word deletes nothing: `delete`, `wiping`."""
_TEMPORARY_FOLDER: Final = re.compile(r"(?<![\w/])/tmp/[\w./-]*\w")
"""`/tmp/scan-3`"""
_OTHER_CONDITION: Final = re.compile(
    r"\b(?:except|but not|other than|older|newer|larger|smaller|apart from)\b",
    re.IGNORECASE,
)
"""Words that select files by something other than their extension: `logs older than a day`."""


@layout_from_harness
def clean_up(layout: ShopLayout, request: str, intent: str) -> CheckResult:
    """Answer a request to delete temporary files with the list of these files.

    They are all files below a folder, or those with one extension: "delete all .log files
    below /tmp/scan-3". A request with other conditions is left to the model.
    """
    # 1. The request must name one folder, which is the one that the classifier has found, too
    #    (`tmp_path`), and at most one extension.
    checked_intent = intent_of(request, intent)
    folders = {folder.rstrip("/") for folder in _TEMPORARY_FOLDER.findall(request)}
    request_without_folders = _TEMPORARY_FOLDER.sub("", request)
    extensions = {match[1] for match in _EXTENSION.finditer(request_without_folders)}
    names_only_this_folder = folders == {checked_intent.tmp_path.rstrip("/")}
    if not names_only_this_folder or len(extensions) > 1:
        return LEFT_TO_MODEL

    # 2. It must order a deletion, without other conditions. Guests may not delete files.
    if not _DELETING_VERB.search(request) or _OTHER_CONDITION.search(request):
        return LEFT_TO_MODEL
    if layout.asker.is_guest:
        return LEFT_TO_MODEL

    # 3. Take all files of the folder, and of these the ones with the extension. The classifier
    #    knows only the extension `.tmp` (`tmp_only`), so it is not asked for that.
    all_files = replace(checked_intent, tmp_only=False)
    paths = files_to_delete(all_files, layout.files.paths)
    if paths is None:
        return LEFT_TO_MODEL
    if extensions:
        extension = extensions.pop()
        paths = [path for path in paths if path.endswith(extension)]
    if not paths:
        return LEFT_TO_MODEL
    answer = _answered(OK, "\n".join(paths), "clean-up")
    # The solver deletes the files of the field `delete`.
    return FunctionResult({**answer.value, "delete": paths})


def files_to_delete(intent: Intent, paths: Iterable[str]) -> list[str] | None:
    """Return the files that a request wants deleted, sorted.

    They are the files below the folder that the classifier has found (`tmp_path`), or only
    those that end in `.tmp` (`tmp_only`). The result is None if the request does not ask
    to change files, if its folder is not below `/tmp`, or if the folder is empty.
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
    """Answer a request that names the document of a dispatch wave with the plan of this wave.

    A wave is a set of packages that are sent together. `intent` is not needed.
    """
    path = wave_path(request)
    if not path or may_be_for_staff_only(layout, "wave"):
        return LEFT_TO_MODEL
    plan = dispatch_plan(layout, path)
    return _answered(OK, plan.value["answer"], "dispatch wave", plan.refs)


def may_be_for_staff_only(layout: ShopLayout, subject: str) -> bool:
    """Return True if a subject may be for staff only, and the asker is not a member of staff.

    A subject may be for staff only if the page on access mentions it. The page's
    sentences are not interpreted; the model decides what they forbid.
    """
    if not layout.asker.is_outside:
        return False
    page = layout.policies.text_of("security")
    return subject in page.casefold()


# Choosing a basket ------------------------------------------------------------------------------


@layout_from_harness
def ask_which_basket(layout: ShopLayout, request: str, intent: str) -> CheckResult:
    """Ask which of several open baskets to buy, or tell the model which basket is meant.

    The check is for customers who want to buy a basket and do not give its id: "check out
    my newest basket".
    """
    # 1. Leave all other requests to the model.
    checked_intent = meant_by(request, intent)
    if not checked_intent.checkout or checked_intent.basket_id:
        return LEFT_TO_MODEL
    if not layout.asker.is_customer:
        return LEFT_TO_MODEL
    if named_records(layout.records, layout.asker, request):
        return LEFT_TO_MODEL

    # 2. If only one basket can be meant, tell the model.
    baskets = pick_basket(layout, checked_intent.selector)
    ids = baskets.value
    if not ids:
        return LEFT_TO_MODEL
    if len(ids) == 1:
        which = f"the {checked_intent.selector or 'only'} open basket"
        context = (
            f"(Found out beforehand: {which} of {layout.asker.user} is {ids[0]}.)\n"
        )
        return _told_to_model(context, baskets.refs)

    # 3. Otherwise ask the customer. Cite the baskets, and the policies on checkout and on access,
    #    which may be the same page.
    choices = f"{', '.join(ids[:-1])} or {ids[-1]}"
    message = f"You have several open baskets. Which one do you mean: {choices}?"
    references = list(baskets.refs)
    policies = (layout.policies.by_subject.get("checkout", ""), access_policy(layout))
    for path in dict.fromkeys(policies):
        if path:
            # The sentence of the page with the most of these words is quoted as the reason.
            words_of_reason = r"several|which|basket|identity"
            references.append(cited_rule(layout, path, words_of_reason))
    return _answered(CLARIFICATION, message, "several baskets", references)


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
    """What a request for the units of one product at all branches of a city names."""

    city: str
    product: str
    template: str
    """The requested form of the answer, such as `<COUNT:%d>`; empty if there is none."""


def city_stock(request: str) -> CityStock | None:
    """Return the city, product and template of a request for a city's stock; None for others."""
    city = _ALL_BRANCHES.search(request)
    product = _UNITS_OF.search(request)
    if city is None or product is None:
        return None
    return CityStock(city["city"], product["product"].strip(), asked_template(request))


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
        total += BranchStock(layout, branch).units(code).available
        references.append(reference_to(branch, Kind.BRANCH))

    message = filled_template(stock.template, total) if stock.template else str(total)
    notice = f"all branches of {stock.city} together have {total} units of {code} available: {message}."
    files = ", ".join(reference.path for reference in references)
    context = f"(Found out beforehand: {notice} Files: {files}.)\n"
    return _told_to_model(context, references)
