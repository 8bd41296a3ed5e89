"""Tells questions whether a product exists by what they name and how they end, whatever words they ask in.

Such a question sets a description apart, behind a colon or in quotation marks, wants the workspace's yes or no, and
names beside it nothing that records or documents know: neither a field, nor a deed, nor a place.
"""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop.language import request_kinds
from benchmarks.shop.language.record_kinds import Kind, kind_of, named_ids, skus_in
from benchmarks.shop.language.shop_evidence import read_records
from gates import Case, Submission
from gates.facts import facts_of
from gates.language import derive_contract, normalize_text, requested_change
from gates.types import Evidence
from toolkit.text import yes_no_pair

_DESCRIPTION: Final = re.compile(r"(?<!\w)'([^'\n]{3,300})'(?!\w)|:\s+([^:?\n\"'`]{3,300})\?")
_NAMED_OTHERWISE: Final = re.compile(r"`|\w/\w|(?<!\w)/\w|\d{3}")
"""Marked fields, paths and long figures."""
_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_YES_NO: Final = "yes/no"
_LEAST_WORDS: Final = 2
_KIND_PARTS: Final = 3
"""How many parts of a record's path name its kind: "/proc/returns"."""


def asks_existence(submission: Submission, evidence: Evidence, case: Case) -> bool:
    """Say whether a request asks if a product exists that it describes.

    By its structure this is certain only with a trace: what the records and the paths that were seen call something is
    not to be named beside the description.
    """
    if request_kinds.EXISTENCE.find(case.instruction):
        return True
    if not evidence.has_trace:
        return False
    text = normalize_text(case.instruction)
    found = list(_DESCRIPTION.finditer(text))
    if len(found) != 1 or len((found[0][1] or found[0][2]).split()) < _LEAST_WORDS:
        return False
    beside = f"{text[: found[0].start()]} {text[found[0].end() :]}"
    if skus_in(text) or named_ids(text) or _NAMED_OTHERWISE.search(beside) or requested_change(text):
        return False
    contract = derive_contract(case.instruction, case.rules)
    is_wanted = contract.is_enforced and _YES_NO in {each.kind for each in contract.clauses}
    is_given = not contract.clauses and text.count("?") == 1
    if not (is_wanted or (is_given and submission.answer_text.strip() in (yes_no_pair(case.rules) or ()))):
        return False
    return not _is_known(frozenset(_WORD.findall(beside.lower())), evidence)


def _is_known(words: frozenset[str], evidence: Evidence) -> bool:
    """Say whether a word, or the plural of one, stands in a property of a product that was read, or names a branch,
    another kind of record, a document or a tool."""
    paths = {path for known in evidence.paths_by_spelling.values() for path in known} | evidence.touches.keys()
    products = {_root(path) for path in paths if kind_of(path) is Kind.PRODUCT}
    others = (path for path in paths if _root(path) not in products)
    named = (path if kind_of(path) in (None, Kind.STORE) else _root(path) for path in others)
    known = {part for path in named for part in _WORD.findall(path.lower())} | _words_of_properties(evidence)
    return not {each.rstrip("s") for each in known}.isdisjoint(each.rstrip("s") for each in words)


def _root(path: str) -> str:
    """Return the part of a record's path that names its kind. That of products is what is asked for."""
    return "/".join(path.split("/")[:_KIND_PARTS])


def _words_of_properties(evidence: Evidence) -> set[str]:
    """Return the words of what products hold in a field within another one: their properties."""
    records = facts_of(evidence).records
    read = [records[path] for path in read_records(evidence, Kind.PRODUCT).values() if path in records]
    held = (f"{name} {' '.join(values)}" for each in read for name, values in each.last.fields.items() if "." in name)
    return {word for text in held for word in _WORD.findall(text.lower().replace("_", " "))}


def rests_on_nothing(evidence: Evidence) -> bool:
    """Say whether look-ups failed, no other one looked for anything, and no product was read."""
    failed = [each for each in evidence.look_ups if each.has_failed]
    found = any(each.terms and not each.has_failed for each in evidence.look_ups)
    return bool(failed) and not found and not any(kind_of(path) is Kind.PRODUCT for path in evidence.touches)
