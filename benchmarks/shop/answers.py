"""Completes the draft of an answer with what the shop's functions found in the trial.

A draft has an outcome, a message, and the files that it cites. A finding is the result of one
function: if `settle_receipt` has read a receipt's total, the total becomes the message. In the
end, the answer cites only files that exist and that the asker may see, each with a reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from controlplane.benchmarks.shop.answering.draft import Answer, record_kind
from controlplane.benchmarks.shop.answering.final_references import final_references
from controlplane.benchmarks.shop.answering.finding import finding_of
from controlplane.benchmarks.shop.answering.findings import apply_findings
from controlplane.benchmarks.shop.texts.document_parts import quoted_sentence
from controlplane.benchmarks.shop.workspace.named_records import reference_to
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.sandbox.functions import FunctionResult, Reference


@layout_from_harness
def order_references(
    layout: ShopLayout,
    answer: Mapping[str, Any],
    request: str,
    findings: str,
    in_order: bool,
) -> FunctionResult[dict[str, str]]:
    """Return an answer's message and references, after the findings of the trial have been applied.

    `answer` has the fields of `Answer` that a solver knows. Its `protected` is true if it
    is about records that the asker may not see. `findings` is a JSON list of what
    functions found and which files were opened in the trial (`finding_of` shows its entries). With
    `in_order`, `final_references` checks, completes and sorts the references. Raises
    `CannotRead` if it is uncertain who asks or what the fields of records are called.
    """
    # 1. Apply the findings to the draft.
    results = json.loads(findings)
    draft = Answer(
        outcome=str(answer["outcome"]),
        message=str(answer["message"]),
        task_type=str(answer["task_type"]),
        documents=tuple(answer["documents"]),
        records=tuple(answer["records"]),
        is_protected=bool(answer["protected"]),
        request=request,
        rules=layout.documents.rules,
    )
    if results:
        draft = apply_findings([finding_of(entry) for entry in results], draft)

    # 2. Choose what it cites.
    paths = [*draft.documents, *draft.records]
    if in_order:
        paths = final_references(
            draft, layout.records, layout.asker, partial(_kind_at, layout)
        )

    # 3. Give each file a reason: that of the function that found it, or else one from its content.
    reasons = _reasons_of_functions(results)
    references = []
    for path in paths:
        reason = reasons.get(path) or _reason_in_file(layout, path, request)
        references.append(Reference(path, reason))
    return FunctionResult({"message": draft.message}, tuple(references))


def _kind_at(layout: ShopLayout, path: str) -> str:
    """Return the kind of a record by the workspace's folders, or else by its path alone."""
    return str(layout.kinds.of(path) or record_kind(path))


def _reasons_of_functions(
    results: Sequence[Mapping[str, Any]],
) -> dict[str, str]:
    """Return the reasons that functions gave for their references, by path."""
    reasons = {}
    for entry in results:
        # The list of opened files has no references.
        for reference in entry.get("refs", ()):
            reasons[reference["path"]] = reference["reason"]
    return reasons


def _reason_in_file(layout: ShopLayout, path: str, request: str) -> str:
    """Return the reason for citing a file, or an empty text if the file does not exist.

    For a record, the reason says what the record is. For a document, it is the sentence
    that contains the most words of the request.
    """
    file_path = path.partition("#")[0]
    if file_path not in layout.files.paths:
        return ""
    record = layout.records.at(file_path)
    if record is not None:
        return reference_to(record, layout.kinds.of(file_path)).reason
    # Words of fewer than 4 letters (`is`, `the`) tell nothing about the request's subject. If it
    # has no longer ones, a sentence about citing files is quoted.
    words = set(re.findall(r"\w{4,}", request.casefold())) or {"cite"}
    return quoted_sentence(layout.reader.read(file_path), rf"\b(?:{'|'.join(words)})\b")
