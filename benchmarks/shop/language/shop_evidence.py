"""Answers a rule's questions about a submission and the trial's evidence, in a shop's terms."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop.language.record_kinds import Kind, id_of, kind_of, records_of_kind
from gates import OUTCOMES, Submission
from gates.types import Evidence, reason_tokens
from toolkit.text import yes_no_pair

OK, DENIED, CLARIFICATION, UNSUPPORTED, _ = OUTCOMES
_IDENTITY_TOOL: Final = "/bin/id"
_MAX_WORD_CHARS: Final = 200
_SHOWN: Final = 3
_YES: Final = frozenset(("yes", "ja", "true", "oui"))
_NO: Final = frozenset(("no", "nein", "nee", "false", "non"))


def cited_records(submission: Submission, kind: Kind) -> list[str]:
    """Return the cited records of a kind."""
    return records_of_kind(kind, submission.citations)


def stated_yes(submission: Submission, rules: str = "") -> bool | None:
    """Return whether the whole answer is a yes (True) or a no (False), by the workspace's own words if it has some.

    None for anything else.
    """
    words = yes_no_pair(rules)
    if words is not None and submission.answer_text.strip() in words:
        return submission.answer_text.strip() == words[0]
    letters = re.sub(r"[^a-z]", "", submission.answer_text[:_MAX_WORD_CHARS].lower())
    return True if letters in _YES else False if letters in _NO else None


def stated_number(submission: Submission) -> int | None:
    """Return the one number that the answer states, in a format or bare, or None."""
    found = re.fullmatch(r"[^\d]{0,20}(\d{1,6})[^\d]{0,20}", submission.answer_text.strip())
    return int(found[1]) if found else None


def reasons_mention(submission: Submission, words: str) -> bool:
    """Say whether a citation's reason holds one of `words` (a pattern), by which a submission can answer a rule."""
    reasons = submission.refs_why
    if not isinstance(reasons, dict):
        return False
    return any(
        isinstance(each, str) and re.search(rf"\b(?:{words})\b", each, re.IGNORECASE) for each in reasons.values()
    )


def asker_is_staff(evidence: Evidence) -> bool:
    """Say whether the trace shows that the identity tool named an employee."""
    touch = evidence.find(_IDENTITY_TOOL).touch
    return touch is not None and touch.proves_any({"employee"})


def asker(evidence: Evidence) -> str:
    """Return the customer that the identity tool named, as an index term, or an empty string."""
    touch = evidence.find(_IDENTITY_TOOL).touch
    if touch is None:
        return ""
    shown = (term for seen in touch.seen if seen.is_proof for term in reason_tokens(seen.text))
    return min((term for term in shown if re.fullmatch(r"cust[-_]\d+", term)), default="")


def belongs_to_asker(evidence: Evidence, path: str) -> bool:
    """Say whether the record at `path`, as the trace shows it, names the signed-in customer."""
    touch = evidence.find(path).touch
    return touch is not None and touch.proves_any({asker(evidence)})


def read_records(evidence: Evidence, kind: Kind) -> dict[str, str]:
    """Return the paths of the records of a kind that the trial has touched, by id."""
    return {id_of(path): path for path in evidence.touches if "#" not in path and kind_of(path) is kind}


def has_read_any_record(evidence: Evidence) -> bool:
    """Say whether the trial has read a record of any kind."""
    return any(read_records(evidence, kind) for kind in Kind)


def can_be_cited(kind: Kind, evidence: Evidence) -> bool:
    """Say whether the trial has read a record of this kind, or no record at all, so that one may exist."""
    return bool(read_records(evidence, kind)) or not has_read_any_record(evidence)


def note_of_read_paths(evidence: Evidence, kind: Kind) -> str:
    """Return a note for a message on the records of a kind that the trial has read; empty without a trace."""
    if not evidence.has_trace:
        return ""
    found = list(read_records(evidence, kind).values())
    if not found:
        return " (none was read: find it and read it)"
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f" (read: {', '.join(found[:_SHOWN])}{more})"
