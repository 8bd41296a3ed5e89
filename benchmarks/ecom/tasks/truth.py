"""The truth of a task: what its answer has to be, and how it may be written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol

from controlplane.benchmarks.ecom.record_store import RecordNames
from controlplane.benchmarks.ecom.world.world import World
from controlplane.gates.values.normal_text import with_few_marks
from controlplane.sandbox.interface.outcomes import OK
from controlplane.tool_benchmark.expected_end import holds_token

# Finds a value in a message in any form in which people write it.
#
# For example, `jan@shop-24.nl` is found in `Jan (at) Shop-24 dot nl`, and a time in the
# records in `March 1st`.

# Patterns for the edges of words, where no letter or digit is on the other side.
#
# `_` separates words, unlike for `\b`: `paid_out` is two words.

WORD: Final = re.compile(r"[^\W_]+")
"""A word: letters and digits."""
NO_LETTER_BEFORE: Final = r"(?<![^\W_])"
"""Matches where no letter or digit precedes: at the beginning of a word."""
NO_LETTER_AFTER: Final = r"(?![^\W_])"
"""Matches where no letter or digit follows: at the end of a word."""


def any_of(*patterns: str) -> str:
    """Return the pattern for any of these patterns."""
    return f"(?:{'|'.join(patterns)})"


# Finds a day in a message in any usual spelling: `2027-03-01`, `1.3.2027`, `March 1st`.

_MONTHS: Final = [
    "jan",
    "feb",
    r"mar|märz|mär\b|mrz|maart|mrt",  # `März` and `maart`, but not `Märkte` and `maanden`
    "apr",
    r"may|mai\b|mei\b",  # `mai`, but not `main`
    "jun",
    "jul",
    "aug",
    "sep",
    "oct|okt",
    "nov",
    r"dec|dezember|dez\b",  # `dez`, but not `deze`
]
"""The pattern of how each month's name begins, in English, German and Dutch: January first."""


def contains_day(message: str, day: date) -> bool:
    """Return True if a message contains a day, but not within a longer number.

    1 March 2027 is in `until March 1st`, but not in `order 12027-03-01`.
    """
    spellings = any_of(_in_digits(day), _with_month_name(day))
    return re.search(r"(?i)(?<!\d)" + spellings + r"(?!\d)", message) is not None


def _in_digits(day: date) -> str:
    """Return the pattern of a day in digits: `2027-03-01`, `20270301`, `1.3.2027`, `03/01/27`."""
    iso_date = r"\W{0,2}".join([f"{day:%Y}", f"{day:%m}", f"{day:%d}"])

    day_number = f"0?{day.day}"
    month_number = f"0?{day.month}"
    year = any_of(f"{day:%Y}", f"{day:%y}")
    between = "[./ -]+"
    european = day_number + between + month_number
    american = month_number + between + day_number
    return any_of(iso_date, any_of(european, american) + between + year)


def _with_month_name(day: date) -> str:
    """Return the pattern of a day with the name of its month: `1st of March`, `1. März`, `Mar 1`.

    A name is known by its first letters, whatever letters follow: `Mar`, `March`, `Marec`.
    """
    day_number = f"0?{day.day}(?:st|nd|rd|th)?"
    month_name = any_of(_MONTHS[day.month - 1]) + "[a-z]*"
    return any_of(
        day_number + r"\W+(?:of )?" + month_name,
        month_name + r"\W+" + day_number,
    )


MIN_LOOSE_CHARS: Final = 4
"""A value with fewer letters and digits is found only as a whole word in its own spelling."""
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+Z")
"""A time in the records, such as `2027-03-01T10:00:00Z`."""
_PUNCTUATION_AS_WORD: Final = re.compile(
    r"[\(\[{<\s*_-]"  # an opening bracket or a separator
    r"(?:at|dot|punkt|ät|minus|dash|hyphen|underscore|point|punto|period|full stop)"
    r"(?=[\)\]}>\s*_-])"  # before a closing bracket or a separator
)
"""A punctuation mark that is written as a word, as in addresses: ` at `, `(dot)`."""
_TYPOGRAPHIC_HYPHENS: Final = str.maketrans(
    {
        "\N{HYPHEN}": "-",
        "\N{NON-BREAKING HYPHEN}": "-",
        "\N{FIGURE DASH}": "-",
    }
)


def visible_text(message: str) -> str:
    """Return a message without invisible characters, and with plain forms of typographic ones.

    A non-breaking hyphen becomes `-`, and a ligature becomes its letters.
    """
    visible = []
    for char in unicodedata.normalize("NFKC", with_few_marks(message)):
        # Such as the zero-width space
        is_invisible = unicodedata.category(char) == "Cf"
        if not is_invisible:
            visible.append(char)
    return "".join(visible).translate(_TYPOGRAPHIC_HYPHENS)


@lru_cache(maxsize=4)  # The same message is compared with many values in a row.
def letters_and_digits(text: str) -> str:
    """Return a text without accents, case, separators and spelled-out punctuation.

    `Jan (at) Shop-24 dot nl` -> `janshop24nl`
    """
    letters = unicodedata.normalize("NFKD", with_few_marks(text.casefold()))
    letters = _PUNCTUATION_AS_WORD.sub(" ", letters)
    return "".join(letter for letter in letters if letter.isalnum())


def contains_value(message: str, value: str) -> bool:
    """Return True if a message contains a value in any spelling.

    - A time is found by its day: `2027-03-01T10:00:00Z` in `March 1st`.
    - A word or a short value is found only as a whole word: `paid`, but not in `unpaid`.
    - Any other value is found without regard to accents, case and separators: `basket-0012`
      in `Basket 0012`.
    """
    if _INSTANT.fullmatch(value):
        return contains_day(message, date.fromisoformat(value[:10]))
    squeezed_value = letters_and_digits(value)
    if value.isalpha() or len(squeezed_value) < MIN_LOOSE_CHARS:
        return holds_token(message.casefold(), value.casefold())
    return squeezed_value in letters_and_digits(message)


# A task with its truth: the request, and what a right answer to it is.
#
# For example, a customer asks for the checkout of `basket-0012`. Its truth says that the
# basket's file must change to `checked_out`, by one run of the tool `/bin/checkout`, and
# that the answer must name the basket and cite its file. The grader compares the end of a
# trial with this.

# What the message of an answer must not disclose.
#
# For example, a customer asks about another customer's basket. The basket is paid, and the
# answer must not say so, not even by "it is neither open nor abandoned":
#
#     AnswerSecrets(
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

        TaskTruth(
            instruction="What is the status of basket-0012?",
            outcome=DENIED,
            message="I cannot help with basket-0012.",
            secrets=AnswerSecrets(states=(RecordState("paid", ("open", "abandoned")),)),
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
