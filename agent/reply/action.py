"""The one action that a turn can hold, as a model writes it, and the faults of replies without one."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator


def object_schema(properties: dict[str, dict[str, object]], required: Sequence[str] | None = None) -> dict[str, object]:
    """Return the JSON schema of an object with these properties and no others; by default it needs all of them."""
    names = list(properties) if required is None else list(required)
    return {"type": "object", "additionalProperties": False, "required": names, "properties": properties}


SCHEMA: Final = object_schema(
    {
        "state": {"type": "string", "maxLength": 400},
        "plan": {"type": "array", "items": {"type": "string", "maxLength": 200}, "maxItems": 5},
        "done": {"type": "boolean"},
        "code": {"type": "string"},
    }
)
"""JSON schema of an action, for endpoints that constrain their output. State and plan have bounds, because small models
fill them without end; code has none, because code that a bound cuts off looks whole."""

STATE_NAMES: Final = ("state", "current_state")
PLAN_NAMES: Final = ("plan", "plan_remaining_steps_brief")
DONE_NAMES: Final = ("done", "task_completed")
CODE_NAMES: Final = ("code", "python_code", "script", "python")
"""Accepted names of the code, the requested one first."""
OTHER_NAMES: Final = frozenset({*STATE_NAMES, *PLAN_NAMES, *DONE_NAMES})
"""The names of the fields beside the code."""
_WHOLE_FENCE: Final = re.compile(r"\s*```(?:python3?|py)?[ \t]*\n(.*?)\n?```\s*\Z", re.S | re.I)
_LONGEST_PROGRAM: Final = 100_000
"""Max characters of code that is parsed to find out whether it is a program."""


class Fault(StrEnum):
    """Why a reply is unusable."""

    CUT_OFF = "cut_off"
    FILTERED = "filtered"
    EMPTY = "empty"
    ONLY_THOUGHTS = "only_thoughts"
    NO_OBJECT = "no_object"
    GARBLED = "garbled"
    WRONG_SHAPE = "wrong_shape"
    NO_CALL = "no_call"


FAULT_TEXTS: Final[Mapping[str, str]] = {
    Fault.CUT_OFF: "was cut off by the limit of its length",
    Fault.FILTERED: "was withheld by the endpoint's filter",
    Fault.EMPTY: "was empty",
    Fault.ONLY_THOUGHTS: "held thoughts alone",
    Fault.NO_OBJECT: "lacked the JSON object",
    Fault.GARBLED: "held JSON that cannot be read",
    Fault.WRONG_SHAPE: "held a JSON object of another form",
    Fault.NO_CALL: "called no tool",
}
"""Descriptions of faulty replies, by fault."""
MOST_OF_A_CUT_REPLY: Final = 400
"""Max characters of a cut-off reply that go back to the model: all of it would be paid for with every request."""
_OVER_AND_OVER: Final = re.compile(r"(\S.{2,59}?)\1\1", re.S)
"""A text three times in a row. An endless reply mostly repeats one phrase, and small models continue what they see.
Only the beginning of a reply is searched."""


def reply_sent_back(reply: str, fault: str) -> str:
    """Return a reply as the model sees it again, given the reply's fault (empty for a usable one)."""
    if fault != Fault.CUT_OFF or len(reply) <= MOST_OF_A_CUT_REPLY:
        return reply
    beginning = reply[:MOST_OF_A_CUT_REPLY]
    repeated = _OVER_AND_OVER.search(beginning)
    kept = beginning[: repeated.end(1)] if repeated else beginning
    return f"{kept} [... {len(reply) - len(kept):,} characters more, then cut off]"


@dataclass(frozen=True, slots=True)
class Unusable:
    """A reply without an action, with the text for the model."""

    reason: str
    fault: Fault


class Action(BaseModel):
    """One turn of a model: its state, what remains, whether it thinks it is done, and what to run."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    state: str = Field("", validation_alias=AliasChoices(*STATE_NAMES))
    plan: tuple[str, ...] = Field((), validation_alias=AliasChoices(*PLAN_NAMES))
    done: bool = Field(False, validation_alias=AliasChoices(*DONE_NAMES))
    code: str = Field(min_length=1, validation_alias=AliasChoices(*CODE_NAMES))

    @field_validator("state", mode="before")
    @classmethod
    def state_as_text(cls, value: object) -> object:
        """Turn a state in any form into a line; a state is advisory and never worth a lost turn."""
        return value if isinstance(value, str) else "" if value is None else str(value)

    @field_validator("plan", mode="before")
    @classmethod
    def plan_as_list(cls, value: object) -> object:
        """Turn a plan in any form into a list of lines; a plan is advisory and never worth a lost turn."""
        if value is None:
            return ()
        if isinstance(value, str):
            return [line.strip() for line in value.splitlines() if line.strip()][:5]
        # A reply in Python's spelling can hold what JSON cannot.
        return [str(item) for item in (value if isinstance(value, list | tuple) else [value])][:5]

    @field_validator("done", mode="before")
    @classmethod
    def done_or_not(cls, value: object) -> object:
        """Turn a missing value into False."""
        return False if value is None else value

    @field_validator("code", mode="before")
    @classmethod
    def code_as_text(cls, value: object) -> object:
        """Return the code meant by a list of lines, by a fence around all of the code, or by one escaping too many."""
        if isinstance(value, list | tuple) and value and all(isinstance(item, str) for item in value):
            value = "\n".join(item.removesuffix("\n") for item in value)
        if not isinstance(value, str):
            return value
        fenced = _WHOLE_FENCE.match(value)
        code = fenced[1] if fenced else value
        if "\n" not in code and "\\n" in code and not is_program(code):
            once = _unescaped(code)
            return once if once is not None and is_program(once) else code
        return code


def _unescaped(code: str) -> str | None:
    try:
        text = json.loads(f'"{code}"', strict=False)
    except ValueError:
        try:
            # Its quotes may be escaped the right number of times already.
            text = json.loads('"' + re.sub(r'(?<!\\)"', r"\"", code) + '"', strict=False)
        except ValueError:
            return None
    return text if isinstance(text, str) else None


def is_program(code: str) -> bool:
    """Say whether `code` is a program that Python can read."""
    if len(code) > _LONGEST_PROGRAM:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
