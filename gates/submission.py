"""Submissions, verdicts and judgements as plain data, the case that is answered, and quotations in
messages.

A blocking rule rejects as long as its fault is there. An asking rule objects in at most two turns;
after that the answer is accepted over the objection.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from controlplane.sandbox.interface import bounds

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""The exact JSON types; None also in place of anything else."""

_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "`": "'"}


def _copied(value: object) -> Plain:
    """Return a copy in exact JSON types, with None in place of everything else, and of what JSON
    cannot hold."""
    try:
        copy: Plain = json.loads(json.dumps(value, skipkeys=True, default=lambda _: None))
    except (ValueError, RecursionError):
        return None
    return copy


def quote(text: str, limit: int = 80) -> str:
    """Return `text` in back quotes for a message: one line, at most `limit` characters, no lone
    surrogates."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return "`" + "".join(_escape(char) for char in cut) + "`"


def quote_some(texts: list[str], most: int = 5) -> str:
    """Return the first `most` texts quoted, and a count of the others."""
    shown = ", ".join(quote(text) for text in texts[:most])
    rest = len(texts) - most
    if rest > 0:
        shown += f" and {rest} more"
    return shown


def _escape(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    code = ord(char)
    is_control = code < 32 or 0x7F <= code < 0xA0
    is_surrogate = 0xD800 <= code <= 0xDFFF
    if is_control or is_surrogate:
        return f"\\u{code:04x}"
    return char


def describe(value: Plain) -> str:
    """Return a few words about `value` for a message: the value itself if it is short, else its
    type and size."""
    if isinstance(value, str):
        return quote(value)
    if value is None or isinstance(value, bool):
        return f"`{value}`"
    if isinstance(value, int | float):
        return f"the number {quote(repr(value))}"
    return f"a {'list' if isinstance(value, list) else 'mapping'} of {len(value)}"


def encodable(text: str) -> str:
    """Return `text` with a question mark in place of each lone surrogate, which RE2 cannot read;
    of the same length."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def surrogate_at(text: str) -> int | None:
    """Return the index of the first lone surrogate in `text`, which UTF-8 cannot encode, or
    None."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as fault:
        return fault.start
    return None


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


class Probe(NamedTuple):
    """The `verify` of a submission, which stays in the script's process."""

    is_callable: bool
    takes_one_argument: bool
    ask: Callable[[bool], tuple[bool, str]] = NotImplemented
    """Calls it on the submitted scratchpad or, given True, with answer, outcome and refs blank.
    Returns what it claims, and an exception or a time-out as text."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One submission. Construction copies every field into plain data, so that nobody can change it
    later.

    An unused field is None, and so is a value that is not plain data.
    """

    answer: Plain = None
    outcome: Plain = None
    refs_why: Plain = None
    """A map of paths to reasons."""
    facts: Plain = None
    tokens: Plain = None
    changes: Plain = None
    refs: Plain = None
    """Citations without reasons, from a recorded answer or a solver that gives none; read only
    without `refs_why`."""
    probe: Probe | None = None
    from_script: bool = False
    citations: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The cited strings in their order; gate 3 reports citations that are not strings."""

    def __post_init__(self) -> None:
        for name in SUBMITTED_KEYS:
            object.__setattr__(self, name, _copied(getattr(self, name)))
        references = self.refs_why if self.refs_why is not None else self.refs
        citations: tuple[str, ...] = ()
        if isinstance(references, dict | list):
            citations = tuple(path for path in references if isinstance(path, str))
        object.__setattr__(self, "citations", citations)

    @classmethod
    def from_scratchpad(
        cls, scratchpad: Mapping[str, object], probe: Probe | None, *, from_script: bool = True
    ) -> Submission:
        """Return a script's submission: the known keys of its scratchpad, and the probe of its
        `verify`.

        `from_script` is False for a scratchpad that is submitted after its last script, when there
        is no `verify` to call."""
        parts = {name: _copied(scratchpad.get(name)) for name in _SCRATCHPAD_KEYS}
        return cls(**parts, probe=probe, from_script=from_script)

    @property
    def answer_text(self) -> str:
        """The answer if it is text, else an empty string; gate 6 reports an answer that is not
        text."""
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
    is_uncited: bool = False
    """The environment has no documents to cite, and is graded by its state: the answer may be
    empty."""


def fault_of_reason(path: str, reason: Plain) -> str:
    """Return the fault of a citation's reason that does not depend on what is at `path`, or an
    empty string."""
    if not isinstance(reason, str):
        return f"The reason for {quote(path)} is {describe(reason)}: say in words what was found there."
    if len(reason.strip()) < bounds.LEAST_REASON_CHARS:
        return (
            f"The reason for {quote(path)} is {quote(reason)}, under {bounds.LEAST_REASON_CHARS} characters: name what "
            "was found there."
        )
    return ""


Enforcement: TypeAlias = Literal["block", "ask", "off"]
ENFORCEMENTS: Final[tuple[Enforcement, ...]] = get_args(Enforcement)
Result: TypeAlias = Literal["pass", "reject", "overridden", "not_applicable", "skipped"]

GATE_NAMES: Final = {
    1: "verify is a function",
    2: "fact shapes",
    3: "canonical citations",
    4: "citations were read",
    5: "citations are justified",
    6: "outcome class",
    7: "verify says yes",
    8: "literal tokens",
}
ALL_GATES: Final = frozenset(GATE_NAMES)
VERIFY_GATE: Final = 7
"""The gate that calls the script's own `verify`; it runs last, in the parent."""
RULE_SET_GATE: Final = 0
"""The gate number of verdicts that a rule set gives; their name is `RULE_SET/RULE`."""
REVIEW: Final = "review"
"""The name of the rule by which a second reader asks, if the user names one."""
MOST_TURNS: Final = 2
"""Turns of a trial in which one asking rule may object."""
RULE_FAILED: Final = "the rule failed: "
"""The beginning of a verdict's reason if its rule raised an exception."""


