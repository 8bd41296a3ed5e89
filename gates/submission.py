"""What a script submits, a `Submission`, and the `Case` that it answers.

    scratchpad["answer"] = "7 EUR"
    scratchpad["outcome"] = "OUTCOME_OK"
    scratchpad.cite("/docs/fees.md", "the fee is 7 EUR")
    harness.answer(scratchpad, verify)

Gates and rules judge the submission (`verdicts.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from controlplane.gates.quoting import Plain, describe, plain_copy, quote
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.outcomes import (
    PLATFORM_OUTCOMES,
    OutcomeKind,
    Outcomes,
)

_SCRATCHPAD_KEYS: Final = (
    "answer",
    "outcome",
    "refs_why",
    "facts",
    "tokens",
    "changes",
)
"""What a script submits, by the keys of its scratchpad, the dictionary of its results."""
SUBMITTED_KEYS: Final = (*_SCRATCHPAD_KEYS, "refs")
"""All that may be submitted. A solver without scripts gives `refs` instead of `refs_why`."""


class _VerifyAnswer(NamedTuple):
    """The reply of a script's `verify`."""

    says_yes: bool
    error: str
    """The text of an exception or a time-out; empty if `verify` returned."""


class Probe(NamedTuple):
    """A handle for calling `verify`, the function with which a script checks its own answer.

    The function stays in the script's process.
    """

    is_callable: bool
    takes_one_argument: bool
    ask: Callable[[bool], tuple[bool, str]] = NotImplemented
    """Calls `verify`, and returns the parts of a `_VerifyAnswer`.

    `ask(False)` passes the submitted scratchpad, and `ask(True)` a blank copy. A worker process
    cannot reach the script: there, `ask` is `NotImplemented`.
    """

    def reply_to_submission(self) -> _VerifyAnswer:
        """Call `verify` with the submitted scratchpad, which it should accept."""
        return _VerifyAnswer(*self.ask(False))

    def reply_to_blank_copy(self) -> _VerifyAnswer:
        """Call `verify` with a copy without answer, outcome and citations: it should reject it."""
        return _VerifyAnswer(*self.ask(True))


@dataclass(frozen=True, slots=True)
class Submission:
    """What a script hands in: an answer, with the citations and facts that support it.

    All fields are copied into plain data, so that the script cannot change them afterwards. A
    field is None if it was not submitted, or is not plain data.
    """

    answer: Plain = None
    """The text of the answer: `7 EUR`."""
    outcome: Plain = None
    """One of the benchmark's outcomes, such as `OUTCOME_OK`."""
    refs_why: Plain = None
    """The citations with reasons: `{"/docs/fees.md": "the fee is 7 EUR"}`."""
    facts: Plain = None
    """What the script keeps as known: a map of names to facts (see `gates/checks/facts_gate.py`)."""
    tokens: Plain = None
    """Strings that the answer must contain by the script's own account: `["7 EUR"]`."""
    changes: Plain = None
    """What the script says that it changed: `["/loans/7.json", "mail.send"]`."""
    refs: Plain = None
    """Citations without reasons, as a list of paths. Used only if `refs_why` is None."""
    probe: Probe | None = None
    """Calls the script's `verify`; None for an answer without a script."""
    from_script: bool = False
    """True if a script that still runs submits this, so that its `verify` can be called."""
    citations: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The paths of `refs_why`, or else of `refs`, in order, without what is not a string."""

    def __post_init__(self) -> None:
        # A frozen class forbids `self.answer = ...` even here, but not `object.__setattr__`.
        for name in SUBMITTED_KEYS:
            object.__setattr__(self, name, plain_copy(getattr(self, name)))
        references = self.refs_why if self.refs_why is not None else self.refs
        object.__setattr__(self, "citations", _cited_paths(references))

    @classmethod
    def from_scratchpad(
        cls,
        scratchpad: Mapping[str, object],
        probe: Probe | None,
        *,
        from_script: bool = True,
    ) -> Submission:
        """Return the submission that the known keys of a scratchpad make up.

        `from_script` is False if the scratchpad is submitted after its last script has
        ended, when there is no `verify` to call.
        """
        # The values may be of any type: `__post_init__` replaces them by plain copies.
        parts: dict[str, Any] = {
            name: scratchpad.get(name) for name in _SCRATCHPAD_KEYS
        }
        return cls(**parts, probe=probe, from_script=from_script)

    @property
    def answer_text(self) -> str:
        """The answer, or an empty string if it is not a text."""
        if isinstance(self.answer, str):
            return self.answer
        return ""


def _cited_paths(references: Plain) -> tuple[str, ...]:
    """Return the paths that a map of paths to reasons, or a list of paths, has in order.

    Whatever is not a string is left out: `["/docs/fees.md", 7]` -> `/docs/fees.md`.
    """
    if not isinstance(references, dict | list):
        return ()
    return tuple(path for path in references if isinstance(path, str))


@dataclass(frozen=True, slots=True)
class Case:
    """What a submission answers: the instruction of the task, with the workspace's rules."""

    instruction: str
    """The request of the user."""
    rules: str = ""
    """The text of the workspace's rules document; empty if there is none or it is unknown."""
    rules_path: str = ""
    """The path of the rules document; empty if there is none."""
    internal_errors_before: int = 0
    """How many earlier submissions of this trial gave up, with `OUTCOME_ERR_INTERNAL`.

    The first is always rejected, and a later one may pass.
    """
    now: str = ""
    """The trial's clock in ISO 8601; empty if it is unknown."""
    is_uncited: bool = False
    """True if the environment has no documents, so that an answer has nothing to cite.

    What counts is then the state in which the trial leaves the environment. The answer may be
    empty.
    """
    outcomes: Outcomes = PLATFORM_OUTCOMES
    """The outcomes that the benchmark declares."""

    def kind_of(self, submission: Submission) -> OutcomeKind | None:
        """Return what the outcome of a submission means; None if it gives up, or has no known one."""
        return self.outcomes.kind_of(submission.outcome)

    def is_done(self, submission: Submission) -> bool:
        """Return True if a submission says that the request is answered or carried out."""
        return self.kind_of(submission) is OutcomeKind.DONE


def fault_of_reason(path: str, reason: Plain) -> str:
    """Return what is wrong with the form of a citation's reason, or an empty string.

    A reason, such as `the fee is 7 EUR`, is a text of at least `LEAST_REASON_CHARS` characters,
    or fewer if they are Chinese or Japanese signs: `食品は8%`.
    """
    if not isinstance(reason, str):
        return (
            f"The reason for {quote(path)} is {describe(reason)}: say in words what was found "
            "there."
        )
    if not bounds.is_full_reason(reason):
        return (
            f"The reason for {quote(path)} is {quote(reason)}, under {bounds.LEAST_REASON_CHARS} "
            "characters: name what was found there."
        )
    return ""
