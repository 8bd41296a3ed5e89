"""Rules on the text of an answer: what it must name, and what it must agree with."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop.language import request_kinds, shop_evidence
from benchmarks.shop.language.record_kinds import Kind, id_of, named_ids, skus_in, skus_ruled_out
from benchmarks.shop.language.shop_evidence import CLARIFICATION, OK, UNSUPPORTED, cited_records
from benchmarks.shop.rules.existence_questions import asks_existence
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
_NEGATION: Final = re.compile(r"\b(?:no|not|never|cannot|unable|when|until|unless|if)\b|n't\b", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[.,;:!?\n]|\b(?:and|but|though|since|because)\b", re.IGNORECASE)
_RECORDED_REASON: Final = re.compile(
    r"\bpaid\b|(?<![\w-])\d[\d.,]*(?!\w)|\d{4}-\d\d-\d\d|\blimit\b|\battempts\b", re.IGNORECASE
)
_PERCENT: Final = re.compile(r"(?<![\w.,])(\d{1,3})(?:\.0{1,2})? ?(?:%|percent\b)", re.IGNORECASE)
_BRANCH_NAMES: Final = re.compile(
    r"\b(?:branch|store|shop) names?\b|\bnames? of (?:\w+ ){0,3}(?:branch|store|shop)", re.IGNORECASE
)
_MOST_BRANCHES: Final = 50
_MAX_CHARS: Final = 20_000
"""How many characters of an answer are searched."""
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")


def fault_of_sku(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject a SKU whose own record is not the one product record cited.

    Does not apply if the request names a basket, payment or return, whose record may hold the SKU, or several products
    to choose among. Where it does not say that it wants a SKU, and names none, an answer that is one SKU and nothing
    else wants the record of that SKU, if what was read of the one product cited does not name it.
    """
    if submission.outcome != OK:
        return ""
    if not (request_kinds.SKU_WANTED.find(case.instruction) or _gives_sku_of_another(submission, evidence, case)):
        return ""
    if named_ids(case.instruction) or request_kinds.SEVERAL.find(case.instruction):
        return ""
    answer = submission.answer_text.strip()
    ruled_out = set(skus_ruled_out(case.instruction)) - {answer}
    ids = [name for path in cited_records(submission, Kind.PRODUCT) if (name := id_of(path)) not in ruled_out]
    if not _SKU.fullmatch(answer) or ids == [answer]:
        return ""
    if not ids:
        known = shop_evidence.read_records(evidence, Kind.PRODUCT).get(answer, "it")
        return f"The record of {answer[:60]} is not cited: cite {known}."
    return f"The answer is {answer[:60]}, but {', '.join(ids[:6])} is cited: cite the record of that SKU alone."


def _gives_sku_of_another(submission: Submission, evidence: Evidence, case: Case) -> bool:
    """Say whether an answer cites one product, whose record was read and does not hold the SKU that it gives."""
    cited = cited_records(submission, Kind.PRODUCT)
    touch = evidence.find(cited[0]).touch if len(cited) == 1 and not skus_in(case.instruction) else None
    return touch is not None and not touch.contains_any({submission.answer_text.strip().casefold()})


