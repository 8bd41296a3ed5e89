"""The data classes of judging: what a script submits, and what gates and rules conclude.

A `Submission` answers a `Case`, the task. Each rule of a gate returns an `Opinion`, such
as a fault. Each opinion becomes a `Verdict`, and all verdicts one `Judgement`.

A rule that blocks rejects until its fault is corrected. A rule that asks objects in at
most `MOST_ASKING_TURNS` turns, and then lets the answer pass.

`quote` and `describe` put values into messages.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from controlplane.sandbox.interface import bounds

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""A value that JSON can hold. Any other value that a script submits becomes None."""

_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "`": "'"}


def _plain_copy(value: object) -> Plain:
    """Return a copy of a value as JSON holds it: `{"a": (1, {2})}` -> `{"a": [1, None]}`.

    Returns None for a value that is nested too deeply or contains itself.
    """
    try:
        text = json.dumps(value, skipkeys=True, default=_none_for)
        copy: Plain = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return copy


def _none_for(value: object) -> None:
    """Return what `json` writes for an object that it cannot hold: None."""
    return None  # noqa: RET501 - the value counts


def quote(text: str, limit: int = 80) -> str:
    """Return a text in back quotes, as one line of at most `limit` characters.

    Control characters and lone surrogates are shown as escapes: a line break as `\\n`. A back
    quote becomes a `'`.
    """
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    return "`" + "".join(_escaped(character) for character in text) + "`"


def quote_some(texts: list[str], most: int = 5) -> str:
    """Return the first texts in quotes, and how many more there are: "`a`, `b` and 3 more"."""
    shown = ", ".join(quote(text) for text in texts[:most])
    rest = len(texts) - most
    if rest > 0:
        shown += f" and {rest} more"
    return shown


def _escaped(character: str) -> str:
    """Return a character as it is shown between back quotes."""
    if character in _ESCAPES:
        return _ESCAPES[character]
    code = ord(character)
    is_control = code < 32 or 0x7F <= code < 0xA0
    is_surrogate = 0xD800 <= code <= 0xDFFF
    if is_control or is_surrogate:
        return f"\\u{code:04x}"
    return character


def describe(value: Plain) -> str:
    """Return a few words about a value: "`abc`", "the number `7`", "a list of 3"."""
    if isinstance(value, str):
        return quote(value)
    if value is None or isinstance(value, bool):
        return f"`{value}`"
    if isinstance(value, int | float):
        return f"the number {quote(repr(value))}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return f"a mapping of {len(value)}"


def encodable(text: str) -> str:
    """Replace each lone surrogate by a question mark, because RE2 cannot read it.

    Keeps the length of the text, so that offsets stay valid.
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


def surrogate_at(text: str) -> int | None:
    """Return the index of the first lone surrogate, which UTF-8 cannot encode, or None."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return error.start
    return None


# What is submitted


OUTCOMES: Final = (
    "OUTCOME_OK",
    "OUTCOME_DENIED_SECURITY",
    "OUTCOME_NONE_CLARIFICATION",
    "OUTCOME_NONE_UNSUPPORTED",
    "OUTCOME_ERR_INTERNAL",
)
"""How a trial may end: it is done, refuses for one of three reasons, or gives up."""
OK, DENIED, CLARIFICATION, UNSUPPORTED, INTERNAL = OUTCOMES
REFUSALS: Final = (DENIED, CLARIFICATION, UNSUPPORTED)
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


class Probe(NamedTuple):
    """A handle for calling `verify`, the function with which a script checks its own answer.

    The function stays in the script's process.
    """

    is_callable: bool
    takes_one_argument: bool
    ask: Callable[[bool], tuple[bool, str]] = NotImplemented
    """Calls `verify`, and returns its reply and the text of an exception or time-out, or "".

    `ask(False)` passes the submitted scratchpad, `ask(True)` a copy without answer, outcome
    and citations, which `verify` should reject. A worker process cannot reach the script:
    there, `ask` is `NotImplemented`.
    """


@dataclass(frozen=True, slots=True)
class Submission:
    """One submission, copied into plain data so that a script cannot change it afterwards.

    A field is None if it was not submitted, or is not plain data.
    """

    answer: Plain = None
    outcome: Plain = None
    refs_why: Plain = None
    """The citations with reasons, as a map of paths to reasons."""
    facts: Plain = None
    """What the script keeps as known: a map of names to facts."""
    tokens: Plain = None
    """Strings that the answer must contain."""
    changes: Plain = None
    """What the script says that it changed."""
    refs: Plain = None
    """Citations without reasons, as a list of paths. Used only if `refs_why` is None."""
    probe: Probe | None = None
    """Calls the script's `verify`; None for an answer without a script."""
    from_script: bool = False
    """True if a script that still runs submits this, so that its `verify` can be called."""
    citations: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The paths of `refs_why`, or else of `refs`, in order, without what is not a string."""

    def __post_init__(self) -> None:
        # The class is frozen, so `self.answer = ...` is not possible even here.
        for name in SUBMITTED_KEYS:
            object.__setattr__(self, name, _plain_copy(getattr(self, name)))
        references = self.refs_why if self.refs_why is not None else self.refs
        citations: list[str] = []
        if isinstance(references, dict | list):
            for path in references:
                if isinstance(path, str):
                    citations.append(path)
        object.__setattr__(self, "citations", tuple(citations))

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


@dataclass(frozen=True, slots=True)
class Case:
    """The instruction that a submission answers, with the workspace's rules."""

    instruction: str
    rules: str = ""
    """The text of the workspace's rules document; empty if there is none or it is unknown."""
    rules_path: str = ""
    internal_errors_before: int = 0
    """Earlier submissions of this trial that gave up, with `OUTCOME_ERR_INTERNAL`. The second
    may pass."""
    now: str = ""
    """The trial's clock in ISO 8601; empty if it is unknown."""
    is_uncited: bool = False
    """True if the environment has no documents to cite, so that no answer has citations.

    What counts is then the state in which the trial leaves it, so the answer may be empty.
    """


