"""Completes and checks the references of an answer: the files that it cites.

An answer about the refund of `pay_12` has to cite this payment, even if its draft does not. It
must not cite files that do not exist, or records that the asker may not see.
"""

from __future__ import annotations

import re
from typing import Final

from controlplane.benchmarks.shop.answering.cited_products import COUNT, named_products
from controlplane.benchmarks.shop.answering.draft import Answer, is_document
from controlplane.benchmarks.shop.answering.hidden_records import (
    KindOf,
    is_about_hidden_records,
)
from controlplane.benchmarks.shop.answering.unrelated_records import unrelated_records
from controlplane.benchmarks.shop.workspace.identity import Identity
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
    # 1. Separate the cited documents from the cited records. If the asker may not see one of the
    #    records, cite only documents, because a citation would tell that the record exists.
    documents = _cited_documents(answer, workspace)
    cited_paths = dict.fromkeys(answer.documents + answer.records)
    records = [path for path in cited_paths if not is_document(path)]
    # The solver knows of some answers that they are about such records (`is_protected`).
    if answer.is_protected:
        return documents
    if answer.outcome == DENIED and is_about_hidden_records(
        answer.message, records, asker, workspace, kind_at
    ):
        return documents

    # 2. Add the records that the request and the message name, and remove unrelated ones.
    if answer.task_type != COUNT:
        records += named_records(workspace, asker, answer.request)
    records += named_products(answer, workspace)
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


def _cited_documents(answer: Answer, workspace: WorkspaceRecords) -> list[str]:
    """Return the documents that a draft cites: `/docs/returns.md`, with their paths as listed.

    If the workspace lists no documents, their paths cannot be checked, and stay as they are.
    """
    documents = []
    for path in dict.fromkeys(answer.documents + answer.records):
        if is_document(path) and not _GENERATED_README.match(path):
            documents.append(path)
    lists_documents = any(is_document(path) for path in workspace.files.paths)
    if lists_documents:
        return repaired_paths(workspace.files, documents)
    return documents
