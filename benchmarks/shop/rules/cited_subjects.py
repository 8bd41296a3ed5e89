"""Rules on what an answer's citations have to do with its case: what was changed, what was named, whose it is.

Source: an answer cites what it rests on, and nothing else. What a case is about is told by ids and paths: those that
the request and the answer name, and those of what was changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from benchmarks.shop.language.record_kinds import Kind, id_of, kind_of
from benchmarks.shop.language.shop_evidence import OK
from gates import Case, Submission
from gates.facts import TrialFacts, facts_of, is_id
from gates.language import derive_contract
from gates.types import Change, Evidence, quote, split_fragment

_PRIVATE: Final = (Kind.BASKET, Kind.PAYMENT, Kind.RETURN)
_OPEN_FORMS: Final = frozenset(("number", "amount", "template"))
"""Kinds of contract whose answer may be computed from many records that nobody names."""
_EDITING: Final = "/bin/checkout"
"""The tool whose document also tells how a basket is edited."""
_PATH: Final = re.compile(r"(?<![\w.>/@+-])/(?:[\w.@+-]{1,200}/){1,12}[\w.@+-]{0,200}\w")
_TOKEN: Final = re.compile(r"(?<![\w-])[A-Za-z][A-Za-z0-9]{0,60}(?:[-_][A-Za-z0-9]{1,60}){1,8}(?![\w-])")
_NO_SOURCES: Final = ("/proc/", "/docs/", "/bin/")
_MAX_CHARS: Final = 20_000
_MOST_CHANGES, _MOST_PAIRS = 100, 40
_SHOWN: Final = 20


def fault_of_changed_record(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject an OK after a change that does not cite the changed record, what was put into it, and its document.

    The document is the one that was read and shows how the tool is called that made the change.
    """
    if submission.outcome != OK or not evidence.changes:
        return ""
    facts, cited = facts_of(evidence), _cited(submission, evidence)
    wanted, tools = list[str](), dict[str, None]()
    for change in evidence.changes[:_MOST_CHANGES]:
        if changed := list(_records_of(change, facts)):
            wanted += [*changed, *_put_in(change, facts)]
            tools[change.path if change.action == "execute" else _EDITING] = None
    for tool in tools:
        shown = [path for path, text in facts.documents.items() if f"`{tool} " in text and path.startswith("/docs/")]
        wanted += shown if len(shown) == 1 else []
    missing = [path for path in wanted if path not in cited]
    return f"The answer rests on what was changed, and on its rule: cite {_some(missing)}." if missing else ""


def _records_of(change: Change, facts: TrialFacts) -> Iterator[str]:
    """Yield the baskets, payments and returns that a change was made to."""
    words = change.detail.split() if change.action == "execute" else [id_of(change.path)]
    for paths in (facts.paths_by_id.get(each.casefold(), ()) for each in words):
        if len(paths) == 1 and kind_of(paths[0]) in _PRIVATE:
            yield paths[0]


def _put_in(change: Change, facts: TrialFacts) -> Iterator[str]:
    """Yield the known products that what was written names for the first time."""
    record = facts.records.get(change.path)
    if record is None:
        return
    before = {value for held in record.readings[0].fields.values() for value in held}
    for value in {value for held in record.last.fields.values() for value in held} - before:
        paths = facts.paths_by_id.get(value.casefold(), ())
        if len(paths) == 1 and kind_of(paths[0]) is Kind.PRODUCT:
            yield paths[0]


def fault_of_stranger(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject an OK that cites a basket, payment or return with which nothing ties the case.

    Tied is what request or answer name, what was changed, what names one of these, and the asker's own where the
    request changes no other record of its kind. Staff may ask for figures of records that nobody names.
    """
    facts, text = facts_of(evidence), case.instruction[:_MAX_CHARS]
    if submission.outcome != OK or not facts.signed_in:
        return ""
    cited = [path for path in _cited(submission, evidence) if kind_of(path) in _PRIVATE and path in facts.records]
    changed = {path for each in evidence.changes for path in _records_of(each, facts)}
    named = {each.casefold() for each in _TOKEN.findall(f"{text}\n{submission.answer_text[:_MAX_CHARS]}")}
    about = {*filter(is_id, named), *(id_of(path).casefold() for path in changed)}
    is_open = not about and not _fixed(case) and not _sources(text, evidence)
    if is_open or len(cited) * len(about) > _MOST_PAIRS:
        return ""
    strange = [path for path in cited if not _is_tied(path, about, changed, facts)]
    return (
        f"Neither request nor answer have to do with {_some(strange)}: take it back with `scratchpad.uncite(path)`."
        if strange
        else ""
    )


def _fixed(case: Case) -> bool:
    """Say whether the answer is one recorded value, a date, a yes or a no."""
    contract = derive_contract(case.instruction, case.rules)
    kinds = {each.kind for each in contract.clauses if contract.is_enforced}
    return bool(kinds) and kinds.isdisjoint(_OPEN_FORMS)


def _is_tied(path: str, about: set[str], changed: set[str], facts: TrialFacts) -> bool:
    name = id_of(path).casefold()
    is_rival = any(kind_of(each) is kind_of(path) for each in changed)
    whose = about if is_rival else about | facts.signed_in
    return any(facts.are_linked(name, each) for each in whose)


def fault_of_source(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject an OK that does not cite a file which the request names and the trial has read, and what that file lists.

    Records, documents and tools have rules of their own. Listed is what a document names in its own folder.
    """
    if submission.outcome != OK or not (sources := _sources(case.instruction[:_MAX_CHARS], evidence)):
        return ""
    cited = _cited(submission, evidence)
    missing = [path for path in sources if path not in cited]
    return f"The answer rests on files that it does not cite: cite {_some(missing)}." if missing else ""


def _sources(text: str, evidence: Evidence) -> list[str]:
    """Return the files that a text names and the trial has read and not changed, with those that they list."""
    changed = {each.path for each in evidence.changes}
    found = dict[str, None]()
    for path in _PATH.findall(text):
        touch = evidence.touches.get(path)
        if touch is None or path.startswith(_NO_SOURCES):
            continue
        folder = path.rpartition("/")[0]
        listed = (each for seen in touch.seen for each in _PATH.findall(seen.text[:_MAX_CHARS]))
        beside = (each for each in listed if each.rpartition("/")[0] == folder and each in evidence.touches)
        found |= dict.fromkeys((path, *beside))
    return [each for each in found if each not in changed]


def _cited(submission: Submission, evidence: Evidence) -> list[str]:
    return list(dict.fromkeys(evidence.find(split_fragment(each)[0]).path for each in submission.citations))


def _some(paths: Iterable[str]) -> str:
    return ", ".join(map(quote, list(dict.fromkeys(paths))[:_SHOWN]))
