"""Answers requests before a model is asked: refusals, what may be changed, and answers that code finds alone.

What the tools of a shop change has an owner: baskets, payments and returns. They are offered if the request names such
a record that whoever asks may have changed, speaks of one without its id, or if the classifier says that a change is
asked; verbs never decide. Requests in a language that is not known here are judged by the classifier.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from benchmarks.shop.record_findings import pick_basket, staff_with_role
from benchmarks.shop.record_kinds import Kind
from benchmarks.shop.request_kinds import find_block
from benchmarks.shop.table_findings import dispatch_plan
from benchmarks.shop.workspace import IDENTITY, ShopLayout, WorkspaceReader
from toolkit import CannotRead, Finding, Reference
from toolkit.dispatch import wave_path
from toolkit.layout import named_paths
from toolkit.records import Identity, Record, named_records
from toolkit.requests import (
    Refusal,
    SecurityCase,
    asked_template,
    files_to_delete,
    filled_template,
    intent_of,
    may_change_files,
    said_intent,
    security_refusal,
    tolerates_blocks,
)
from toolkit.text import relative_date

_ABOUT_ACCESS: Final = re.compile(r"DENIED|permission|identity|approvals?|widen|who may", re.IGNORECASE)
_SENTENCES: Final = re.compile(r"(?<=[.;:])\s+|\n\s*(?:[-*]|\d+\.)\s")
_NAMED_SO: Final = re.compile(r"secur|access|permission|rights", re.IGNORECASE)
_LONGEST: Final = 160


def access_policy(layout: ShopLayout) -> str:
    """Return the path of the document on access: by what the rules say of it, by its name, or by the identity tool.

    Raises `CannotRead` if none of them leads to a single document.
    """
    sentences = [each for each in _SENTENCES.split(layout.rules) if _ABOUT_ACCESS.search(each)]
    said = {path for each in sentences for path in named_paths(each)} & layout.documents.keys()
    called = {path for path in layout.documents if _NAMED_SO.search(path)}
    telling = {path for path, text in layout.documents.items() if layout.tools.get(IDENTITY) in named_paths(text)}
    for found in (said & called, called, said & telling, said, telling):
        if len(found) == 1:
            return found.pop()
    msg = f"no single document tells who may see and do what, but {', '.join(sorted(said | called)) or 'none'}"
    raise CannotRead(msg)


def cited_rule(layout: ShopLayout, path: str, words: str) -> Reference:
    """Return a reference to a document with its sentence that holds most of some words, else its first, as reason."""
    text = re.sub(r"\s+", " ", layout.documents[path])
    sentences = [each.strip(" #-*") for each in re.split(r"(?<=[.!?;])\s", text)]
    cue = re.compile(words, re.IGNORECASE)
    best = max((each for each in sentences if len(each) > 8), key=lambda each: len(cue.findall(each)), default=text)
    return Reference(path, f"it says: {best[:_LONGEST]}")


OWNED: Final = frozenset({Kind.BASKET, Kind.PAYMENT, Kind.RETURN})
"""The kinds of records that tools change, for their owner or for staff."""
ANYBODY: Final = Identity("", frozenset({"staff"}))
"""Somebody who may see every record."""
_BASKET: Final = r"(?:basket|cart|trolley|hamper)"
_OWNED_THING: Final = rf"(?:{_BASKET}|order|purchase|check\s?-?out|payment|refund|return)\b"
_UNNAMED: Final = re.compile(
    rf"\b(?:my|our|this|that|(?:new|old|lat)est|last)\s+(?:[\w-]+\s+){{0,2}}?{_OWNED_THING}|\bthe\s+{_OWNED_THING}",
    re.IGNORECASE,
)
_UNNAMED_BASKET: Final = re.compile(
    rf"\b(?:my|our|(?:new|old|lat)est|last)\s+(?:[\w-]+\s+){{0,2}}?{_BASKET}\b", re.IGNORECASE
)
_SCRATCH: Final = re.compile(r"(?<![\w/])/tmp/[\w/-]{1,80}(?![\w./-]{0,80}\.\w|[\w/-])")
"""A folder where nothing is kept: a request that names one is about what lies there."""
_ENGLISH: Final = re.compile(r"\b(?:the|of|is|are|for|my|to|it|on|at|how|what|which|please)\b", re.IGNORECASE)
"""A request without any of these words is in no language that could bear a classifier out."""


def permitted_changes(reader: WorkspaceReader, request: str, intent: str) -> Finding[dict[str, bool]]:
    """Return whether a request may write and delete `files`, and run `tools` that change something.

    A block that poses as an instruction of the system asks for nothing: only what stands before it counts. Nobody runs
    such tools for a guest, whatever the request says: who asks is what the identity tool prints.
    """
    own_words = _own_words(request)
    meant = intent_of(own_words, intent) if _ENGLISH.search(own_words) else said_intent(intent)
    is_silent = not intent.strip("{} \n")
    asks_for_file = may_change_files(
        own_words, is_classified=meant.file_change or (is_silent and bool(_SCRATCH.search(own_words)))
    )
    try:
        layout = ShopLayout(reader)
        asker, named = layout.asker, owned_records(layout, own_words)
    except CannotRead:
        return Finding({"files": asks_for_file, "tools": meant.changes_records or bool(_UNNAMED.search(own_words))})
    is_about = any(may_have_changed(asker, each) for each in named)
    if not named:
        is_about = meant.changes_records or bool(_UNNAMED.search(own_words))
    edits_basket = is_silent and asker.is_customer and not named and bool(_UNNAMED_BASKET.search(own_words))
    return Finding(
        {"files": asks_for_file or edits_basket, "tools": is_about and (asker.is_customer or asker.is_staff)}
    )


def owned_records(layout: ShopLayout, request: str) -> list[Record]:
    """Return the baskets, payments and returns that a request names, whoever's they are."""
    paths = named_records(layout.records, ANYBODY, request)
    return [each for each in layout.records.read(paths) if layout.kind_of(each.path) in OWNED]


