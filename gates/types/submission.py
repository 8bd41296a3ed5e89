"""A submission as data, and what else a gate is given: the probe of its `verify` and the case it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from gates.types.plain_data import Plain, copy_plain

OUTCOMES: Final = (
    "OUTCOME_OK",
    "OUTCOME_DENIED_SECURITY",
    "OUTCOME_NONE_CLARIFICATION",
    "OUTCOME_NONE_UNSUPPORTED",
    "OUTCOME_ERR_INTERNAL",
)
OK, DENIED, CLARIFICATION, UNSUPPORTED, INTERNAL = OUTCOMES
REFUSALS: Final = (DENIED, CLARIFICATION, UNSUPPORTED)
_KEYS: Final = ("answer", "outcome", "refs_why", "facts", "tokens", "changes")
"""What a script hands in, by the keys of its scratchpad."""
HANDED_IN: Final = (*_KEYS, "refs")


class ProbeReply(Protocol):
    """What a call of `verify` claimed."""

    @property
    def says_yes(self) -> bool: ...

    @property
    def error(self) -> str: ...


class Probe(Protocol):
    """The `verify` that came with an answer; it stays where the script runs."""

    @property
    def is_callable(self) -> bool: ...

    @property
    def takes_one_argument(self) -> bool: ...

    @property
    def ask(self) -> Callable[[bool], ProbeReply]:
        """Call it with the scratchpad as submitted (False), or with answer, outcome and refs blanked (True)."""
        ...


@dataclass(frozen=True, slots=True)
class Submission:
    """What was handed in. Every field becomes a plain copy when it is made, so that nobody can change it later.

    A field that was not used is None. What is no data stands as `gates.types.plain_data.Foreign`.
    """

    answer: Plain = None
    outcome: Plain = None
    refs_why: Plain = None
    """A map of paths to reasons."""
    facts: Plain = None
    tokens: Plain = None
    changes: Plain = None
    refs: Plain = None
    """Citations without reasons, where there is no `refs_why`: recorded answers, or a solver without reasons."""
    probe: Probe | None = None
    from_script: bool = False
    citations: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The cited strings in their order; whatever is no string is left out here and reported by gate 3."""

    def __post_init__(self) -> None:
        for name in HANDED_IN:
            object.__setattr__(self, name, copy_plain(getattr(self, name)))
        given = self.refs_why if self.refs_why is not None else self.refs
        cited = tuple(each for each in given if isinstance(each, str)) if isinstance(given, (dict, list)) else ()
        object.__setattr__(self, "citations", cited)

    @classmethod
    def from_scratchpad(cls, scratchpad: Mapping[str, object], probe: Probe | None) -> Submission:
        """Return the submission of a script: the scratchpad's known keys, and its `verify`."""
        pad = copy_plain(scratchpad)
        known = pad if isinstance(pad, dict) else {}
        return cls(**{name: known.get(name) for name in _KEYS}, probe=probe, from_script=True)

    @property
    def answer_text(self) -> str:
        """The answer where it is text, else nothing; gate 6 reports an answer that is not."""
        return self.answer if isinstance(self.answer, str) else ""


@dataclass(frozen=True, slots=True)
class Case:
    """What the submission answers."""

    instruction: str
    rules: str = ""
    """The text of the workspace's rules document; empty where there is none or it is not known."""
    rules_path: str = ""
    internal_errors_before: int = 0
    """How many submissions of this trial with `OUTCOME_ERR_INTERNAL` were sent back before."""
