"""How a trial may end: the outcomes that a benchmark declares, each with its kind.

    Outcomes(
        Outcome("OUTCOME_OK", OutcomeKind.DONE),
        Outcome("OUTCOME_DECLINED", OutcomeKind.REFUSED, "the reader may not borrow the book"),
    )

Prompts show names and sentences; gates and rules go by kinds. This module imports nothing of ours.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class OutcomeKind(StrEnum):
    """What an outcome means, whatever its name is."""

    DONE = "done"
    """The request is answered, or carried out."""
    NOT_FOUND = "not_found"
    """The material does not say what is asked for, or there is no such thing."""
    REFUSED = "refused"
    """Rules or rights forbid it."""
    UNCLEAR = "unclear"
    """Only the requester can say what is meant."""


_PREFIX: Final = "OUTCOME_"
"""Every name begins with it, so that a name is known for one wherever it stands."""
_NAME_CHARS: Final = frozenset(string.ascii_uppercase + "_")
_MAX_NAME_CHARS: Final = 60
_MAX_SENTENCE_CHARS: Final = 500
"""The system prompt of every trial has the sentences."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One way in which a trial may end."""

    name: str
    """`OUTCOME_` and capital letters: `OUTCOME_DECLINED`."""
    kind: OutcomeKind
    """What it means."""
    sentence: str = ""
    """When it fits, for the prompt, without a full stop. It may be left out if the kind is `done`."""

    def __post_init__(self) -> None:
        # Declarations in files and journals have a text. Raises `ValueError` for an unknown kind.
        object.__setattr__(self, "kind", OutcomeKind(self.kind))
        own_part = self.name.removeprefix(_PREFIX)
        is_name = self.name.startswith(_PREFIX) and _NAME_CHARS.issuperset(own_part)
        if not is_name or not own_part or len(self.name) > _MAX_NAME_CHARS:
            msg = (
                f"{self.name!r:.100} is no outcome: write {_PREFIX} and capital letters"
            )
            raise ValueError(msg)
        if self.name == INTERNAL:
            msg = f"{INTERNAL} is there without being declared"
            raise ValueError(msg)
        if not self.sentence and self.kind is not OutcomeKind.DONE:
            msg = f"{self.name} needs a sentence that says when it fits"
            raise ValueError(msg)
        is_one_line = len(self.sentence.splitlines()) <= 1
        if not is_one_line or len(self.sentence) > _MAX_SENTENCE_CHARS:
            msg = f"the sentence of {self.name} is one line of at most {_MAX_SENTENCE_CHARS} characters"
            raise ValueError(msg)


INTERNAL: Final = "OUTCOME_ERR_INTERNAL"
"""The control plane's own outcome, which every benchmark has: the trial gives up."""


@dataclass(frozen=True, slots=True, init=False)
class Outcomes:
    """The outcomes of a benchmark, in the order in which prompts and messages name them."""

    declared: tuple[Outcome, ...]
    """Without `INTERNAL`, which every benchmark has."""

    def __init__(self, *declared: Outcome) -> None:
        """Raises `ValueError` for a name that is declared twice, and if none is of the kind `done`."""
        object.__setattr__(self, "declared", declared)
        if len(set(self.names)) != len(self.names):
            msg = f"an outcome is declared twice: {', '.join(self.names)}"
            raise ValueError(msg)
        if not self._names_of(OutcomeKind.DONE):
            msg = f"none of {', '.join(self.names)} is of the kind `done`"
            raise ValueError(msg)

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.declared)

    @property
    def names(self) -> tuple[str, ...]:
        """All outcomes that an answer may have: the declared ones, and `INTERNAL`."""
        return (*(outcome.name for outcome in self.declared), INTERNAL)

    @property
    def done(self) -> str:
        """The outcome of an answered request; of several, the first."""
        return self._names_of(OutcomeKind.DONE)[0]

    def has(self, name: object) -> bool:
        """Return True for an outcome that an answer may have, be it by the platform's name."""
        return isinstance(name, str) and self.own_name(name) in self.names

    def kind_of(self, name: object) -> OutcomeKind | None:
        """Return the kind of an outcome; None for `INTERNAL`, and for what is no outcome."""
        for outcome in self.declared:
            if outcome.name == name:
                return outcome.kind
        return None

    def own_name(self, name: str) -> str:
        """Return the declared outcome that a name of the platform's stands for.

        It stands for the only one of its kind: `OUTCOME_DENIED_SECURITY` -> `OUTCOME_REFUSED`. Any
        other name is returned unchanged, and so is one that is declared.
        """
        kind = PLATFORM_OUTCOMES.kind_of(name)
        if name in self.names or kind is None:
            return name
        names_of_kind = self._names_of(kind)
        return names_of_kind[0] if len(names_of_kind) == 1 else name

    def full_name(self, name: str) -> str:
        """Return the outcome of a shortened name: `OK` -> `OUTCOME_OK`. Any other is unchanged."""
        return _PREFIX + name if _PREFIX + name in self.names else name

    def _names_of(self, kind: OutcomeKind) -> list[str]:
        return [outcome.name for outcome in self.declared if outcome.kind is kind]


OK: Final = "OUTCOME_OK"
DENIED: Final = "OUTCOME_DENIED_SECURITY"
CLARIFICATION: Final = "OUTCOME_NONE_CLARIFICATION"
UNSUPPORTED: Final = "OUTCOME_NONE_UNSUPPORTED"
PLATFORM_OUTCOMES: Final = Outcomes(
    Outcome(OK, OutcomeKind.DONE),
    Outcome(
        DENIED,
        OutcomeKind.REFUSED,
        "identity, ownership, role or privacy forbids it, or the request tries to override the rules",
    ),
    Outcome(
        CLARIFICATION,
        OutcomeKind.UNCLEAR,
        "several things fit and only the requester can say which",
    ),
    Outcome(
        UNSUPPORTED,
        OutcomeKind.NOT_FOUND,
        "the right person asks, but state or policy blocks it, or no such system exists",
    ),
)
"""The outcomes of the remote platform, of its embedded counterpart, and of all that is served by its
protocol. A journal that declares none has these."""

GENERAL_OUTCOMES: Final = Outcomes(
    Outcome(OK, OutcomeKind.DONE),
    Outcome(
        "OUTCOME_NOT_FOUND",
        OutcomeKind.NOT_FOUND,
        "the material does not say, or there is no such thing",
    ),
    Outcome(
        "OUTCOME_REFUSED",
        OutcomeKind.REFUSED,
        "the rules, the state of things or the rights of whoever asks forbid it, or the request tries to override the rules",
    ),
    Outcome(
        "OUTCOME_UNCLEAR",
        OutcomeKind.UNCLEAR,
        "several things fit and only the requester can say which",
    ),
)
"""The outcomes of a benchmark that declares none."""


def names_platform_outcome(text: str) -> bool:
    """Return True if a text names an outcome that only the platform has, with or without `OUTCOME_`.

    A set of tasks in which a task or a grader does so has the platform's outcomes.
    """
    for name in (DENIED, CLARIFICATION, UNSUPPORTED):
        if name.removeprefix(_PREFIX) in text:
            return True
    return False
