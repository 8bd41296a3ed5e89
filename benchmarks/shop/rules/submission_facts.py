"""Facts about an answer and its trial that the shop's rules ask for.

For example: which products the answer cites, if it is a yes or a no, and which records the
trial has read. A submission is the answer with its citations. The evidence has the calls of
the trial and their results.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.benchmarks.shop.texts.yes_no_words import (
    NO_WORDS,
    YES_WORDS,
    certain_yes_no_words,
)
from controlplane.benchmarks.shop.workspace.kinds import Kind, kind_of
from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import record_id, split_fragment
from controlplane.gates.submission import Submission
from controlplane.gates.surrogates import encodable
from controlplane.gates.trial.accesses import Access

# What is cited ----------------------------------------------------------------------------------


def cited_records(submission: Submission, kind: Kind) -> list[str]:
    """Return the cited records of a kind, each once, without fragments."""
    records = []
    for path in submission.citations:
        if kind_of(path) is kind:
            records.append(split_fragment(path)[0])
    return list(dict.fromkeys(records))


_DOCUMENT: Final = None
"""What `kind_of` returns for a document. Only records have a kind."""
_KINDS_OF_SEARCHES: Final = frozenset((Kind.PRODUCT, Kind.BRANCH, _DOCUMENT))
"""The kinds of files that an answer cites if it searched for products."""


def products_found(submission: Submission, instruction: str) -> list[str]:
    """Return the cited products that the request does not name.

    The list is empty if the answer also cites a record that contains products, such as
    a basket or a receipt. Then the answer did not search for its products.
    """
    cited_kinds = {kind_of(path) for path in submission.citations}
    if not cited_kinds <= _KINDS_OF_SEARCHES:
        return []
    products = cited_records(submission, Kind.PRODUCT)
    return [path for path in products if record_id(path) not in instruction]


def reasons_mention(submission: Submission, words: str) -> bool:
    """Return True if the reason of a citation contains one of these words (a pattern)."""
    # The reasons by path, as the agent has written them. They may have any form.
    reasons = submission.refs_why
    if not isinstance(reasons, dict):
        return False
    for reason in reasons.values():
        if isinstance(reason, str) and re2.search(
            rf"(?i)\b(?:{words})\b", encodable(reason)
        ):
            return True
    return False


# What the answer states -------------------------------------------------------------------------

_BEGINNING_CHARS: Final = 200
"""The number of characters of an answer in which a yes or a no is searched."""


def stated_yes(submission: Submission, rules: str = "") -> bool | None:
    """Return True if the whole answer is a yes, False if it is a no, None otherwise.

    The workspace's own words are tried first: "answer `<YES>` or `<NO>`".
    """
    answer = submission.answer_text.strip()
    pair = certain_yes_no_words(rules)
    if pair is not None and answer in pair:
        return answer == pair.yes
    # Compare the letters alone, because a yes may be in a template or in quotation marks: `<Yes.>`.
    beginning = submission.answer_text[:_BEGINNING_CHARS].lower()
    letters = "".join(char for char in beginning if "a" <= char <= "z")
    if letters in YES_WORDS:
        return True
    if letters in NO_WORDS:
        return False
    return None


_FIRST_WORD: Final = re2.compile(r"(?i)\W{0,3}([a-z]+)\b")


def yes_or_no_at_start(submission: Submission) -> str:
    """Return `yes` or `no` if the answer begins with such a word: `Nein, 3.` -> `no`.

    Otherwise the result is empty. Unlike in `stated_yes`, more text may follow.
    """
    match = _FIRST_WORD.match(encodable(submission.answer_text[:_BEGINNING_CHARS]))
    word = match[1].lower() if match else ""
    if word in YES_WORDS:
        return "yes"
    if word in NO_WORDS:
        return "no"
    return ""


_SHORT_TEXT: Final = r"\D{0,19}"
"""A few words or signs without digits, such as the `<COUNT:` of a template.

In a longer text, the number would be one fact among others.
"""
_SEPARATOR: Final = r"[^\pL\pN_-]"
"""A character that separates words: the number must not be a part of `AB-3`."""
_NUMBER: Final = re2.compile(
    rf"(?s)(?:{_SHORT_TEXT}{_SEPARATOR})?(\d{{1,6}})(?:{_SEPARATOR}{_SHORT_TEXT})?"
)
"""An answer that is one number, perhaps in a template: `3`, `<COUNT:3>`."""


def stated_number(submission: Submission) -> int | None:
    """Return the only number in an answer, bare or in a template; None for other answers.

    `<COUNT:3>` -> 3. `FALSE(0)` is a no and not a number.
    """
    if yes_or_no_at_start(submission):
        return None
    match = _NUMBER.fullmatch(encodable(submission.answer_text.strip()))
    return int(match[1]) if match else None


# What the trial has read ------------------------------------------------------------------------


IDENTITY_TOOL: Final = "/bin/id"


def identity_output(evidence: Evidence) -> Access | None:
    """Return the output of the identity tool; None if the trial has not run it.

    Only this output proves who asks: `output.proves("employee")`.
    """
    return evidence.find(IDENTITY_TOOL).access


def asker_is_staff(evidence: Evidence) -> bool:
    """Return True if the trial ran the identity tool and it named an employee (staff)."""
    identity = identity_output(evidence)
    return identity is not None and identity.proves("employee")


def read_records(evidence: Evidence, kind: Kind) -> dict[str, str]:
    """Return the paths of the records of a kind that the trial has read, by id."""
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

    If the evidence has no record at all, it is not known which ones the trial has read.
    """
    has_read_one = bool(read_records(evidence, kind))
    are_records_unknown = not has_read_any_record(evidence)
    return has_read_one or are_records_unknown
