"""Completes and checks the references of an answer: the files that it cites.

The draft of an answer to "Refund pay_12" cites `/docs/returns.md`, and `/docs/money.md`, which does
not exist. The final references are `/docs/returns.md` and the record of pay_12, unless the asker
may not see this payment.
"""

from __future__ import annotations

import re
from typing import Final

from controlplane.benchmarks.shop.answering.cited_products import COUNT, named_products
from controlplane.benchmarks.shop.answering.draft import Draft, is_document
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
    draft: Draft, workspace: WorkspaceRecords, asker: Identity, kind_at: KindOf
) -> list[str]:
    """Return the paths of all files that an answer has to cite: documents first, then records.

    `kind_at` returns the kind of the record at a path: `payment`.
    """
    # 1. Documents. If the asker may not see one of the records, only documents are cited, because
    #    the path of a record would tell that it exists. The draft may say so (`is_protected`).
    documents = _cited_documents(draft, workspace)
    cited_paths = dict.fromkeys(draft.documents + draft.records)
    records = [path for path in cited_paths if not is_document(path)]
    if draft.is_protected:
        return documents
    if draft.outcome == DENIED and is_about_hidden_records(
        draft.message, records, asker, workspace, kind_at
    ):
        return documents

    # 2. Records that the draft, the request or the message names, if the answer is about them.
    #    An answer that counts products cites only these products.
    if draft.task_type != COUNT:
        records += named_records(workspace, asker, draft.request)
    records += named_products(draft, workspace)
    records = list(dict.fromkeys(records))
    unrelated = unrelated_records(draft, records, workspace, kind_at)
    records = [path for path in records if path not in unrelated]

    # 3. Linked records: the payment of a return, and the member of staff who gives a discount.
    if draft.task_type == "refund":
        records += linked_paths(workspace, records, key="payment_id")
    if draft.task_type == "discount" and asker.is_staff:
        issuer = workspace.files.path_of(asker.user)
        if issuer:
            records.append(issuer)

    # 4. Of all these, only records that exist. In place of an employee whose record the asker may
    #    not see, the branch is cited in which this person works.
    existing = repaired_paths(workspace.files, list(dict.fromkeys(records)))
    return [*documents, *with_branches_for_people(workspace, asker, existing)]


def _cited_documents(draft: Draft, workspace: WorkspaceRecords) -> list[str]:
    """Return the paths of the existing documents that a draft cites: `/docs/returns.md`.

    If the workspace lists no documents at all, their paths cannot be checked, and all are returned.
    """
    documents = []
    for path in dict.fromkeys(draft.documents + draft.records):
        if is_document(path) and not _GENERATED_README.match(path):
            documents.append(path)
    lists_documents = any(is_document(path) for path in workspace.files.paths)
    if lists_documents:
        return repaired_paths(workspace.files, documents)
    return documents