def fault_of_reason(path: str, reason: Plain) -> str:
    """Return what is wrong with the form of a citation's reason, or an empty string."""
    if not isinstance(reason, str):
        return (
            f"The reason for {quote(path)} is {describe(reason)}: say in words what was found "
            "there."
        )
    if len(reason.strip()) < bounds.LEAST_REASON_CHARS:
        return (
            f"The reason for {quote(path)} is {quote(reason)}, under {bounds.LEAST_REASON_CHARS} "
            "characters: name what was found there."
        )
    return ""


# What gates and rules say. A gate is one of eight built-in checks of a submission. A rule is a
# further check, which belongs to a gate (`wording` to gate 6) or to a rule set that the user
# chose (`late-reply` to `desk`).


Enforcement: TypeAlias = Literal["block", "ask", "off"]
"""What a fault does.

- `block`: it stops the answer until it is corrected.
- `ask`: it stops the answer at most `MOST_ASKING_TURNS` times, and is ignored from then on.
- `off`: nothing.
"""
ENFORCEMENTS: Final[tuple[Enforcement, ...]] = get_args(Enforcement)
Result: TypeAlias = Literal["pass", "reject", "overridden", "not_applicable", "skipped"]
"""What a check says of a submission.

- `overridden`: there is a fault, but with `ask` it has stopped the answer often enough.
- `not_applicable`: the check cannot judge this submission.
- `skipped`: gate 7 did not run, because another gate rejects.
"""

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
"""The gate that calls the script's own `verify`.

It runs last, and in the process that started the script. Other gates may run in a worker.
"""
RULE_SET_GATE: Final = 0
"""The gate number of verdicts that a rule set gives; their name is `RULE_SET/RULE`."""
REVIEW: Final = "review"
"""The name of the rule by which a second model asks for changes, if the user configures one."""
MOST_ASKING_TURNS: Final = 2
"""How often a fault with the enforcement `ask` stops an answer of a trial.

If the model submits it once more, it has thought about the fault and may be right.
"""
RULE_FAILED: Final = "the rule failed: "
"""The beginning of a verdict's reason if its rule raised an exception."""


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


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of one gate or rule on a submission."""

    gate: int
    """1 to 8 as in `GATE_NAMES`, or 0 for a rule of a rule set."""
    name: str
    """The name of the gate or of the rule that judged.

    - a gate: its name in `GATE_NAMES`, such as `outcome class` for gate 6
    - a rule that belongs to a gate: its own name, such as `wording`
    - a rule of a rule set: both names, such as `desk/late-reply`
    """
    result: Result
    reason: str = ""
    """The text of an objection, the cause of `not_applicable` or `skipped`, or empty for a pass."""
    enforcement: Enforcement = "block"
    """What a fault does, unless a `GatePolicy` changes it."""

    @property
    def key(self) -> str:
        """The key of the gate or rule: `6` or `6/wording`."""
        return key_of(self.gate, self.name)


def key_of(gate: int, name: str) -> str:
    """Return the key of a gate or rule, by which it is counted and set in a `GatePolicy`.

    6 and `outcome class` -> `6`; 6 and `wording` -> `6/wording`; 0 and
    `desk/late-reply` -> `desk/late-reply`
    """
    if gate == RULE_SET_GATE:
        return name
    if GATE_NAMES.get(gate) == name:
        return str(gate)
    return f"{gate}/{name}"


def joined_faults(faults: list[str]) -> str:
    """Return the first faults, one per line, and how many more there are."""
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
    """True if no verdict rejects. One that is `overridden` does not reject."""
    message: str
    """Every rejection in gate order; empty if the submission is accepted."""
    verdicts: tuple[Verdict, ...]
    answer: str
    outcome: str
    refs: tuple[str, ...]
    """The citations, in the order in which they were given."""


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """How a run enforces gates and rules, if it differs from their own enforcement."""

    overrides: Mapping[str, Enforcement] = field(default_factory=dict)
    """By key of a gate (`6`), a rule (`6/wording`, `desk/late-reply`) or a rule set (`desk`)."""

    def enforcement(self, verdict: Verdict) -> Enforcement:
        """Return how a verdict is enforced.

        An override for the rule itself comes first, then one for its gate or rule set, and last
        what the rule declares.
        """
        return self.enforcement_of(verdict.key, declared=verdict.enforcement)

    def enforcement_of(self, key: str, *, declared: Enforcement) -> Enforcement:
        """Return how the gate or rule with a key, such as `6/wording`, is enforced."""
        if key in self.overrides:
            return self.overrides[key]
        gate_or_rule_set = key.partition("/")[0]
        return self.overrides.get(gate_or_rule_set, declared)
