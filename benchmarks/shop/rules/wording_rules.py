"""What the text of an answer must agree with."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop.language import request_kinds, shop_evidence
from benchmarks.shop.language.record_kinds import Kind, id_of, named_ids
from benchmarks.shop.language.shop_evidence import CLARIFICATION, OK, UNSUPPORTED, cited
from gates import Case, Submission
from gates.types import Evidence

_SKU: Final = re.compile(r"[A-Z]{2,4}-[A-Z0-9-]+")
_BLOCKED: Final = re.compile(
    r"\b(?:is|are|was|remains?|stays?) (?:currently |still |now )?"
    r"(?:blocked|refused|not (?:allowed|available|eligible|possible|permitted))\b"
    r"|\b(?:cannot|can't|can not|could not|couldn't|unable to) (?:be )?(?:recover|restart|retr|start|verif|complet)",
    re.IGNORECASE,
)
_DONE: Final = re.compile(
    r"\b(?:re-?started|started|recovered|resumed|(?:active|running|open) again|under way)\b", re.IGNORECASE
)
_TAKEN_BACK: Final = re.compile(r"\b(?:no|not|never|cannot|unable|when|until|unless|if)\b|n't\b", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[.,;:!?\n]|\b(?:and|but|though|since|because)\b", re.IGNORECASE)
_RECORDED_REASON: Final = re.compile(
    r"\bpaid\b|(?<![\w-])\d[\d.,]*(?!\w)|\d{4}-\d\d-\d\d|\blimit\b|\battempts\b", re.IGNORECASE
)
_MAX_CHARS: Final = 20_000
"""Characters of an answer that are looked at."""
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")


def fault_of_sku(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject a SKU whose own record is not the one that is cited.

    The SKU of a line of a basket, payment or return that the request names stands in that record, and a choice among
    products rests on all of them.
    """
    if submission.outcome != OK or not request_kinds.find(request_kinds.SKU_WANTED, case.instruction):
        return ""
    if named_ids(case.instruction) or request_kinds.find(request_kinds.SEVERAL, case.instruction):
        return ""
    answer = submission.answer_text.strip()
    ids = [id_of(path) for path in cited(submission, Kind.PRODUCT)]
    if not _SKU.fullmatch(answer) or ids == [answer]:
        return ""
    if not ids:
        known = shop_evidence.touched_ids(evidence, Kind.PRODUCT).get(answer, "it")
        return f"The record of {answer[:60]} is not cited: cite {known}."
    return f"The answer is {answer[:60]}, but {', '.join(ids[:6])} is cited: cite the record of that SKU alone."


def fault_of_candidates(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject a question between products that does not name each candidate in its text and in its citations."""
    if submission.outcome != CLARIFICATION or not request_kinds.find(request_kinds.SKU_WANTED, case.instruction):
        return ""
    ids = [id_of(path) for path in cited(submission, Kind.PRODUCT)]
    if len(ids) < 2:
        return (
            f"A question between products cites every candidate, and {len(ids)} is cited: cite all that fit; "
            f"if only one does, answer {OK} with its SKU; if none does, answer {UNSUPPORTED}."
        )
    unnamed = [each for each in ids if each not in submission.answer_text]
    if unnamed:
        return f"The question cites {', '.join(unnamed[:6])} and does not name it: name the SKU of every candidate."
    return ""


def fault_of_blocked_verification(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject a blocked card verification that is told as an OK, or whose refusal does not tell what is recorded.

    With a trace, any word of the payment's record tells it, and an OK after a change is none of this rule's business;
    nor is one that tells of a restart, and besides of what cannot be done now or was blocked before.
    """
    if submission.outcome not in (OK, UNSUPPORTED) or not request_kinds.find(
        request_kinds.VERIFICATION, case.instruction
    ):
        return ""
    answer = submission.answer_text[:_MAX_CHARS]
    if submission.outcome == OK:
        if evidence.changes or _tells_of_a_restart(answer):
            return ""
        if not (_BLOCKED.search(answer) or answer.strip().isdigit()):
            return ""
        return f"The answer tells that the verification is blocked, or only a limit: that is {UNSUPPORTED}."
    if _DAY.search(answer) and not _INSTANT.search(answer):
        return "Tell the recorded time exactly as it is recorded, for example 2031-05-04T10:00:00Z."
    if _RECORDED_REASON.search(answer) or _tells_of_a_payment(answer, evidence):
        return ""
    return (
        "Tell why: the payment's recorded status, its attempt limit, or the exact time from which a retry is allowed."
    )


def _tells_of_a_restart(answer: str) -> bool:
    """Say whether a clause of the answer tells that it was restarted, without taking it back."""
    return any(_DONE.search(clause) and not _TAKEN_BACK.search(clause) for clause in _CLAUSE.split(answer))


def _tells_of_a_payment(answer: str, evidence: Evidence) -> bool:
    """Say whether a word of the answer, longer than three letters, stands in a payment that was read."""
    records = [evidence.touches[path] for path in shop_evidence.touched_ids(evidence, Kind.PAYMENT).values()]
    words = {word for word in re.findall(r"[\w-]{4,}", answer.lower()) if not word.startswith(("outcome", "pay"))}
    return any(touch.contains_any(words) for touch in records)


def fault_of_missing_product(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject a plain no to a wish for a product by its name alone, unless a reason says that nothing matches.

    Such a description is usually the product's own in other words; a no rests on a property that contradicts it.
    """
    if submission.outcome != OK or not request_kinds.find(request_kinds.EXISTENCE, case.instruction):
        return ""
    if (
        request_kinds.find(request_kinds.CONSTRAINT, case.instruction)
        or shop_evidence.says_yes(submission) is not False
    ):
        return ""
    if shop_evidence.reasons_say(submission, "no|none|nothing|not"):
        return ""
    return (
        "The wish names a product and no property that contradicts it: search again by brand, kind and size, for other "
        'words of the same thing; if nothing matches, say "no match" in the reason of a citation (of the document or '
        "listing that was searched)."
    )
