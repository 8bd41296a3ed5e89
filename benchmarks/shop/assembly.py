"""Assembles answers about a shop: findings, the documents that fit, references in order with their reasons."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchmarks.shop.answers import (
    BucketRule,
    Completion,
    Entry,
    ReferenceCase,
    bucket_of,
    final_references,
    with_findings,
)
from benchmarks.shop.kinds import kind_of
from benchmarks.shop.preflight import telling_sentence
from benchmarks.shop.reader import WorkspaceReader, on_harness
from benchmarks.shop.record_findings import reference_to
from benchmarks.shop.workspace import ShopLayout, layout_of
from sandbox.functions import Finding, Reference

_SUBJECTS: Final[dict[str, tuple[str, ...]]] = {
    "discount": ("security", "discount", "checkout"),
    "refund": ("security", "refund", "return", "payment"),
    "verification": ("security", "verif", "3ds", "payment", "checkout"),
    "checkout": ("security", "checkout", "basket", "availab"),
    "stock_count": ("availab", "stock", "inventory"),
    "stock_lookup": ("availab", "stock", "inventory"),
    "product": ("catalog", "product"),
    "count": ("catalog", "product"),
    "receipt_price": ("receipt", "price", "catalog"),
}
"""Words in the names of policies, by the kind of request. Fraudulent rows are cited alone, without a policy."""
_PATH: Final = re.compile(r"`(/[^`\s]+)`|(/docs/[\w./-]+\.md)", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]{2}")
_CLAUSE: Final = re.compile(r"[,;.]\s+|\n(?=\S)")
"""Separates pairs of a subject and its document; a line may hold several pairs, and a pair may span lines."""


def policy_documents(read: Sequence[str], task_type: str, rules: str = "") -> list[str]:
    """Return the documents that fit a kind of request, by their paths and by their subjects in the rules."""
    words = _SUBJECTS.get(task_type, ())
    named = {path for clause in _CLAUSE.split(rules) for path in _paths_about(clause, words)}
    return [path for path in read if path in named or any(word in path.casefold() for word in words)]


def _paths_about(clause: str, words: Sequence[str]) -> Iterator[str]:
    """Yield the paths of a clause whose subject holds a word: the text before a path, or after a path at its start."""
    matches = list(_PATH.finditer(clause))
    ends = [0, *(path.end() for path in matches)]
    starts = [*(path.start() for path in matches), len(clause)]
    between = [clause[end:start].casefold() for end, start in zip(ends, starts, strict=True)]
    is_behind = not _WORD.search(between[0])
    for at, path in enumerate(matches):
        if any(word in between[at + is_behind] for word in words):
            yield path[1] or path[2]


_TOTAL_ASKED: Final = re.compile(
    r"\b(?:totals?|sums?|amounts?|how much|add(?:s|ed)? up|altogether|damage|loss(?:es)?|worth|volume|EUR|euros?)\b|€",
    re.IGNORECASE,
)
DOCUMENTS: Final = "documents"
FRAUD: Final = "fraud"
"""The bucket whose last call replaces earlier ones: rows and total of one export belong together."""


def record_kind(path: str) -> str:
    """Return the kind of a record by its path; empty for anything else."""
    return str(kind_of(path) or "")


LEDGER_RULES: Final = (
    BucketRule("stock_count", frozenset({"stock_count"}), frozenset({"product", "branch"})),
    BucketRule("note", frozenset({"product"}), frozenset({"product"})),
    BucketRule("lead"),
    BucketRule(FRAUD, frozenset({"fraud"}), gives_message=lambda text: bool(_TOTAL_ASKED.search(text))),
    BucketRule("receipt", frozenset({"receipt_price"}), frozenset({"product", "upload"}), gives_message=bool),
    BucketRule("stock_lookup", frozenset({"stock_lookup"})),
)


def apply_findings(entries: list[Entry], completion: Completion, text: str, rules: str = "") -> Completion:
    """Return a completion with a trial's findings, and the read documents that fit its kind.

    `text` is the request, `rules` the workspace's rules document.
    """
    last = next((entry for entry in reversed(entries) if entry.bucket == FRAUD and (entry.refs or entry.message)), None)
    entries = [entry for entry in entries if entry.bucket != FRAUD or entry is last]
    read = bucket_of(entries, DOCUMENTS).refs
    fitting = Entry(DOCUMENTS, tuple(policy_documents(read, completion.task_type, rules)))
    entries = [*(entry for entry in entries if entry.bucket != DOCUMENTS), fitting]
    every = (*LEDGER_RULES, BucketRule(DOCUMENTS, are_documents=True))
    return with_findings(completion, entries, every, text, record_kind)


_OUTCOMES: Final = {
    "OUTCOME_OK": "OK",
    "OUTCOME_DENIED_SECURITY": "DENIED",
    "OUTCOME_NONE_CLARIFICATION": "CLARIFY",
    "OUTCOME_NONE_UNSUPPORTED": "UNSUPPORTED",
}


@on_harness
def order_references(
    reader: WorkspaceReader, answer: Mapping[str, Any], request: str, findings: str, in_order: bool
) -> Finding[dict[str, str]]:
    """Return the message of an answer with its references: with the trial's findings, and `in_order` if asked.

    `answer` has `outcome`, `message`, `task_type`, `documents`, `records` and `protected`; `findings` is a JSON list.
    Raises `CannotRead` if the asker or the names of the records' fields are not certain.
    """
    layout = layout_of(reader)
    given = Completion(
        str(answer["task_type"]), str(answer["message"]), tuple(answer["documents"]), tuple(answer["records"])
    )
    noted = json.loads(findings)
    reasons = {reference["path"]: reference["reason"] for bucket in noted for reference in bucket.get("refs", ())}
    completion = apply_findings([_entry(bucket) for bucket in noted], given, request, layout.rules) if noted else given
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
    """Return an entry of the ledger; the opened files are its documents."""
    if "paths" in noted:
        return Entry(DOCUMENTS, tuple(path for path in noted["paths"] if path.casefold().endswith(".md")))
    return Entry(noted["bucket"], tuple(reference["path"] for reference in noted["refs"]), noted["message"])


def _reason(layout: ShopLayout, path: str, request: str) -> str:
    """Return the reason for citing a file, from its text; empty for a missing file."""
    base = path.partition("#")[0]
    if base not in layout.paths:
        return ""
    record = layout.records.at(base)
    if record is not None:
        return reference_to(record, layout.kind_of(base)).reason
    words = "|".join(set(re.findall(r"\w{4,}", request.casefold())))
    return telling_sentence(layout.reader.read_all([base])[0], rf"\b(?:{words or 'cite'})\b")
