"""Rules for all kinds of requests, about the pages and records that the trial has read.

A page is a document of the shop, such as `/docs/returns.md`. For example, an answer that
cites a page on refunds and a return, but has changed nothing, may have left out a step.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

import re2

from controlplane.benchmarks.shop.rules.review import (
    NO_OBJECTION,
    NOT_APPLICABLE,
    Review,
    rule,
)
from controlplane.benchmarks.shop.texts.documents import marked_words
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.gates.opinions import Opinion
from controlplane.gates.paths import record_id, split_fragment
from controlplane.gates.quoting import quote
from controlplane.gates.submission import OK
from controlplane.gates.surrogates import encodable


@rule("pre-call-check", outcomes=(OK,))
def pre_call_check(review: Review) -> Opinion:
    """Object to OK if the trial changed nothing after the pre-call check had stopped a call.

    That check judges each call that would change something, before it is made. Its
    result is a notice, which the objection repeats; the notice is empty for a call
    that passed.
    """
    last_notice = ""
    for result in review.evidence.function_results:
        if result.function == "pre_call_check":
            last_notice = json.loads(result.value) or last_notice
    if not last_notice:
        return NOT_APPLICABLE
    if review.evidence.present_changes:
        return NO_OBJECTION
    return f"Nothing was changed, and the answer is an OK. {last_notice}"


@rule("unmade-step", outcomes=(OK,))
def unmade_step(review: Review) -> Opinion:
    """Object to OK if nothing was changed, but a cited page tells how to change a cited record.

    For example, the answer cites `return_12` and a page with the command `/bin/refund
    approve <return_id>`.
    """
    # A tool whose effect is unclear may have made the change.
    may_have_changed = review.evidence.present_changes or review.evidence.unclear_runs
    if may_have_changed or not review.evidence.has_trace:
        return NOT_APPLICABLE
    steps = _possible_steps(review)
    if not steps:
        return NO_OBJECTION

    # A record that the request names is likelier to be meant than others.
    likeliest = steps[0]
    for step in steps:
        if record_id(step.record).casefold() in review.request.casefold():
            likeliest = step
            break
    return (
        f"The answer is an OK and rests on {quote(likeliest.record)} and on {quote(likeliest.page)}, which says "
        f"when to run {quote(likeliest.command)}; no change was made. Check what was to be done."
    )


@dataclass(frozen=True, slots=True)
class _Step:
    """A change that the trial may have left out: a command on a cited page, and a cited record."""

    record: str
    page: str
    command: str


_COMMAND: Final = re2.compile(
    r"/\S+(?: [\w-]+)? <(?P<kind>basket|payment|return)[_-]?id>.*"
)
"""A command that a page describes, with the kind of its record: `/bin/refund approve <return_id>`."""


def _possible_steps(review: Review) -> list[_Step]:
    """Return each command on a cited page with each cited record of the kind that it changes."""
    pages = dict.fromkeys(
        split_fragment(path)[0] for path in review.submission.citations
    )
    steps = []
    for page in pages:
        for command in marked_words(review.evidence.documents.get(page, "")):
            match = _COMMAND.fullmatch(encodable(command))
            if match is None:
                continue
            for record in review.cited(Kind(match["kind"])):
                steps.append(_Step(record, page, command))
    return steps


_DAY_OR_TIME: Final = re2.compile(r"\d{4}-\d\d-\d\d(?:T.*)?")


@rule("embargo", outcomes=(OK,))
def embargo(review: Review) -> Opinion:
    """Object to OK if a cited product may not be sold yet.

    It has a future date in a field that the rules mention: "Products are not sold before
    `starts_at`." The rules put the names of fields in backticks.
    """
    today = review.case.now[: len("YYYY-MM-DD")]
    marked = frozenset(marked_words(review.case.rules))
    if not today or not marked:
        return NO_OBJECTION
    for path in review.cited(Kind.PRODUCT):
        fields = review.evidence.records.get(path, ())  # names and values
        for dotted_name, value in fields:
            field = dotted_name.rpartition(".")[2]  # `sale.starts_at` -> `starts_at`
            if field not in marked or not _DAY_OR_TIME.fullmatch(encodable(value)):
                continue
            if value[: len("YYYY-MM-DD")] > today:
                return f"{quote(path)} has `{field}` {value}, which is still to come: compare with the rules on it."
    return NO_OBJECTION
