"""Rules that compare an OK with what the guard found in the same trial, and with the calls that it made.

They read no request: records and pages say what was to be done.
"""

from __future__ import annotations

import json
import re
from typing import Final

from benchmarks.shop.kinds import OTHER_REQUEST, Kind, cited_records, rule
from benchmarks.shop.layout import marked_words
from gates.evidence import Evidence, split_fragment
from gates.rules import Opinion
from gates.submission import OK, Case, Submission, quote
from gates.trial_facts import facts_of

_PLACEHOLDER: Final = re.compile(r"/\S+(?: [\w-]+)? <(basket|payment|return)[_-]?id>.*")


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
    cited = {split_fragment(path)[0] for path in submission.citations}
    for page in cited & facts.documents.keys():
        for mark in marked_words(facts.documents[page]):
            match = _PLACEHOLDER.fullmatch(mark)
            if match and (records := cited_records(submission, Kind(match[1]))):
                return (
                    f"The answer is an OK and rests on {quote(records[0])} and on {quote(page)}, which says "
                    f"when to run {quote(mark)}; no change was made. Check what was to be done."
                )
    return None
