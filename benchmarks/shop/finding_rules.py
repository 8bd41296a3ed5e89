"""Rules that compare an answer with what functions and the guard found in the same trial, and with the calls it made.

They read no request: a function's arguments say what was looked for, and records and pages say what was to be done.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchmarks.shop.kinds import OTHER_REQUEST, Kind, cited_records, rule, skus_in, stated_number, stated_yes
from gates.evidence import Evidence, FindingValue, split_fragment
from gates.rules import Opinion
from gates.submission import OK, Case, Submission, quote, quote_some
from gates.terms import values_in
from gates.trial_facts import facts_of
from toolkit.layout import marked_words
from toolkit.text import cents_of

_AMOUNT: Final = re.compile(r"\bEUR ?(\d[\d.,]*\d|\d)")
_MOST_LISTED: Final = 12
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


@rule("finding", outcomes=(OK,))
def finding(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to a count, sum, date, plan, product or yes that differs from what the trial's functions returned."""
    calls: dict[str, list[Any]] = {}
    for call in evidence.findings:
        is_certain = not call.has_notes or call.function in _TELLING_NOTES
        value = _value_of(call) if call.function in _CONTRADICTIONS and is_certain else None
        if value is not None and not _is_wider(call, value, submission):
            calls.setdefault(call.function, []).append(value)
    faults = [fault for name, values in calls.items() for fault in _CONTRADICTIONS[name](submission, values, case)]
    return faults if calls else OTHER_REQUEST


_TELLING_NOTES: Final = ("match_products", "staff_with_role")
"""Functions whose notes name what is closest; the notes of others say what is not certain."""


def _value_of(call: FindingValue) -> Any:
    try:
        return json.loads(call.value)
    except ValueError:
        return None  # It was too long to keep.


def _is_wider(call: FindingValue, value: Any, submission: Submission) -> bool:
    """Say whether a call looked for something else than the answer tells: people of every branch, or a sum of a
    receipt without its tolerance."""
    given = json.loads(call.arguments)
    if call.function == "staff_with_role":
        return not given.get("branch") and bool(cited_records(submission, Kind.BRANCH))
    return call.function == "settle_receipt" and not (given.get("tolerance_cents") or value["within"])


def _staff(submission: Submission, values: list[Any], case: Case) -> Iterator[str]:
    number = stated_number(submission)
    if number is not None and number not in values and sum(values) != number:
        yield f"`staff_with_role` counted {values[-1]}, and the answer says {number}: compare what was counted."


def _fraud(submission: Submission, values: list[Any], case: Case) -> Iterator[str]:
    amounts = [cents_of(found) for found in _AMOUNT.findall(submission.answer_text)]
    if amounts and all(value["total_cents"] not in amounts for value in values):
        yield f"`fraud_rows` found {values[-1]['total']}, and the answer tells another sum: compare the rows."
    rows = {split_fragment(path)[1].removeprefix("#row=") for path in submission.citations if "#row=" in path}
    if rows and all(rows != {row["id"] for row in value["rows"]} for value in values):
        found = {row["id"] for row in values[-1]["rows"]}
        apart = (("it", found - rows), ("the answer", rows - found))
        some = (f"only {who}: {quote_some(sorted(ids), _MOST_LISTED)}" for who, ids in apart if ids)
        yield f"`fraud_rows` found {len(found)} rows, and {len(rows)} are cited; {'; '.join(some)}."


def _date(submission: Submission, values: list[Any], case: Case) -> Iterator[str]:
    dates = [value.text for value in values_in(submission.answer_text) if value.kind == "date"]
    if dates and all(str(value) not in submission.answer_text for value in values):
        yield f"`relative_date` found {quote(str(values[-1]))}, and the answer tells {quote(dates[0])}."


def _products(submission: Submission, values: list[Any], case: Case) -> Iterator[str]:
    fitting = {product["sku"] for value in values for product in value}
    skus, number = skus_in(submission.answer_text), stated_number(submission)
    if len(skus) == 1 and fitting and submission.answer_text.strip() == skus[0] and skus[0] not in fitting:
        yield f"`match_products` found {', '.join(sorted(fitting)[:3])}, and the answer tells {skus[0]}."
    if len(values) > 1:
        return
    says_none = number == 0 or stated_yes(submission, case.rules) is False
    if says_none and len(fitting) == 1:
        yield f"`match_products` found {', '.join(fitting)}, and the answer tells that there is none."
    if stated_yes(submission, case.rules) and not fitting:
        yield "`match_products` found no product, and the answer is a yes: check which properties were looked for."


def _receipt(submission: Submission, values: list[Any], case: Case) -> Iterator[str]:
    says_yes, value = stated_yes(submission, case.rules), values[-1]
    if says_yes is not None and value["within"] == value["can_be_bought"] != says_yes:
        yield f"`settle_receipt` says within: {value['within']}, can_be_bought: {value['can_be_bought']}; compare."


def _plan(submission: Submission, values: list[Any], case: Case) -> Iterator[str]:
    try:
        plan = json.loads(submission.answer_text)
    except ValueError:
        return
    if isinstance(plan, Mapping) and all(_routes(plan) != _routes(json.loads(value["answer"])) for value in values):
        yield f"`dispatch_plan` has another plan, which gains {values[-1]['expected_gain_cents']} cents: compare."


def _routes(plan: Mapping[str, Any]) -> list[str]:
    rows = plan.get("assignments")
    return sorted(json.dumps(row, sort_keys=True) for row in rows) if isinstance(rows, list) else []


_CONTRADICTIONS: Final = {
    "staff_with_role": _staff,
    "fraud_rows": _fraud,
    "relative_date": _date,
    "match_products": _products,
    "settle_receipt": _receipt,
    "dispatch_plan": _plan,
}