def fault_of_candidates(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject a clarification between products that does not name each candidate in its text and its citations."""
    if submission.outcome != CLARIFICATION or not request_kinds.SKU_WANTED.find(case.instruction):
        return ""
    ids = [id_of(path) for path in cited_records(submission, Kind.PRODUCT)]
    if len(ids) < 2:
        return (
            f"A question between products cites every candidate, and {len(ids)} is cited: read and cite all "
            f"that fit; where only one does, the answer is {OK} with its SKU; where none does, it is {UNSUPPORTED}."
        )
    unnamed = [each for each in ids if each not in submission.answer_text]
    if unnamed:
        return f"The question cites {', '.join(unnamed[:6])} and does not name it: name the SKU of every candidate."
    return ""


def fault_of_blocked_verification(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject a blocked card verification that is reported as OK, or whose refusal does not state what is recorded.

    With a trace, any word of the payment's record states it. Lets pass an OK after a change, and an OK that reports a
    restart, even if it also mentions what was blocked.
    """
    if submission.outcome not in (OK, UNSUPPORTED) or not request_kinds.VERIFICATION.find(case.instruction):
        return ""
    answer = submission.answer_text[:_MAX_CHARS]
    if submission.outcome == OK:
        if evidence.changes or _reports_a_restart(answer):
            return ""
        if not (_BLOCKED.search(answer) or answer.strip().isdigit()):
            return ""
        return f"The answer reports a blocked verification, or only a limit: that is {UNSUPPORTED}."
    if _DAY.search(answer) and not _INSTANT.search(answer):
        return "Give the recorded time exactly as it is recorded, for example 2031-05-04T10:00:00Z."
    if _RECORDED_REASON.search(answer) or _quotes_a_payment(answer, evidence):
        return ""
    return "Say why: name the payment's status, its attempt limit, or the exact time from which a retry is allowed."


def _reports_a_restart(answer: str) -> bool:
    """Say whether a clause of the answer reports a restart and holds no negation."""
    return any(_DONE.search(clause) and not _NEGATION.search(clause) for clause in _CLAUSE.split(answer))


def _quotes_a_payment(answer: str, evidence: Evidence) -> bool:
    """Say whether a payment that was read holds a word of the answer longer than three letters."""
    records = [evidence.touches[path] for path in shop_evidence.read_records(evidence, Kind.PAYMENT).values()]
    words = {word for word in re.findall(r"[\w-]{4,}", answer.lower()) if not word.startswith(("outcome", "pay"))}
    return any(touch.contains_any(words) for touch in records)


def fault_of_missing_product(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject a no to a request for a product by its name alone, unless a reason says that nothing matches.

    Such a request usually describes an existing product in other words; a no needs a contradicting property.
    """
    if submission.outcome != OK or not asks_existence(submission, evidence, case):
        return ""
    if request_kinds.CONSTRAINT.find(case.instruction) or shop_evidence.stated_yes(submission, case.rules) is not False:
        return ""
    if shop_evidence.reasons_mention(submission, "no|none|nothing|not"):
        return ""
    return (
        "The wish names a product and no property that contradicts it: search again by brand, kind and size, for other "
        "words of the same thing; a no cites what was searched, and names in the reason what it does not hold."
    )


def fault_of_other_percent(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject an OK to a discount of a named percentage whose answer names only others: it is given as asked, or not."""
    if submission.outcome != OK or not request_kinds.DISCOUNT.find(case.instruction):
        return ""
    asked = set(_PERCENT.findall(case.instruction))
    stated = set(_PERCENT.findall(submission.answer_text[:_MAX_CHARS]))
    if len(asked) != 1 or not stated or asked & stated:
        return ""
    return (
        f"{asked.pop()} percent were asked for, and the answer names another percentage: a discount is given as asked "
        f"or not at all; if it may not be given, the outcome is {UNSUPPORTED}."
    )


def fault_of_branch_names(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject names of branches that are but the last word of the cited records' ids, unless a record reads so."""
    records = {_joined(id_of(path)): path for path in cited_records(submission, Kind.STORE)}
    if submission.outcome != OK or not records or not _BRANCH_NAMES.search(case.instruction):
        return ""
    lines = [each.strip() for each in submission.answer_text[:_MAX_CHARS].split("\n") if each.strip()]
    if not 0 < len(lines) <= _MOST_BRANCHES:
        return ""
    for line in lines:
        path = next((path for name, path in records.items() if name.endswith(f"-{_joined(line)}")), "")
        if not path:
            return ""
        touch = evidence.find(path).touch
        if touch and any(f'"{line}"' in seen.text for seen in touch.seen):
            return ""
    return f"{lines[0][:60]} is a part of a branch's id: give each name in full, as its record has it."


def _joined(name: str) -> str:
    return re.sub(r"[\W_]+", "-", name.lower())