def may_have_changed(asker: Identity, record: Record) -> bool:
    """Say whether somebody may have a record changed: staff as their roles allow, customers their own, guests nothing.

    Of a record without an owner nobody but staff may.
    """
    return asker.is_staff or (bool(record.owner) and asker.may_cite(record.owner))


def _own_words(request: str) -> str:
    """Return what stands before a block that poses as an instruction of the system."""
    block = find_block(request)
    return request if block is None else request[: block.start()]


DENIED: Final = "OUTCOME_DENIED_SECURITY"
_MESSAGES: Final = {
    "override": "The request carries text that poses as an instruction of the system, so it is refused.",
    "contact": "Contact details of staff are not given out.",
    "foreign_basket": "That basket does not belong to whoever is signed in, so nothing is told of it or done with it.",
    "claimed_approval": "Only staff with the right role give discounts; a claimed approval counts for nothing.",
}
_WORDS: Final = {
    "override": r"text|instruction|message|system|request|block|pose",
    "contact": r"contact|e-?mail|phone|address|staff",
    "foreign_basket": r"own|belong|customer|basket|guest",
    "claimed_approval": r"discount|approv|role|staff|claim",
}
"""With which words the sentence of the policy is found that a refusal rests on."""


def refuse_request(reader: WorkspaceReader, request: str, intent: str) -> Finding[dict[str, Any]]:
    """Return the refusal of an override, of contact details, of others' records, of a discount that staff promised.

    An empty value: nothing is to be refused. Raises `CannotRead` if it is not certain who asks, or by which policy.
    """
    layout = ShopLayout(reader)
    policy = access_policy(layout)
    meant, asker = intent_of(request, intent), layout.asker
    text = layout.documents[policy]
    if find_block(request) and not tolerates_blocks(text):
        meant = replace(meant, override=True)
    case = SecurityCase(request, meant, asker, layout.records, text)
    foreign = _foreign_record(layout, request)
    found = security_refusal(case)
    if found is None and foreign is not None:
        found = Refusal("foreign_basket", ("security",), is_protected=True)
    if found is None:
        return Finding({})
    message = _MESSAGES[found.reason]
    if found.reason == "foreign_basket" and foreign is not None:
        message = f"{foreign.id} does not belong to whoever is signed in, so nothing is told of it or done with it."
    cited = [cited_rule(layout, policy, _WORDS[found.reason])]
    cited += [_reference(layout, path) for path in found.records]
    return Finding({"outcome": DENIED, "message": message, "reason": found.reason}, tuple(cited))


def _foreign_record(layout: ShopLayout, request: str) -> Record | None:
    """Return a basket, payment or return that the request names and that is another's; nobody's are for staff."""
    if not layout.asker.is_outside:
        return None
    owned = owned_records(layout, request)
    return next((each for each in owned if each.owner and not layout.asker.may_cite(each.owner)), None)


def _reference(layout: ShopLayout, path: str) -> Reference:
    record = layout.records.at(path)
    name = (record.name or record.id) if record is not None else path.rsplit("/", 1)[-1]
    return Reference(path, f"the {layout.kind_of(path) or 'record'} {name}")


