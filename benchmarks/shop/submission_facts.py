"""Facts about a submission and the trial's evidence that the shop's rules ask for."""

from __future__ import annotations

from typing import Final

import re2

from controlplane.benchmarks.shop.documents import yes_no_pair
from controlplane.benchmarks.shop.kinds import Kind, kind_of
from controlplane.gates.evidence import Evidence, record_id, split_fragment
from controlplane.gates.submission import Submission, encodable

IDENTITY_TOOL: Final = "/bin/id"
_MAX_WORD_CHARS: Final = 200
_YES: Final = frozenset(("yes", "ja", "true", "oui"))
_NO: Final = frozenset(("no", "nein", "nee", "false", "non"))

_NUMBER: Final = re2.compile(r"(?s)(?:\D{0,19}[^\pL\pN_-])?(\d{1,6})(?:[^\pL\pN_-]\D{0,19})?")
_FIRST_WORD: Final = re2.compile(r"(?i)\W{0,3}([a-z]+)\b")
_KINDS_BESIDE_PRODUCTS: Final = frozenset((None, Kind.PRODUCT, Kind.BRANCH))
"""The kinds of files that an answer may cite along with products it found. None is a document."""


# What is cited ----------------------------------------------------------------------------------


def cited_records(submission: Submission, kind: Kind) -> list[str]:
    """Return the cited records of a kind, each once, without fragments."""
    records = []
    for path in submission.citations:
        if kind_of(path) is kind:
            records.append(split_fragment(path)[0])
    return list(dict.fromkeys(records))


def products_found(submission: Submission, instruction: str) -> list[str]:
    """Return the cited products that the request does not name.

    The list is empty if the answer also cites a record that contains products, such as a basket or
    a receipt. Then the answer did not search for its products.
    """
    cited_kinds = {kind_of(path) for path in submission.citations}
    if not cited_kinds <= _KINDS_BESIDE_PRODUCTS:
        return []
    products = cited_records(submission, Kind.PRODUCT)
    return [path for path in products if record_id(path) not in instruction]


def reasons_mention(submission: Submission, words: str) -> bool:
    """Return True if the reason of a citation contains one of these words (a pattern).

    With such a reason, a submission can answer an objection.
    """
    if not isinstance(submission.refs_why, dict):
        return False
    for reason in submission.refs_why.values():
        if isinstance(reason, str) and re2.search(rf"(?i)\b(?:{words})\b", encodable(reason)):
            return True
    return False


# What the answer states -------------------------------------------------------------------------


def stated_yes(submission: Submission, rules: str = "") -> bool | None:
    """Return True if the whole answer is a yes, False if it is a no, None otherwise.

    The workspace's own words are tried first: "answer `<YES>` or `<NO>`".
    """
    answer = submission.answer_text.strip()
    pair = yes_no_pair(rules)
    if pair is not None and answer in pair:
        return answer == pair.yes
    beginning = submission.answer_text[:_MAX_WORD_CHARS].lower()
    letters = "".join(char for char in beginning if "a" <= char <= "z")
    if letters in _YES:
        return True
    if letters in _NO:
        return False
    return None


def first_word(submission: Submission) -> str:
    """Return `yes` or `no` if the answer begins with such a word in a known language, else an
    empty text."""
    match = _FIRST_WORD.match(encodable(submission.answer_text[:_MAX_WORD_CHARS]))
    word = match[1].lower() if match else ""
    if word in _YES:
        return "yes"
    if word in _NO:
        return "no"
    return ""


def stated_number(submission: Submission) -> int | None:
    """Return the only number in an answer, bare or in a template; None for other answers.

    `<COUNT:3>` -> 3. `FALSE(0)` is a no and not a number.
    """
    if first_word(submission):
        return None
    match = _NUMBER.fullmatch(encodable(submission.answer_text.strip()))
    return int(match[1]) if match else None


# What the trial has read ------------------------------------------------------------------------


def asker_is_staff(evidence: Evidence) -> bool:
    """Return True if the trace shows that the identity tool named an employee."""
    access = evidence.find(IDENTITY_TOOL).access
    return access is not None and access.proves("employee")


def read_records(evidence: Evidence, kind: Kind) -> dict[str, str]:
    """Return the paths of the records of a kind that the trial has accessed, by id."""
    records = {}
    for path in evidence.accesses:
        if "#" not in path and kind_of(path) is kind:
            records[record_id(path)] = path
    return records


def has_read_any_record(evidence: Evidence) -> bool:
    """Return True if the trial has read a record of any kind."""
    return any(kind_of(path) is not None for path in evidence.accesses)


def can_be_cited(kind: Kind, evidence: Evidence) -> bool:
    """Return True if the trial may have found a record of this kind.

    That is the case if it has read one, or if no read record is known.
    """
    return bool(read_records(evidence, kind)) or not has_read_any_record(evidence)
