"""The rule `unmade-step`: a change that the agent has perhaps forgotten to make.

For example, an answer says OK and cites the return `ret_12` and a page with the command
`/bin/refund approve <return_id>`, but the agent has changed nothing. Probably it should have
approved the refund, so it is asked to check that.
"""

from __future__ import annotations

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


@rule("unmade-step", outcomes=(OK,))
def unmade_step(review: Review) -> Opinion:
    """Object to OK if nothing was changed, but a cited page tells how to change a cited record."""
    # It must be certain that nothing was changed: all calls are known (`has_trace`), and no tool
    # was run whose effect is unclear.
    may_have_changed = review.evidence.present_changes or review.evidence.unclear_tools
    if may_have_changed or not review.evidence.has_trace:
        return NOT_APPLICABLE
    steps = _possible_steps(review)
    if not steps:
        return NO_OBJECTION

    likeliest = _likeliest(steps, review.request)
    return (
        f"The answer is an OK and rests on {quote(likeliest.record)} and on {quote(likeliest.page)}, which says "
        f"when to run {quote(likeliest.command)}; no change was made. Check what was to be done."
    )


@dataclass(frozen=True, slots=True)
class _Step:
    """A change that the trial may have left out: a command on a cited page, and a cited record."""

    record: str
    """The path of the record: `/proc/returns/ret_12.json`."""
    page: str
    """The path of the page: `/docs/returns.md`."""
    command: str
    """`/bin/refund approve <return_id>`"""


def _likeliest(steps: list[_Step], request: str) -> _Step:
    """Return the first step whose record the request names; if it names none, the first step."""
    for step in steps:
        if record_id(step.record).casefold() in request.casefold():
            return step
    return steps[0]


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
