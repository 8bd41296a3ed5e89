"""Requests whose answer code finds alone: dates, clean-ups, counts of staff, baskets to ask back about."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from benchmarks.shop.findings.basket_findings import pick_basket
from benchmarks.shop.findings.people_findings import staff_with_role
from benchmarks.shop.findings.table_findings import dispatch_plan
from benchmarks.shop.layout.shop_layout import ShopLayout, WorkspaceReader
from benchmarks.shop.preflight.request_intent import intent_of
from toolkit import Finding
from toolkit.dispatch import wave_path
from toolkit.records import named_records
from toolkit.requests import asked_template, files_to_delete, filled_template
from toolkit.text import relative_date

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
