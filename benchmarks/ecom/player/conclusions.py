"""How a trial ends: the changes to make, the answer, and the citations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from benchmarks.ecom.player.knowledge import Knowledge, Record

OK: Final = "OUTCOME_OK"
DENIED: Final = "OUTCOME_DENIED_SECURITY"
CLARIFICATION: Final = "OUTCOME_NONE_CLARIFICATION"
UNSUPPORTED: Final = "OUTCOME_NONE_UNSUPPORTED"


@dataclass(frozen=True, slots=True)
class Change:
    """One change to make: `execute` a tool, or `write` or `delete` a file."""

    action: str
    path: str
    args: tuple[str, ...] = ()
    content: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """The text that a file must have after the changes."""

    path: str
    value: str


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The decision with which a trial ends."""

    message: str
    outcome: str
    citations: Mapping[str, str]
    """Path to the reason for citing it."""
    changes: tuple[Change, ...] = ()
    proof: Proof | None = None
    tokens: tuple[str, ...] = ()
    """Strings that the message must hold."""


def deny(known: Knowledge, why: str) -> Conclusion:
    """Return a refusal under the security rules, which cites them alone."""
    return Conclusion(why, DENIED, known.cite("security"))


def ask_between(known: Knowledge, question: str, candidates: list[Record], *documents: str) -> Conclusion:
    """Return a clarification that cites all candidates."""
    return Conclusion(question, CLARIFICATION, {**cite_records(*candidates), **known.cite(*documents)})


def ask_which_product(known: Knowledge, candidates: list[Record]) -> Conclusion:
    """Return a clarification between several products."""
    skus = " or ".join(each.text("sku") for each in candidates)
    return ask_between(known, f"Which one do you mean: {skus}?", candidates, "catalogue")


def cite_records(*records: Record | None) -> dict[str, str]:
    """Return the paths of records, each with a reason that names what its file holds."""
    return {each.path: _reason(each) for each in records if each is not None}


def _reason(record: Record) -> str:
    named = [record.text(field) for field in ("sku", "id", "name", "display_name", "status") if field in record.data]
    return f"record of {', '.join(named)}" if named else f"what {record.path.rsplit('/', 1)[1]} holds"
