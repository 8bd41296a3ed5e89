"""The check `order_references`: corrects the draft of an answer before it is submitted.

A model drafts "EUR 12.00" and cites `/uploads/r.txt`. In the trial, the function `settle_receipt` has
computed `EUR 12.50` from the product AB-1. The corrected answer is "EUR 12.50", and cites both files,
each with a reason: "the receipt", "the product AB-1, Lea tarp".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from controlplane.benchmarks.shop.answering.draft import Draft, record_kind
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
    """Return an answer's message and references, corrected by the results of functions.

    `answer` is the draft of a solver, as a mapping (`_draft_of`). `findings` is a JSON list of the
    results of functions, and of opened files; `finding_of` shows its entries. With `in_order`,
    the references are also checked, completed and sorted. Raises `CannotRead` if it is uncertain
    who asks or what the fields of records are called.
    """
    results = json.loads(findings)
    draft = _draft_of(answer, request, rules=layout.documents.rules)
    if results:
        draft = apply_findings([finding_of(entry) for entry in results], draft)

    paths = [*draft.documents, *draft.records]
    if in_order:
        kind_at = partial(_kind_at, layout)
        paths = final_references(draft, layout.records, layout.asker, kind_at)

    # A function has given reasons for the files that it found. Other files get one by their content.
    reasons = _reasons_of_functions(results)
    references = []
    for path in paths:
        reason = reasons.get(path) or _reason_in_file(layout, path, request)
        references.append(Reference(path, reason))
    return FunctionResult({"message": draft.message}, tuple(references))


def _draft_of(answer: Mapping[str, Any], request: str, rules: str) -> Draft:
    """Return the draft that a solver hands over: `{"outcome": "OUTCOME_OK", "message": "12", ...}`."""
    return Draft(
        outcome=str(answer["outcome"]),
        message=str(answer["message"]),
        task_type=str(answer["task_type"]),
        documents=tuple(answer["documents"]),
        records=tuple(answer["records"]),
        is_protected=bool(answer["protected"]),
        request=request,
        rules=rules,
    )


def _kind_at(layout: ShopLayout, path: str) -> str:
    """Return the kind of the record at a path, such as `basket`.

    It follows from the folder, or else from the path alone; it is empty if neither is known.
    """
    return str(layout.kinds.of(path) or record_kind(path))


def _reasons_of_functions(
    results: Sequence[Mapping[str, Any]],
) -> dict[str, str]:
    """Return the reasons that functions gave for their references, by path.

    `[{"function": "stock_at", "refs": [{"path": "/a.json", "reason": "the branch"}], ...}]`
    -> `{"/a.json": "the branch"}`. The entry of the opened files has no `refs`.
    """
    reasons = {}
    for entry in results:
        for reference in entry.get("refs", ()):
            reasons[reference["path"]] = reference["reason"]
    return reasons


def _reason_in_file(layout: ShopLayout, path: str, request: str) -> str:
    """Return the reason for citing a file; empty if the file does not exist.

    For a record, it says what the record is: "the basket basket_12". For a document, it is
    the sentence with the most words of the request.
    """
    file_path = path.partition("#")[0]
    if file_path not in layout.files.paths:
        return ""
    record = layout.records.at(file_path)
    if record is not None:
        return reference_to(record, layout.kinds.of(file_path)).reason
    # Words of fewer than 4 letters (`is`, `the`) say nothing about a request's subject. A request
    # without longer words gets a sentence about citing.
    words = set(re.findall(r"\w{4,}", request.casefold())) or {"cite"}
    return quoted_sentence(layout.reader.read(file_path), rf"\b(?:{'|'.join(words)})\b")
