"""The files that an answer cites, in their final order: existing, permitted, and requested files."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Final

from toolkit.answers import CLARIFY, DENIED, OK, KindOf
from toolkit.matching import product_codes
from toolkit.records import Identity, WorkspaceRecords, linked_paths, named_records, repaired_paths, shielded, stem_of
from toolkit.text import normal_words, yes_no_words

COUNTS: Final = frozenset({"count"})
OF_PRODUCTS: Final = frozenset({"stock_count", "stock_lookup", "receipt_price", "checkout"})
OWNED: Final = frozenset({"basket", "payment", "return"})
_OTHERS: Final = re.compile(
    r"\b(?:another|other|different|someone|somebody)\s+(?:else'?s?\s+)?(?:customer|user|account)"
)
_CODE: Final = r"[A-Z0-9]+(?:-[A-Z0-9]+)+"
_EXCLUDED: Final = re.compile(
    rf"(?:\b(?:not|never|ignore|skip)|n['’]t (?:mean|want))\s+(?:the\s+)?{_CODE}|"
    r"\b(?:any(?:thing)? but|except(?: for)?|excluding|besides|other than|without|leav(?:e|ing) out|apart from)\s+"
    rf"(?:the\s+)?{_CODE}(?:(?:,| and| or)\s+{_CODE})*"
)
_UNITS: Final = re.compile(r"\b(?:units?|stock|on hand|available)\b", re.IGNORECASE)
_MADE_READMES: Final = re.compile(r"^/(?:proc|run)/(?:.*/)?readme\.md$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReferenceCase:
    """An answer whose references are put in order."""

    outcome: str
    documents: tuple[str, ...]
    records: tuple[str, ...]
    workspace: WorkspaceRecords
    asker: Identity
    kind_of: KindOf
    task_type: str = "other"
    message: str = ""
    text: str = ""
    """The request."""
    is_protected: bool = False
    """True if only policies are cited."""
    rules: str = ""


def final_references(case: ReferenceCase) -> list[str]:
    """Return documents first, then records; without files that do not exist or that the asker may not see."""
    case = _sorted_by_kind(case)
    if _shows_nothing(case):
        return list(_existing_documents(case))
    for step in _STEPS:
        case = step(case)
    records = repaired_paths(case.workspace, list(case.records))
    return [*_existing_documents(case), *shielded(case.workspace, case.asker, records)]


def _sorted_by_kind(case: ReferenceCase) -> ReferenceCase:
    every = dict.fromkeys(case.documents + case.records)
    documents = tuple(path for path in every if _is_document(path) and not _MADE_READMES.match(path))
    return replace(case, documents=documents, records=tuple(path for path in every if not _is_document(path)))


def _existing_documents(case: ReferenceCase) -> list[str]:
    """Keep all documents if the listing does not show any; else only existing ones."""
    if not any(_is_document(path) for path in case.workspace.all_paths):
        return list(case.documents)
    return repaired_paths(case.workspace, list(case.documents))


def _shows_nothing(case: ReferenceCase) -> bool:
    """Say whether a refusal protects its subject."""
    if case.is_protected:
        return True
    if case.outcome != DENIED:
        return False
    found = [case.workspace.at(path) for path in repaired_paths(case.workspace, list(case.records))]
    is_foreign = any(record is not None and not case.asker.may_cite(record.owner) for record in found)
    is_guest = case.asker.is_outside and not case.asker.is_customer
    return (
        is_foreign
        or bool(_OTHERS.search(case.message))
        or (is_guest and any(case.kind_of(path) in OWNED for path in case.records))
    )


def _add_named(case: ReferenceCase) -> ReferenceCase:
    if case.task_type in COUNTS:
        return case
    return _with(case, named_records(case.workspace, case.asker, case.text))


def _add_products(case: ReferenceCase) -> ReferenceCase:
    listed = case.task_type in OF_PRODUCTS or (case.task_type in COUNTS and bool(_UNITS.search(case.text)))
    said = "" if case.task_type in COUNTS else case.message
    codes = [*(product_codes(case.text) if listed else ()), *product_codes(said)]
    ruled_out = excluded_codes(case.text)
    found = [case.workspace.path_of(code) for code in codes if code not in ruled_out]
    return _with(case, [path for path in found if path])


def _keep_asked_candidates(case: ReferenceCase) -> ReferenceCase:
    named = set(product_codes(case.message))
    if case.outcome != CLARIFY or not named:
        return case
    return _without(case, lambda path: case.kind_of(path) == "product" and stem_of(path) not in named)


def _drop_excluded(case: ReferenceCase) -> ReferenceCase:
    ruled_out = excluded_codes(case.text)
    left = [path for path in case.records if case.kind_of(path) == "product" and stem_of(path) not in ruled_out]
    if not ruled_out or (case.task_type == "stock_count" and not left):
        return case
    return _without(case, lambda path: stem_of(path) in ruled_out)


def _drop_products_of_a_no(case: ReferenceCase) -> ReferenceCase:
    if case.task_type != "product" or case.outcome != OK or not says_no(case.message, case.rules):
        return case
    return _without(case, lambda path: case.kind_of(path) == "product")


def _keep_the_basket_named(case: ReferenceCase) -> ReferenceCase:
    baskets = [path for path in case.records if case.kind_of(path) == "basket"]
    said = set(named_records(case.workspace, Identity("", frozenset({"staff"})), case.message))
    said |= {path for path in baskets if re.search(rf"(?<![\w-]){re.escape(stem_of(path))}(?![\w-])", case.message)}
    kept = [path for path in baskets if path in said]
    if len(baskets) < 2 or len(kept) != 1:
        return case
    return _without(case, lambda path: path in baskets and path not in kept)


def _add_refunded_payment(case: ReferenceCase) -> ReferenceCase:
    if case.task_type != "refund":
        return case
    return _with(case, linked_paths(case.workspace, list(case.records), key="payment_id"))


def _add_issuer(case: ReferenceCase) -> ReferenceCase:
    own = case.workspace.path_of(case.asker.user)
    return _with(case, [own]) if case.task_type == "discount" and case.asker.is_staff and own else case


_STEPS: Final[tuple[Callable[[ReferenceCase], ReferenceCase], ...]] = (
    _add_named,
    _add_products,
    _keep_asked_candidates,
    _drop_excluded,
    _drop_products_of_a_no,
    _keep_the_basket_named,
    _add_refunded_payment,
    _add_issuer,
)


def excluded_codes(text: str) -> frozenset[str]:
    """Return the product codes that a request rules out: `but not X`, `excluding X`."""
    return frozenset(code for found in _EXCLUDED.finditer(text) for code in re.findall(_CODE, found[0]))


def says_no(message: str, rules: str) -> bool:
    """Say whether a message is a no, in the words of the rules document or in English."""
    words = yes_no_words(rules)
    if message.strip() in words:
        return words.index(message.strip()) > 0
    return bool({"no", "false"} & set(normal_words(message).split()[:1]))


def _with(case: ReferenceCase, paths: Collection[str]) -> ReferenceCase:
    return replace(case, records=tuple(dict.fromkeys((*case.records, *paths))))


def _without(case: ReferenceCase, is_dropped: Callable[[str], bool]) -> ReferenceCase:
    return replace(case, records=tuple(path for path in case.records if not is_dropped(path)))


def _is_document(path: str) -> bool:
    return path.casefold().endswith(".md")
