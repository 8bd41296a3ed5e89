"""Submissions as data, the probe of a script's `verify`, and the case that a submission answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from gates.plain_data import Foreign, Plain, PlainCopier, describe, quote

OUTCOMES: Final = (
    "OUTCOME_OK",
    "OUTCOME_DENIED_SECURITY",
    "OUTCOME_NONE_CLARIFICATION",
    "OUTCOME_NONE_UNSUPPORTED",
    "OUTCOME_ERR_INTERNAL",
)
OK, DENIED, CLARIFICATION, UNSUPPORTED, INTERNAL = OUTCOMES
REFUSALS: Final = (DENIED, CLARIFICATION, UNSUPPORTED)
_SCRATCHPAD_KEYS: Final = ("answer", "outcome", "refs_why", "facts", "tokens", "changes")
"""The scratchpad keys that make up a script's submission."""
SUBMITTED_KEYS: Final = (*_SCRATCHPAD_KEYS, "refs")
MIN_REASON_CHARS: Final = 8


class ProbeReply(Protocol):
    """The claim that one call of `verify` made."""

    @property
    def says_yes(self) -> bool: ...

    @property
    def error(self) -> str: ...


class Probe(Protocol):
    """Calls the `verify` of a submission, which stays in the script's process."""

    @property
    def is_callable(self) -> bool: ...

    @property
    def takes_one_argument(self) -> bool: ...

    @property
    def ask(self) -> Callable[[bool], ProbeReply]:
        """A function that calls it on the submitted scratchpad or, given True, with answer, outcome and refs blank."""
        ...


@dataclass(frozen=True, slots=True)
class Submission:
    """One submission. Construction copies every field into plain data, so that nobody can change it later.

    An unused field is None. A value that is not plain data becomes a `gates.plain_data.Foreign`.
    """

    answer: Plain = None
    outcome: Plain = None
    refs_why: Plain = None
    """A map of paths to reasons."""
    facts: Plain = None
    tokens: Plain = None
    changes: Plain = None
    refs: Plain = None
    """Citations without reasons, from a recorded answer or a solver that gives none; read only without `refs_why`."""
    probe: Probe | None = None
    from_script: bool = False
    citations: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The cited strings in their order; gate 3 reports citations that are not strings."""

    def __post_init__(self) -> None:
        copier = PlainCopier()
        for name in SUBMITTED_KEYS:
            object.__setattr__(self, name, copier.copy(getattr(self, name)))
        given = self.refs_why if self.refs_why is not None else self.refs
        cited = tuple(path for path in given if isinstance(path, str)) if isinstance(given, (dict, list)) else ()
        object.__setattr__(self, "citations", cited)

    @classmethod
    def from_scratchpad(cls, scratchpad: Mapping[str, object], probe: Probe | None) -> Submission:
        """Return a script's submission: the known keys of its scratchpad, and the probe of its `verify`."""
        held = dict.items(scratchpad) if isinstance(scratchpad, dict) else ()
        pad = {str.__str__(key): value for key, value in held if isinstance(key, str)}
        return cls(**{name: pad.get(name) for name in _SCRATCHPAD_KEYS}, probe=probe, from_script=True)

    @property
    def answer_text(self) -> str:
        """The answer if it is text, else an empty string; gate 6 reports an answer that is not text."""
        return self.answer if isinstance(self.answer, str) else ""


@dataclass(frozen=True, slots=True)
class Case:
    """The instruction that a submission answers, with the workspace's rules."""

    instruction: str
    rules: str = ""
    """The text of the workspace's rules document; empty if there is none or it is unknown."""
    rules_path: str = ""
    internal_errors_before: int = 0
    """Earlier submissions of this trial with `OUTCOME_ERR_INTERNAL`."""
    now: str = ""
    """The trial's clock in ISO 8601; empty if it is unknown."""


def fault_of_reason(path: str, reason: Plain) -> str:
    """Return the fault of a citation's reason that does not depend on what is at `path`, or an empty string."""
    if not isinstance(reason, str):
        what = "not text" if isinstance(reason, Foreign) else describe(reason)
        return f"The reason for {quote(path)} is {what}: say in words what was found there."
    if len(reason.strip()) < MIN_REASON_CHARS:
        return (
            f"The reason for {quote(path)} is {quote(reason)}, under {MIN_REASON_CHARS} characters: name what was "
            "found there."
        )
    return ""
