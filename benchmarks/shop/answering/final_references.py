"""Completes and checks the references of an answer: the files that it cites.

An answer about the refund of `pay_12` has to cite this payment, even if its draft does not. It
must not cite files that do not exist, or records that the asker may not see.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from controlplane.benchmarks.shop.answering.draft import Answer, is_document
from controlplane.benchmarks.shop.answering.unrelated_records import unrelated_records
from controlplane.benchmarks.shop.products.product_codes import product_codes
from controlplane.benchmarks.shop.workspace.identity import Identity
from controlplane.benchmarks.shop.workspace.kinds import OWNED
from controlplane.benchmarks.shop.workspace.named_ids import excluded_codes
from controlplane.benchmarks.shop.workspace.records.path_repair import repaired_paths
from controlplane.benchmarks.shop.workspace.records.record_searches import (
    linked_paths,
    named_records,
)
from controlplane.benchmarks.shop.workspace.records.workspace_records import (
    WorkspaceRecords,
)
from controlplane.benchmarks.shop.workspace.staff import with_branches_for_people
from controlplane.gates.submission import DENIED

KindOf = Callable[[str], str]
"""A function that returns the kind of the record at a path, or an empty text if it is unknown."""


# A solver sorts requests into types of tasks, such as `refund` or `stock_lookup`.
_COUNT: Final = "count"
"""The type of tasks that count products.

Their answers cite only what they count, not other records that the request names.
"""
_ABOUT_PRODUCTS: Final = frozenset(
    {"stock_count", "stock_lookup", "receipt_price", "checkout"}
)
"""The types of tasks whose answers cite each product that the request names by its code."""
_GENERATED_README: Final = re.compile(
    r"^/(?:proc|run)/(?:.*/)?readme\.md$", re.IGNORECASE
)
"""A document that the environment generates for a folder of records. It is not a policy."""


def final_references(
    answer: Answer, workspace: WorkspaceRecords, asker: Identity, kind_at: KindOf
) -> list[str]:
    """Return the paths that an answer cites: documents first, then records.

    Adds the records that the request and the message name. Leaves out files that do not
    exist and files that the asker may not see.
    """
    # 1. Separate the cited documents from the cited records.
    documents = []
    records = []
    for path in dict.fromkeys(answer.documents + answer.records):
        if not is_document(path):
            records.append(path)
        elif not _GENERATED_README.match(path):
            documents.append(path)
    lists_documents = any(is_document(path) for path in workspace.files.paths)
    if lists_documents:  # Otherwise the documents' paths cannot be checked.
        documents = repaired_paths(workspace.files, documents)
    # An answer about records that the asker may not see cites only documents, because a citation
    # would tell that the record exists. The solver knows of some such answers (`is_protected`).
    # Others are denials.
    if answer.is_protected:
        return documents
    if answer.outcome == DENIED and (
        _may_not_see_all(asker, workspace, records)
        or _OTHER_CUSTOMER.search(answer.message)
        or _is_guest_with_owned_record(asker, records, kind_at)
    ):
        return documents

    # 2. Add the records that the request and the message name, and remove unrelated ones.
    if answer.task_type != _COUNT:
        records += named_records(workspace, asker, answer.request)
    records += _named_products(answer, workspace)
    records = list(dict.fromkeys(records))
    unrelated = unrelated_records(answer, records, workspace, kind_at)
    records = [path for path in records if path not in unrelated]

    # 3. Add linked records: the payment of a return, and the person who gives a discount.
    if answer.task_type == "refund":
        records += linked_paths(workspace, records, key="payment_id")
    if answer.task_type == "discount" and asker.is_staff:
        issuer = workspace.files.path_of(asker.user)
        if issuer:
            records.append(issuer)

    # 4. Keep only files that exist, with their paths as listed. The asker may not see the records
    #    of some employees: cite the branch in which such a person works instead.
    existing = repaired_paths(workspace.files, list(dict.fromkeys(records)))
    return [*documents, *with_branches_for_people(workspace, asker, existing)]


def _named_products(answer: Answer, workspace: WorkspaceRecords) -> list[str]:
    """Return the products whose codes an answer is about, without those that the request excludes.

    A request may say "any lamp but AB-1".
    """
    excluded = excluded_codes(answer.request)
    paths = []
    for code in _codes_of(answer):
        path = workspace.files.path_of(code)
        if path is not None and code not in excluded:
            paths.append(path)
    return paths


_OTHER_CUSTOMER: Final = re.compile(
    r"\b(?:another|other|different|someone|somebody)\s+(?:else'?s?\s+)?(?:customer|user|account)"
)
"""Words of a message that a record is somebody else's: `another customer`, `someone else's account`."""


def _may_not_see_all(
    asker: Identity, workspace: WorkspaceRecords, paths: list[str]
) -> bool:
    """Return True if the asker may not see one of the records at these paths."""
    existing_paths = repaired_paths(workspace.files, paths)
    for record in workspace.read(existing_paths):
        if not asker.may_see(record.owner):
            return True
    return False


def _is_guest_with_owned_record(
    asker: Identity, paths: list[str], kind_at: KindOf
) -> bool:
    """Return True if a guest's answer cites a basket, payment or return. Guests own none.

    The kinds follow from the paths. So this is known even if the records cannot be read.
    """
    return asker.is_guest and any(kind_at(path) in OWNED for path in paths)


_UNITS: Final = re.compile(r"\b(?:units?|stock|on hand|available)\b", re.IGNORECASE)
"""Words of a request to count units: "how many units of AB-1 do you have?"."""


def _codes_of(answer: Answer) -> list[str]:
    """Return the codes of the products that an answer is about.

    A count of products is about none of them, unless it counts units of those in the
    request. Any other answer is about the products in its message, and often about
    those in the request, too.
    """
    if answer.task_type == _COUNT:
        if not _UNITS.search(answer.request):
            return []
        return product_codes(answer.request)
    if answer.task_type in _ABOUT_PRODUCTS:
        return [*product_codes(answer.request), *product_codes(answer.message)]
    return product_codes(answer.message)
