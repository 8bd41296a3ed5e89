"""Answers a rule's questions about a submission and the trial's evidence, in a shop's terms."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop.record_kinds import Kind, id_of, kind_of, records_of_kind
from gates.evidence import Evidence
from gates.submission import Submission
from gates.trial_facts import facts_of
from toolkit.text import yes_no_pair

_IDENTITY_TOOL: Final = "/bin/id"
_MAX_WORD_CHARS: Final = 200
_YES: Final = frozenset(("yes", "ja", "true", "oui"))
_NO: Final = frozenset(("no", "nein", "nee", "false", "non"))
_NUMBER: Final = re.compile(r"\D{0,20}(\d{1,6})\D{0,20}")


def cited_records(submission: Submission, kind: Kind) -> list[str]:
    """Return the cited records of a kind."""
    return records_of_kind(kind, submission.citations)


def stated_yes(submission: Submission, rules: str = "") -> bool | None:
    """Return whether the whole answer is a yes (True) or a no (False), by the workspace's own words if it has some.

    None for anything else.
    """
    pair = yes_no_pair(rules)
    if pair is not None and submission.answer_text.strip() in pair:
        return submission.answer_text.strip() == pair[0]
    letters = re.sub(r"[^a-z]", "", submission.answer_text[:_MAX_WORD_CHARS].lower())
    return True if letters in _YES else False if letters in _NO else None


def stated_number(submission: Submission) -> int | None:
    """Return the one number that the answer states, in a format or bare, or None."""
    found = _NUMBER.fullmatch(submission.answer_text.strip())
    return int(found[1]) if found else None


def reasons_mention(submission: Submission, words: str) -> bool:
    """Say whether a citation's reason holds one of `words` (a pattern), by which a submission can answer a rule."""
    reasons = submission.refs_why
    if not isinstance(reasons, dict):
        return False
    texts = (reason for reason in reasons.values() if isinstance(reason, str))
    return any(re.search(rf"\b(?:{words})\b", text, re.IGNORECASE) for text in texts)


def asker_is_staff(evidence: Evidence) -> bool:
    """Say whether the trace shows that the identity tool named an employee."""
    touch = evidence.find(_IDENTITY_TOOL).touch
    return touch is not None and touch.proves("employee")


def belongs_to_asker(evidence: Evidence, path: str) -> bool:
    """Say whether the record at `path`, as the trace shows it, names the signed-in user."""
    record = facts_of(evidence).records.get(path)
    mine = facts_of(evidence).signed_in
    return record is not None and any(value.casefold() in mine for _, value in record.last.all_values())


def read_records(evidence: Evidence, kind: Kind) -> dict[str, str]:
    """Return the paths of the records of a kind that the trial has touched, by id."""
    return {id_of(path): path for path in evidence.touches if "#" not in path and kind_of(path) is kind}


def has_read_any_record(evidence: Evidence) -> bool:
    """Say whether the trial has read a record of any kind."""
    return any(kind_of(path) is not None for path in evidence.touches)


def can_be_cited(kind: Kind, evidence: Evidence) -> bool:
    """Say whether the trial has read a record of this kind, or no record at all, so that one may exist."""
    return bool(read_records(evidence, kind)) or not has_read_any_record(evidence)
