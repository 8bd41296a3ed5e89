"""The check by which a solver has an answer about a shop put together: findings, references in order, their reasons."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from benchmarks.shop.assembly.ledger_rules import DOCUMENTS, apply_findings, record_kind
from benchmarks.shop.layout.shop_layout import ShopLayout, WorkspaceReader
from toolkit import Finding, Reference
from toolkit.answers import Completion, Entry, ReferenceCase, final_references
from toolkit.records import Record

_OUTCOMES: Final = {
    "OUTCOME_OK": "OK",
    "OUTCOME_DENIED_SECURITY": "DENIED",
    "OUTCOME_NONE_CLARIFICATION": "CLARIFY",
    "OUTCOME_NONE_UNSUPPORTED": "UNSUPPORTED",
}
_LONGEST: Final = 160
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+")


def order_references(
    reader: WorkspaceReader, answer: Mapping[str, Any], request: str, findings: str, in_order: bool
) -> Finding[dict[str, str]]:
    """Return the message of an answer with its references: with the trial's findings, and `in_order` if asked.

    `answer` has `outcome`, `message`, `task_type`, `documents`, `records` and `protected`; `findings` is a JSON list.
    Raises `CannotRead` if it is not certain who asks, or what the records' fields are called.
    """
    layout = ShopLayout(reader)
    given = Completion(
        str(answer["task_type"]), str(answer["message"]), tuple(answer["documents"]), tuple(answer["records"])
    )
    noted = json.loads(findings)
    reasons = {each["path"]: each["reason"] for bucket in noted for each in bucket.get("refs", ())}
    completion = apply_findings([_entry(each) for each in noted], given, request, layout.rules) if noted else given
    paths = [*completion.documents, *completion.records]
    if in_order:
        paths = final_references(
            ReferenceCase(
                _OUTCOMES.get(str(answer["outcome"]), ""),
                completion.documents,
                completion.records,
                layout.records,
                layout.asker,
                lambda path: str(layout.kind_of(path) or record_kind(path)),
                completion.task_type,
                completion.message,
                request,
                bool(answer["protected"]),
                layout.rules,
            )
        )
    refs = [Reference(path, reasons.get(path) or _reason(layout, path, request)) for path in paths]
    return Finding({"message": completion.message}, tuple(refs))


def _entry(noted: Mapping[str, Any]) -> Entry:
    """Return an entry of the ledger; the files that were opened are its documents."""
    if "paths" in noted:
        return Entry(DOCUMENTS, tuple(path for path in noted["paths"] if path.casefold().endswith(".md")))
    return Entry(noted["bucket"], tuple(each["path"] for each in noted["refs"]), noted["message"])


def _reason(layout: ShopLayout, path: str, request: str) -> str:
    """Return why a file is cited, by what stands in it; empty for one that is not there."""
    base = path.partition("#")[0]
    if base not in layout.paths:
        return ""
    found = layout.records.at(base)
    if found is not None:
        return _what_it_is(layout, found)
    return f"it says: {_telling_sentence(layout.reader.read_all([base])[0], request)}"


def _what_it_is(layout: ShopLayout, record: Record) -> str:
    name = "" if record.name in ("", record.id) else f" {record.name}"
    return f"the {layout.kind_of(record.path) or 'record'} {record.id}{name}"


def _telling_sentence(text: str, request: str) -> str:
    """Return the sentence of a text that has most words with a request in common."""
    wanted = set(re.findall(r"\w{4,}", request.casefold()))
    sentences: Sequence[str] = [each.strip(" #-*") for each in _SENTENCE.split(re.sub(r"\s+", " ", text))] or [text]
    best = max(sentences, key=lambda each: len(wanted & set(re.findall(r"\w{4,}", each.casefold()))))
    return best[:_LONGEST]
