"""What the text of an answer must agree with."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.ecom.rules import requests, sight
from benchmarks.ecom.rules.records import Kind, id_of
from benchmarks.ecom.rules.sight import CLARIFICATION, OK, UNSUPPORTED, cited
from gates import Case, Evidence, Submission

_BARE_OUTCOME: Final = re.compile(r"\W*OUTCOME_[A-Z_]+\W*")


def fault_of_sku(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject a SKU whose own record is not the one that is cited."""
    if submission.outcome != OK or not requests.find(requests.SKU_WANTED, case.instruction):
        return ""
    answer = submission.answer_text.strip()
    ids = [id_of(path) for path in cited(submission, Kind.PRODUCT)]
    if not re.fullmatch(r"\S+", answer) or (ids == [answer]):
        return ""
    if not ids:
        return f"The record of {answer[:60]} is not cited: cite it."
    return f"The answer is {answer[:60]}, but {', '.join(ids[:6])} is cited: cite the record of that SKU alone."


def fault_of_candidates(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject a question between products that does not name each candidate in its text and in its citations."""
    if submission.outcome != CLARIFICATION or not requests.find(requests.SKU_WANTED, case.instruction):
        return ""
    ids = [id_of(path) for path in cited(submission, Kind.PRODUCT)]
    if len(ids) < 2:
        return f"A question between products cites every candidate, but {len(ids)} are cited: cite all that fit."
    unnamed = [each for each in ids if each not in submission.answer_text]
    if unnamed:
        return f"The question does not name {', '.join(unnamed[:6])}, which is cited: name the SKU of every candidate."
    return ""


def fault_of_blocked_verification(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject a refused card verification that does not tell what is recorded as the reason."""
    if submission.outcome != UNSUPPORTED or not requests.find(requests.VERIFICATION, case.instruction):
        return ""
    if not _BARE_OUTCOME.fullmatch(submission.answer_text):
        return ""
    return (
        "Tell why: the payment's recorded status, its attempt limit, or the exact time from which a retry is allowed."
    )


def fault_of_missing_product(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject a plain no to a wish for a product by its name alone, unless a reason says that nothing matches.

    Such a description is usually the product's own in other words; a no rests on a property that contradicts it.
    """
    if submission.outcome != OK or not requests.find(requests.EXISTENCE, case.instruction):
        return ""
    if requests.find(requests.CONSTRAINT, case.instruction) or sight.says_yes(submission) is not False:
        return ""
    if sight.reasons_say(submission, "no|none|nothing|not"):
        return ""
    return (
        "The wish names a product and no property that contradicts it: search again by brand, kind and size, for other "
        'words of the same thing; if nothing matches, say "no match" in the reason of a citation (of the document or '
        "listing that was searched)."
    )
