"""Rules that compare an OK with what the guard found in the same trial, and with the calls that it made.

They read no request: records and pages say what was to be done.
"""

from __future__ import annotations

import json
from typing import Final

import re2

from benchmarks.shop.kinds import IDENTITY_TOOL, OTHER_REQUEST, Kind, cited_records, id_of, rule
from benchmarks.shop.layout import marked_words
from gates.evidence import Evidence, split_fragment
from gates.rules import Opinion
from gates.submission import DENIED, OK, UNSUPPORTED, Case, Submission, encodable, quote
from gates.trial_facts import facts_of

_DAY: Final = re2.compile(r"\d{4}-\d\d-\d\d(?:T.*)?")
_PLACEHOLDER: Final = re2.compile(r"/\S+(?: [\w-]+)? <(basket|payment|return)[_-]?id>.*")


@rule("guard", outcomes=(OK,))
def guard(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an OK of a trial that changed nothing after the guard had stopped a call of it."""
    stopped = [finding for finding in evidence.findings if finding.function == "guard"]
    if not stopped:
        return OTHER_REQUEST
    if facts_of(evidence).standing_changes:
        return None
    return f"Nothing was changed, and the answer is an OK. {json.loads(stopped[-1].value)}"


@rule("unmade-step", outcomes=(OK,))
def unmade_step(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an OK that rests on a record and on the page which tells how to change such a record by a tool, if the
    trial made no change."""
    facts = facts_of(evidence)
    if facts.standing_changes or not evidence.has_trace or any(run.kind == "unknown" for run in evidence.executions):
        return OTHER_REQUEST
    steps = [
        (record, page, mark)
        for page in dict.fromkeys(split_fragment(path)[0] for path in submission.citations)
        for mark in marked_words(facts.documents.get(page, ""))
        if (match := _PLACEHOLDER.fullmatch(encodable(mark)))
        for record in cited_records(submission, Kind(match[1]))
    ]
    if not steps:
        return None
    record, page, mark = max(steps, key=lambda step: id_of(step[0]).casefold() in case.instruction.casefold())
    return (
        f"The answer is an OK and rests on {quote(record)} and on {quote(page)}, which says "
        f"when to run {quote(mark)}; no change was made. Check what was to be done."
    )


@rule("embargo", outcomes=(OK,))
def embargo(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an OK that cites a product whose record has a coming day in a field that the rules mark."""
    facts, today = facts_of(evidence), case.now[:10]
    marked = frozenset(marked_words(case.rules))
    for path in cited_records(submission, Kind.PRODUCT) if today and marked else ():
        for name, value in facts.records[path][-1].all_values() if path in facts.records else ():
            field = name.rpartition(".")[2]
            if field in marked and _DAY.fullmatch(encodable(value)) and value[:10] > today:
                return f"{quote(path)} has `{field}` {value}, which is still to come: compare with the rules on it."
    return None


_FOR_STAFF: Final = {"fraud_rows": "archive", "dispatch_plan": "wave"}
"""What a function is about whose subject may be for staff alone, as the page on access names it."""
_FOR_SIGNED_IN: Final = ("staff_with_role", "relative_date")
"""Functions whose subjects may be for signed-in askers alone."""


@rule("reserved", outcomes=(OK,))
def reserved(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an OK by functions whose subject the page on access names, for somebody who is not staff."""
    asker = evidence.find(IDENTITY_TOOL).touch
    if asker is None or asker.proves("employee") or not (asker.proves("guest") or asker.proves("customer")):
        return OTHER_REQUEST
    pages = {
        path: text
        for path, text in facts_of(evidence).documents.items()
        if {IDENTITY_TOOL, DENIED} <= {*marked_words(text)}
    }
    for page, text in pages.items():
        folded = text.casefold()
        for used in evidence.findings:
            for_staff = _FOR_STAFF.get(used.function, "")
            is_for_guest = used.function in _FOR_SIGNED_IN and asker.proves("guest") and "guest" in folded
            if (for_staff and for_staff in folded) or is_for_guest:
                return (
                    f"`{used.function}` was used for somebody who is not staff: check {quote(page)} for who may have "
                    "this, in whole or in part."
                )
    return None


_ROLE: Final = re2.compile(r"[a-z]+(?:[-_][a-z]+)+")


@rule("lacking-role", outcomes=(UNSUPPORTED,))
def lacking_role(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to UNSUPPORTED for staff without a role that a cited page marks and somebody's record holds."""
    facts, asker = facts_of(evidence), evidence.find(IDENTITY_TOOL).touch
    if asker is None or not asker.proves("employee"):
        return OTHER_REQUEST
    held = {
        value
        for states in facts.records.values()
        for name, value in states[-1].all_values()
        if "role" in name.casefold()
    }
    for page in (split_fragment(path)[0] for path in submission.citations):
        marks = {mark for mark in marked_words(facts.documents.get(page, "")) if _ROLE.fullmatch(encodable(mark))}
        roles = sorted(marks & held)
        if roles and not any(asker.proves(role) for role in roles):
            return (
                f"{quote(page)} names {quote(roles[0])}, a role that whoever asks does not have: check which outcome "
                "a missing role has."
            )
    return None