@dataclass(frozen=True, slots=True)
class Objection:
    """A rule's opinion on citations. No rule may forbid what another one demands, so both are
    collected first."""

    demands: tuple[str, ...] = ()
    """Paths that the answer has to cite, including those that it does cite."""
    lacking: str = ""
    """The fault of an answer that lacks some of them; `{paths}` is replaced by those."""
    forbids: tuple[str, ...] = ()
    """Cited paths that the answer should not cite."""
    surplus: str = ""
    """The fault of an answer that cites some of them; `{paths}` is replaced by those."""


@dataclass(frozen=True, slots=True)
class Inapplicable:
    """The reason why a rule cannot judge."""

    why: str


Opinion: TypeAlias = str | Sequence[str] | Objection | Inapplicable | None
"""A rule's opinion: the texts of its faults, an opinion on citations, the reason why it cannot
judge, or None."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of one gate, or of one rule, on a submission; strings and numbers only."""

    gate: int
    """1 to 8, or 0 for a rule of a rule set."""
    name: str
    """The gate's name, the name of one of the gate's asking rules, or `RULE_SET/RULE`."""
    result: Result
    """`overridden`: the rule still objects after having objected in two turns. `skipped`: gate 7
    was not asked."""
    reason: str = ""
    """The text of an objection, the cause of `not_applicable` or `skipped`, or empty for a pass."""
    enforcement: Enforcement = "block"

    @property
    def key(self) -> str:
        """The key under which the verdict is counted: `6`, `6/wording` or `RULE_SET/RULE`."""
        return key_of(self.gate, self.name)


def key_of(gate: int, name: str) -> str:
    """Return the key of a gate (`6`), of an asking rule (`6/wording`) or of a rule set's rule."""
    if gate == RULE_SET_GATE:
        return name
    return str(gate) if GATE_NAMES.get(gate) == name else f"{gate}/{name}"


def joined_faults(faults: list[str]) -> str:
    """Return the first eight faults, one per line, and a count of the others."""
    lines = faults[: bounds.SHOWN_FAULTS]
    rest = len(faults) - bounds.SHOWN_FAULTS
    if rest > 0:
        lines.append(f"… and {rest} more of the same kind.")
    text = "\n".join(lines)
    if len(text) > bounds.SHOWN_MESSAGE_CHARS:
        return text[: bounds.SHOWN_MESSAGE_CHARS - 1] + "…"
    return text


@dataclass(frozen=True, slots=True)
class Judgement:
    """All verdicts on one submission, and the answer that would be sent."""

    accepted: bool
    """True if nothing rejects. Objections that were raised often enough do not reject."""
    message: str
    """Every rejection in gate order; empty if the submission is accepted."""
    verdicts: tuple[Verdict, ...]
    answer: str
    outcome: str
    refs: tuple[str, ...]
    """The citations, in the order in which they were given."""


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """A run's settings of gates and rules; what is not set is enforced as the table in
    `controlplane.gates.rules` says."""

    overrides: Mapping[str, Enforcement] = field(default_factory=dict)
    """By key: a gate (`6`), an asking rule (`6/wording`), a rule set (`ecom`) or its rule
    (`ecom/return`)."""

    def enforcement(self, verdict: Verdict) -> Enforcement:
        """Return how a verdict is enforced: the most specific setting counts, else the rule's
        own."""
        whole = verdict.key.partition("/")[0]
        return self.overrides.get(verdict.key) or self.overrides.get(whole) or verdict.enforcement
