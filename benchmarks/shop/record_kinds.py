"""The kinds of record in a shop's workspace, by path; the ids in a text; and the evidence of a trial about both."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final

from gates.evidence import Evidence
from gates.paths import base_name, split_fragment
from gates.submission import Submission
from gates.trial_facts import facts_of
from toolkit.text import yes_no_pair


class Kind(StrEnum):
    """A kind of record; its value is the word that findings, answers and messages use."""

    PRODUCT = "product"
    BRANCH = "branch"
    BASKET = "basket"
    PAYMENT = "payment"
    RETURN = "return"
    EMPLOYEE = "employee"
    UPLOAD = "upload"

    @property
    def record(self) -> str:
        """The name of such a file in messages."""
        return "uploaded file" if self is Kind.UPLOAD else f"{self} record"


RECORD_KINDS: Final = tuple(kind for kind in Kind if kind is not Kind.UPLOAD)
"""Kinds that the records of a workspace have."""
_FOLDERS: Final = (
    (Kind.UPLOAD, re.compile(r"^/(?:uploads?|storage)/", re.IGNORECASE)),
    (Kind.PAYMENT, re.compile(r"^/proc/(?:[^/]+/)?(?:payments?(?:-[a-z]+)?|ledger|settlements)/", re.IGNORECASE)),
    (Kind.RETURN, re.compile(r"^/proc/returns?(?:-[a-z]+)?/", re.IGNORECASE)),
    (Kind.PRODUCT, re.compile(r"^/proc/(?:catalog(?:ue)?|products?|prod|assortment|articles)/", re.IGNORECASE)),
    (Kind.BRANCH, re.compile(r"^/proc/(?:locations|stores|branches|outlets)/", re.IGNORECASE)),
    (Kind.BASKET, re.compile(r"^/proc/(?:carts|baskets|orders)/", re.IGNORECASE)),
    (Kind.EMPLOYEE, re.compile(r"^/proc/(?:staff|employees)/", re.IGNORECASE)),
)
_NAMES: Final = (
    (Kind.BASKET, re.compile(r"(?:basket|cart)[-_]", re.IGNORECASE)),
    (Kind.PAYMENT, re.compile(r"pay(?:ment)?[-_]", re.IGNORECASE)),
    (Kind.RETURN, re.compile(r"(?:return|rma|ret)[-_]", re.IGNORECASE)),
    (Kind.EMPLOYEE, re.compile(r"emp(?:loyee)?[-_]", re.IGNORECASE)),
    (Kind.BRANCH, re.compile(r"(?:store|branch)[-_]", re.IGNORECASE)),
    (Kind.PRODUCT, re.compile(r"[A-Z]{2,4}-[A-Z0-9]{3}[A-Z0-9-]*\.")),
)
_NAMED: Final = re.compile(r"\b(?:basket|pay|payment|return|rma|ret)[-_]\d+\b", re.IGNORECASE)
_SKU: Final = re.compile(r"\b(?!(?:DD|MM|TT|UTF|ISO|DIN|SHA|TLS|EUR|DO)-)[A-Z]{2,3}-[A-Z0-9]+(?:-[A-Z0-9]+)+\b")
_TEMPORARY: Final = re.compile(r"/tmp/[\w./-]*\w")
RULED_OUT: Final = re.compile(rf"\b(?i:not|except(?: for)?|excluding|besides|other than|without)\s+({_SKU.pattern})")


@lru_cache(maxsize=4_096)
def kind_of(path: str) -> Kind | None:
    """Return the kind of record at `path`; None for documents, tools and everything else.

    The form of the id decides, whatever the folders' names; if the id has another form, the folder decides.
    """
    name = base_name(split_fragment(path)[0]) if path.startswith("/proc/") else ""
    named = next((kind for kind, beginning in _NAMES if beginning.match(name)), None)
    return named or next((kind for kind, folder in _FOLDERS if folder.match(path)), None)


def id_of(path: str) -> str:
    """Return the id of a record: its file name without the extension."""
    return base_name(split_fragment(path)[0]).rpartition(".")[0]


def temporary_folder(text: str) -> str:
    """Return the one directory of temporary files that `text` names, or an empty string for none or several."""
    found = {path.rstrip(".") for path in _TEMPORARY.findall(text)}
    only = found.pop() if len(found) == 1 else ""
    return "" if "." in base_name(only) else only


@lru_cache(maxsize=64)
def named_ids(text: str) -> tuple[str, ...]:
    """Return the ids of baskets, payments and returns that `text` names, in lower case as in records."""
    return tuple(dict.fromkeys(found.lower() for found in _NAMED.findall(text)))


def skus_in(text: str) -> list[str]:
    """Return the SKUs that `text` names."""
    return list(dict.fromkeys(_SKU.findall(text)))


_IDENTITY_TOOL: Final = "/bin/id"
_MAX_WORD_CHARS: Final = 200
_YES: Final = frozenset(("yes", "ja", "true", "oui"))
_NO: Final = frozenset(("no", "nein", "nee", "false", "non"))
_NUMBER: Final = re.compile(r"\D{0,20}(?<![\w-])(\d{1,6})(?![\w-])\D{0,20}")
_FIRST_WORD: Final = re.compile(r"\W{0,3}([a-z]+)\b", re.IGNORECASE)
_COUNTED_BESIDE: Final = frozenset((None, Kind.PRODUCT, Kind.BRANCH))


def cited_records(submission: Submission, kind: Kind) -> list[str]:
    """Return the cited records of a kind, each once, without fragments."""
    return list(dict.fromkeys(split_fragment(path)[0] for path in submission.citations if kind_of(path) is kind))


def stated_yes(submission: Submission, rules: str = "") -> bool | None:
    """Return True if the whole answer is a yes, and False if it is a no, by the workspace's own words if it has some.

    Return None for any other answer.
    """
    pair = yes_no_pair(rules)
    if pair is not None and submission.answer_text.strip() in pair:
        return submission.answer_text.strip() == pair[0]
    letters = re.sub(r"[^a-z]", "", submission.answer_text[:_MAX_WORD_CHARS].lower())
    return True if letters in _YES else False if letters in _NO else None


def first_word(submission: Submission) -> str:
    """Return `yes` or `no` if the answer begins with such a word, in any of the known languages; else nothing."""
    found = _FIRST_WORD.match(submission.answer_text[:_MAX_WORD_CHARS])
    word = found[1].lower() if found else ""
    return "yes" if word in _YES else "no" if word in _NO else ""


def stated_number(submission: Submission) -> int | None:
    """Return the one number that the answer states, in a format or bare, or None; `FALSE(0)` states a no."""
    found = None if first_word(submission) else _NUMBER.fullmatch(submission.answer_text.strip())
    return int(found[1]) if found else None


def products_found(submission: Submission, instruction: str) -> list[str]:
    """Return the cited products that the request does not name; none if records of kinds that hold products are cited,
    such as a basket or a receipt, because these are not found by what was asked."""
    if not {kind_of(path) for path in submission.citations} <= _COUNTED_BESIDE:
        return []
    return [path for path in cited_records(submission, Kind.PRODUCT) if id_of(path) not in instruction]


def reasons_mention(submission: Submission, words: str) -> bool:
    """Say whether a citation's reason holds one of `words` (a pattern), with which a submission can answer a rule."""
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
    return record is not None and any(value.casefold() in mine for _, value in record[-1].all_values())


def read_records(evidence: Evidence, kind: Kind) -> dict[str, str]:
    """Return the paths of the records of a kind that the trial has touched, by id."""
    return {id_of(path): path for path in evidence.touches if "#" not in path and kind_of(path) is kind}


def has_read_any_record(evidence: Evidence) -> bool:
    """Say whether the trial has read a record of any kind."""
    return any(kind_of(path) is not None for path in evidence.touches)


def can_be_cited(kind: Kind, evidence: Evidence) -> bool:
    """Say whether the trial has read a record of this kind, or no record at all, so that one may exist."""
    return bool(read_records(evidence, kind)) or not has_read_any_record(evidence)
