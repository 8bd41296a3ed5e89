"""What a rule returns about a submission, its opinion, and the faults that it names.

"12 + 4 is not 21."                            a fault; a list has several
Objection(demands=("/docs/a.md",), …)          a fault if this path is not cited
Inapplicable("nothing is cited")               the rule cannot judge
None                                           no fault
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from controlplane.gates.quoting import quote_some


@dataclass(frozen=True, slots=True)
class Objection:
    """What a rule returns about citations: which ones the answer needs, and must not have.

    A path that any rule demands is allowed, even if another rule forbids it.
    """

    demands: tuple[str, ...] = ()
    """The paths that the answer has to cite. It may cite some of them already."""
    missing_message: str = ""
    """What the model is told if some are not cited: "{paths} is not cited."."""
    forbids: tuple[str, ...] = ()
    """Paths that the answer should not cite."""
    surplus_message: str = ""
    """What the model is told if some are cited: "{paths} is about something else."."""


@dataclass(frozen=True, slots=True)
class Inapplicable:
    """What a rule returns if it cannot judge, with the reason."""

    why: str


Opinion: TypeAlias = str | Sequence[str] | Objection | Inapplicable | None
"""What a rule returns: one fault or several, an `Objection` to citations, or `Inapplicable`.

None, an empty text and an empty list mean that there is no fault.
"""


def faults_of(
    opinion: Opinion, cited: frozenset[str], demanded: frozenset[str]
) -> list[str]:
    """Return the faults that an opinion names; empty for None and `Inapplicable`.

    `cited` are the paths that the submission cites, and `demanded` those that any rule demands.
    Both matter only for an `Objection`.
    """
    match opinion:
        case None | Inapplicable():
            return []
        case Objection():
            return _faults_of_citations(opinion, cited, demanded)
        case str():
            faults: Sequence[str] = [opinion]
        case _:
            faults = opinion
    # A user's own rule may return anything.
    return [fault for fault in faults if isinstance(fault, str) and fault]


def _faults_of_citations(
    objection: Objection, cited: frozenset[str], demanded: frozenset[str]
) -> list[str]:
    """Return the faults of the citations: demanded ones that are missing, and forbidden ones.

    A path that another rule demands may be cited even if this rule forbids it.
    """
    missing = [path for path in _unique(objection.demands) if path not in cited]
    forbidden = [
        path
        for path in _unique(objection.forbids)
        if path in cited and path not in demanded
    ]

    # Each message has a place for the paths: "{paths} is not cited."
    faults: list[str] = []
    if missing:
        faults.append(objection.missing_message.replace("{paths}", quote_some(missing)))
    if forbidden:
        faults.append(
            objection.surplus_message.replace("{paths}", quote_some(forbidden))
        )
    return faults


def _unique(paths: Iterable[str]) -> list[str]:
    """Return paths in their order, each once."""
    return list(dict.fromkeys(paths))
