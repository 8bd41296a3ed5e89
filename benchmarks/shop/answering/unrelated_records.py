"""Finds the products and baskets that an answer cites but is not about.

| request | answer | not to be cited |
|---|---|---|
| "Is the lamp in stock?" | "Do you mean AB-2 or AB-3?" | other products |
| "Is any lamp but AB-1 in stock?" | "AB-2 is." | AB-1 |
| "Is there a blue lamp?" | "No." | all products |
| "Which basket is open?" | "basket_2." | other baskets |
"""

from __future__ import annotations

import re
from collections.abc import Callable

from controlplane.benchmarks.shop.answering.draft import Draft
from controlplane.benchmarks.shop.answering.kept_meaning import says_no
from controlplane.benchmarks.shop.products.product_codes import product_codes
from controlplane.benchmarks.shop.workspace.identity import ANY_STAFF
from controlplane.benchmarks.shop.workspace.named_ids import excluded_codes
from controlplane.benchmarks.shop.workspace.records.record_searches import named_records
from controlplane.benchmarks.shop.workspace.records.workspace_records import (
    WorkspaceRecords,
)
from controlplane.gates.paths import record_id
from controlplane.gates.submission import CLARIFICATION, OK


def unrelated_records(
    draft: Draft,
    records: list[str],
    workspace: WorkspaceRecords,
    kind_at: Callable[[str], str],
) -> set[str]:
    """Return those products and baskets among the records that the answer is not about.

    `kind_at` returns the kind of the record at a path, such as `basket`.
    """
    products = [path for path in records if kind_at(path) == "product"]
    baskets = [path for path in records if kind_at(path) == "basket"]

    not_in_question = _products_not_in_question(draft, products)
    possible_products = [path for path in products if path not in not_in_question]
    excluded = _excluded_records(draft, records, possible_products)
    missing = set(products) if _says_that_there_is_none(draft) else set()
    other_baskets = _baskets_not_in_message(draft, baskets, workspace)
    return not_in_question | excluded | missing | other_baskets


def _products_not_in_question(draft: Draft, products: list[str]) -> set[str]:
    """Return the products that are not choices in the question "AB-2 or AB-3?".

    The result is empty if the answer is not a question, or names no product.
    """
    asked_codes = product_codes(draft.message)
    if draft.outcome != CLARIFICATION or not asked_codes:
        return set()
    return {path for path in products if record_id(path) not in asked_codes}


def _excluded_records(
    draft: Draft, records: list[str], possible_products: list[str]
) -> set[str]:
    """Return the records of products that the request excludes: "any lamp but AB-1".

    A count of stock that has no other product is about just these, so they stay.
    """
    excluded = excluded_codes(draft.request)
    has_other_product = any(
        record_id(path) not in excluded for path in possible_products
    )
    if draft.task_type == "stock_count" and not has_other_product:
        return set()
    return {path for path in records if record_id(path) in excluded}


def _says_that_there_is_none(draft: Draft) -> bool:
    """Return True if the answer to "Is there such a product?" is a no."""
    is_about_existence = draft.task_type == "product" and draft.outcome == OK
    return is_about_existence and says_no(draft.message, draft.rules)


def _baskets_not_in_message(
    draft: Draft, baskets: list[str], workspace: WorkspaceRecords
) -> set[str]:
    """Return the baskets other than the only one that the message names.

    The result is empty if the message names no basket, or several.
    """
    # `ANY_STAFF`, because it does not matter here if the asker may see the named basket.
    named = set(named_records(workspace, ANY_STAFF, draft.message))
    for path in baskets:
        if re.search(
            rf"(?<![\w-]){re.escape(record_id(path))}(?![\w-])", draft.message
        ):
            named.add(path)
    if len(named.intersection(baskets)) != 1:
        return set()
    return {path for path in baskets if path not in named}