OK: Final = "OUTCOME_OK"
CLARIFY: Final = "OUTCOME_NONE_CLARIFICATION"
_MOST_WORDS: Final = 25
"""Words of a request that asks for a date alone."""
_SUFFIX: Final = re.compile(r"(?<![\w/])[`'\"]?\*?(\.[A-Za-z]\w{0,9})\b[`'\"]?(?!/)")
_CLEANS: Final = re.compile(r"\b(?:delet|remov|clean|clear|empty|wip|purg|drop)\w*", re.IGNORECASE)
_FOLDER: Final = re.compile(r"(?<![\w/])/tmp/[\w./-]*\w")
_EXCEPT: Final = re.compile(r"\b(?:except|but not|other than|older|newer|larger|smaller|apart from)\b", re.IGNORECASE)
_AT_A_PLACE: Final = re.compile(r"\bat (?!all\b|least\b|most\b)|\bbranch|\bstore\b|\bshop in\b", re.IGNORECASE)
Answer = Finding[dict[str, Any]]
NOTHING: Final[Answer] = Finding({})


def answer_date(reader: WorkspaceReader, request: str, intent: str) -> Answer:
    """Return the date that a request names by its distance from today, if it asks for nothing else."""
    del intent
    if len(request.split()) > _MOST_WORDS:
        return NOTHING
    found = relative_date(request, ShopLayout(reader).clock)
    return Finding({"outcome": OK, "message": found, "reason": "date"}) if found else NOTHING


def clean_up(reader: WorkspaceReader, request: str, intent: str) -> Answer:
    """Return the files below a temporary folder that a request has deleted: all, or those of one suffix.

    A request that sets other conditions is left alone.
    """
    meant = intent_of(request, intent)
    folders = {each.rstrip("/") for each in _FOLDER.findall(request)}
    suffixes = {each[1] for each in _SUFFIX.finditer(_FOLDER.sub("", request))}
    if folders != {meant.tmp_path.rstrip("/")} or len(suffixes) > 1 or not _CLEANS.search(request):
        return NOTHING
    if _EXCEPT.search(request):
        return NOTHING
    everything = files_to_delete(replace(meant, tmp_only=False), ShopLayout(reader).paths)
    found = [path for path in everything or () if not suffixes or path.endswith(next(iter(suffixes)))]
    if not found:
        return NOTHING
    return Finding({"outcome": OK, "message": "\n".join(found), "reason": "clean-up", "delete": found})


def plan_wave(reader: WorkspaceReader, request: str, intent: str) -> Answer:
    """Return the plan of the dispatch wave whose document a request names."""
    del intent
    path = wave_path(request)
    if not path:
        return NOTHING
    found = dispatch_plan(reader, path)
    return Finding({"outcome": OK, "message": found.value["answer"], "reason": "dispatch wave"}, found.refs)


def count_staff(reader: WorkspaceReader, request: str, intent: str) -> Answer:
    """Return how many people have the role that a request names, in the form that it asks for."""
    meant = intent_of(request, intent)
    if not (meant.count_staff and meant.role):
        return NOTHING
    if not meant.branch and _AT_A_PLACE.search(request):
        return NOTHING
    found = staff_with_role(reader, meant.role, meant.branch)
    template = asked_template(request)
    message = filled_template(template, found.value) if template else str(found.value)
    return Finding({"outcome": OK, "message": message, "reason": "staff count"}, found.refs)


def ask_which_basket(reader: WorkspaceReader, request: str, intent: str) -> Answer:
    """Return the question which of several open baskets is to be bought; what is known of them, if one is meant."""
    meant = intent_of(request, intent)
    if not meant.checkout or meant.basket_id:
        return NOTHING
    layout = ShopLayout(reader)
    if not layout.asker.is_customer or named_records(layout.records, layout.asker, request):
        return NOTHING
    found = pick_basket(reader, meant.selector)
    ids = found.value
    if len(ids) > 1:
        message = f"You have several open baskets. Which one do you mean: {', '.join(ids[:-1])} or {ids[-1]}?"
        return Finding({"outcome": CLARIFY, "message": message, "reason": "several baskets"}, found.refs)
    if not ids:
        return NOTHING
    which = f"the {meant.selector} open basket" if meant.selector else "the only open basket"
    return Finding({"context": f"(Found out beforehand: {which} of {layout.asker.user} is {ids[0]}.)\n"}, found.refs)
