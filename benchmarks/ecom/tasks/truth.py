"""A task with its truth: the request, and what a right answer to it is.

For example, a customer asks for the checkout of `basket-0012`. Its truth says that the
basket's file must change to `checked_out`, by one run of the tool `/bin/checkout`, and
that the answer must name the basket and cite its file. The grader compares the end of a
trial with this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol

from controlplane.benchmarks.ecom.record_names import RecordNames
from controlplane.benchmarks.ecom.world.world import World
from controlplane.sandbox.interface.outcomes import OK

# What the message of an answer must not disclose.
#
# For example, a customer asks about another customer's basket. The basket is paid, and the
# answer must not say so, not even by "it is neither open nor abandoned":
#
#     Secrets(
#         states=(RecordState("paid", others=("open", "abandoned")),),
#         nameable_ids=("cust-007", "basket-0012"),  # Other numbers would disclose something.
#     )


@dataclass(frozen=True, slots=True)
class RecordState:
    """The state of a record, and the other states that such a record can have."""

    actual: str
    """The record's own state, in the world's words: `paid`."""
    others: tuple[str, ...]

    @property
    def possible(self) -> tuple[str, ...]:
        """All states that such a record can have, the actual one first."""
        return (self.actual, *self.others)


@dataclass(frozen=True, slots=True)
class AnswerSecrets:
    """What the message of an answer must not disclose."""

    texts: tuple[str, ...] = ()
    """Texts that must not occur in any spelling, such as the street of another customer's shop."""
    states: tuple[RecordState, ...] = ()
    """The states that the message must not disclose. Only a denial has such secrets."""
    nameable_ids: tuple[str, ...] | None = None
    """The ids that a denial may name, such as `basket-0012`.

    Every number in a denial must occur in one of these ids or in the request. If it is
    None, a denial may contain any number.
    """
    person: str = ""
    """The name of a person. The message must not say if this person works here."""


_NO_SECRETS: Final = AnswerSecrets()


class Measured(NamedTuple):
    """The score of an answer that is not only right or wrong."""

    score: float
    """From 0 to 1."""
    explanation: tuple[str, ...]
    """Lines that explain the score."""


class _AnswerMeasure(Protocol):
    """Scores answers from 0 to 1, such as a plan by its gain. Only a few families use one."""

    def measure(self, message: str, refs: Sequence[str]) -> Measured:
        """Return the score of a message and its references."""
        ...


@dataclass(frozen=True, slots=True)
class TaskTruth:
    """A task's request, and the required end of its trial.

    The function of a task family creates it, and the grader compares the trial with it. For
    example, a customer asks about another customer's basket, which is paid. The message must
    not say so:

        Truth(
            instruction="What is the status of basket-0012?",
            outcome=DENIED,
            message="I cannot help with basket-0012.",
            secrets=Secrets(states=(RecordState("paid", ("open", "abandoned")),)),
            must_cite_pages=("/docs/security.md",),
        )
    """

    instruction: str
    """The request."""

    # The outcome and message of the answer -------------------------------------------------------

    message: str
    """A right message. If `is_exact`, it is the only one."""
    outcome: str = OK
    is_exact: bool = False

    # What a freely worded message must contain ---------------------------------------------------

    required_words: tuple[str, ...] = ()
    """Each must occur exactly like this, as a separate word: SKUs, ids, paths."""
    required_statements: tuple[tuple[str, ...], ...] = ()
    """The statements that the message must make, each in one of its wordings.

    For example, a message that names a basket and says that it is paid:
    `(one_of("basket-0012"), one_of("paid", "bought"))`. A wording may be spelled in any
    way: `basket 0012`.
    """
    required_percent: int = 0
    """The percentage that the message must name; 0 if there is none."""
    given_state: RecordState | None = None
    """The state that the message must not hide in a list of states; None if there is none.

    For example, a basket cannot be checked out because it is paid. `required_statements`
    demands that the message says so; "it is paid, open or abandoned" would not say it.
    """

    secrets: AnswerSecrets = _NO_SECRETS
    """What the message must not disclose."""

    # Citations -----------------------------------------------------------------------------------

    must_cite: tuple[str, ...] = ()
    """The paths of the records and other files that the answer must cite.

    A citation that is neither required nor in `may_cite` is a fault.
    """
    must_cite_pages: tuple[str, ...] = ()
    """The paths of the pages that the answer must cite: texts that state rules and facts."""
    may_cite: tuple[str, ...] = ()
    """Paths that the answer may cite but need not.

    The pages of the task's family are added when a task is generated.
    """

    # Changes -------------------------------------------------------------------------------------

    changes: Mapping[str, str | None] = field(default_factory=dict)
    """The files that must change, with their new texts; None if a file must be deleted.

    No other file may change.
    """
    calls: tuple[tuple[str, ...], ...] = ()
    """The tools that make the changes, with arguments: `(("checkout", "basket-0012"),)`.

    Each must be run once.
    """
    exact_ends: bool = False
    """True if the newline at the end of a changed file matters, because a page mentions it."""

    # Everything else -----------------------------------------------------------------------------

    measure: _AnswerMeasure | None = None
    """Scores an answer without faults from 0 to 1. If it is None, such an answer scores 1."""
    for_tests: Mapping[str, str] = field(default_factory=dict)
    """Details of the request from which tests make right and wrong answers. Not graded."""
    names: RecordNames = field(default_factory=RecordNames)
    """The world's names for its records. They are set when a task is generated."""
    family: str = ""
    """The family whose solution answers the task. Usually it is the task's own family."""

    @property
    def tools(self) -> list[str]:
        """The paths of the tools that make the changes."""
        return [f"/bin/{tool}" for tool, *_ in self.calls]


def truth_with_exact_message(
    instruction: str, message: str, **further: Any
) -> TaskTruth:
    """Return the truth for a question with exactly one right message, such as `4` or `yes`."""
    return TaskTruth(instruction=instruction, message=message, is_exact=True, **further)


def one_of(*wordings: str) -> tuple[str, ...]:
    """Return the wordings of one required statement: the message needs only one of them."""
    return wordings


@dataclass(frozen=True, slots=True)
class WorldTask:
    """One task in its world."""

    world: World
    truth: TaskTruth

    @property
    def instruction(self) -> str:
        """The request."""
        return self.truth.instruction
