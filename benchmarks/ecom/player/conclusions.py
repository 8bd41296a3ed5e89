"""How a trial is to end: what is done, what is said, what is cited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from benchmarks.ecom.player.known import Known, Record

OK: Final = "OUTCOME_OK"
DENIED: Final = "OUTCOME_DENIED_SECURITY"
CLARIFICATION: Final = "OUTCOME_NONE_CLARIFICATION"
UNSUPPORTED: Final = "OUTCOME_NONE_UNSUPPORTED"


@dataclass(frozen=True, slots=True)
class Deed:
    """One change: `execute` a tool, `write` a file or `delete` one."""

    action: str
    path: str
    args: tuple[str, ...] = ()
    content: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """What must be found once the deeds are done: a value in a record's field (dotted), or a file's whole text."""

    path: str
    value: object
    field: str = ""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The end of a trial."""

    message: str
    outcome: str
    citations: Mapping[str, str]
    """Path to the reason for citing it."""
    deeds: tuple[Deed, ...] = ()
    proof: Proof | None = None
    tokens: tuple[str, ...] = ()
    """Strings that the message must hold."""


def denied(known: Known, why: str) -> Conclusion:
    """Return a refusal under the security rules: nothing is shown, done or cited beyond them."""
    return Conclusion(why, DENIED, known.because("security"))


def asked_back(known: Known, question: str, candidates: list[Record], *documents: str) -> Conclusion:
    """Return a question between candidates, all of which are cited."""
    return Conclusion(question, CLARIFICATION, {**cited(*candidates), **known.because(*documents)})


def which_product(known: Known, candidates: list[Record]) -> Conclusion:
    """Return the question which of several products is meant."""
    skus = " or ".join(each.text("sku") for each in candidates)
    return asked_back(known, f"Which one do you mean: {skus}?", candidates, "catalogue")


def cited(*records: Record | None) -> dict[str, str]:
    """Return records with the reason for citing each: the names and ids that its file holds."""
    return {each.path: _reason(each) for each in records if each is not None}


def _reason(record: Record) -> str:
    told = [record.text(field) for field in ("sku", "id", "name", "display_name", "status") if field in record.data]
    return f"record of {', '.join(told)}" if told else f"what {record.path.rsplit('/', 1)[1]} holds"
