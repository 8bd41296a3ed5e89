"""Turns a reply of a model into the one action that a turn of scripts has.

An action is `{state, plan, done, code}`, asked for as one JSON object. `action_of` also accepts what
models write instead, if the meaning is certain: an object behind prose, Python's spelling, a call,
a fence of Python. It never guesses: code that was cut off, that is written twice, or that cannot be
read is not used. An unusable reply comes back as `Unusable`, with the text that tells the model why.

The pieces: `written_objects` finds and reads objects, `written_code` finds code outside of JSON,
`code_repairs` repairs the form of code, and `thinking_text` removes thinking.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

import re2
from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
)

from controlplane.agent.action_fields import (
    CODE_NAMES,
    DONE_NAMES,
    OTHER_NAMES,
    PLAN_NAMES,
    STATE_NAMES,
)
from controlplane.agent.code_repairs import is_program, repaired_code, unescaped
from controlplane.agent.model import TOOL_NAME, Reply, ToolCall, object_schema
from controlplane.agent.thinking_text import without_thoughts
from controlplane.agent.written_code import code_block, state_line, untagged_block, xml_call
from controlplane.agent.written_objects import WrittenObject, objects_in, read_object
from controlplane.sandbox.interface import bounds, well_formed

MAX_PLAN_STEPS: Final = 5

SCHEMA: Final = object_schema(
    {
        "state": {"type": "string", "maxLength": 400},
        "plan": {
            "type": "array",
            "items": {"type": "string", "maxLength": 200},
            "maxItems": MAX_PLAN_STEPS,
        },
        "done": {"type": "boolean"},
        "code": {"type": "string"},
    }
)
"""The JSON schema of an action, for endpoints that constrain their output.

State and plan have limits, because small models fill them without end. Code has none, because code
that a limit cuts off looks whole.
"""

WRITTEN_ARGUMENTS: Final = ("arguments", "parameters", "args", "input")
"""Keys under which a tool call that is written as text has its arguments."""


# --- Unusable replies ---


class Fault(StrEnum):
    """Why a reply is unusable."""

    CUT_OFF = "cut_off"
    FILTERED = "filtered"
    REFUSED = "refused"
    EMPTY = "empty"
    ONLY_THOUGHTS = "only_thoughts"
    NO_OBJECT = "no_object"
    GARBLED = "garbled"
    WRONG_SHAPE = "wrong_shape"
    NO_CALL = "no_call"


PROSE: Final = (Fault.NO_OBJECT, Fault.NO_CALL)
"""Faults of replies that are plain text."""

FAULT_TEXTS: Final[Mapping[str, str]] = {
    Fault.CUT_OFF: "was cut off at the output limit",
    Fault.FILTERED: "was withheld by the endpoint's filter",
    Fault.REFUSED: "was a refusal",
    Fault.EMPTY: "was empty",
    Fault.ONLY_THOUGHTS: "held thinking alone",
    Fault.NO_OBJECT: "held no JSON object",
    Fault.GARBLED: "held JSON that cannot be read",
    Fault.WRONG_SHAPE: "held an object without code, a string with the Python to run",
    Fault.NO_CALL: "called no tool",
}
"""What each fault says of "the reply"."""

JSON_FORM: Final = (
    "Reply with one JSON object {state, plan, done, code} alone, quotes and newlines in its "
    "strings escaped"
)
FENCED_FORM: Final = 'a line "state: ..." and then the whole script in one ```python fence'


@dataclass(frozen=True, slots=True)
class Unusable:
    """A reply without an action."""

    reason: str
    """What the model is told."""
    fault: Fault
    details: str = ""
    """What follows the fault in the reason."""

    @property
    def reason_in_fences(self) -> str:
        """What a model is told that was asked for scripts in fences."""
        fault_text = FAULT_TEXTS[self.fault]
        if self.fault is Fault.NO_OBJECT:
            fault_text = "held no script in a fence"
        return f"The reply {fault_text}{self.details}. Reply with {FENCED_FORM}."


def unusable(fault: Fault, details: str = "") -> Unusable:
    """Return an unusable reply; `details` follow the fault in the text for the model."""
    form = JSON_FORM
    if fault is Fault.GARBLED:
        form += f"; or with {FENCED_FORM}"
    return Unusable(f"The reply {FAULT_TEXTS[fault]}{details}. {form}.", fault, details)


# --- Actions ---


def as_line(value: object) -> str:
    """Return a state as text, whatever the model wrote: it is advisory, not worth a lost turn."""
    return "" if value is None else str(value)


def as_flag(value: object) -> bool:
    """Return whether a value means yes: `true`, `"Yes"`, `1`."""
    return str(value).strip().casefold() in ("true", "yes", "1")


class Action(BaseModel):
    """One turn of a model: its state, what remains, whether it is done, and what to run."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    state: Annotated[str, BeforeValidator(as_line)] = Field(
        "", validation_alias=AliasChoices(*STATE_NAMES)
    )
    plan: tuple[str, ...] = Field((), validation_alias=AliasChoices(*PLAN_NAMES))
    done: Annotated[bool, BeforeValidator(as_flag)] = Field(
        False, validation_alias=AliasChoices(*DONE_NAMES)
    )
    code: str = Field(min_length=1, validation_alias=AliasChoices(*CODE_NAMES))
    others: int = 0
    """Further actions in the reply, which are not run."""

    @field_validator("plan", mode="before")
    @classmethod
    def plan_as_list(cls, value: object) -> object:
        """Return a plan as a list of lines, whatever the model wrote: it is advisory, too."""
        if value is None:
            return ()
        if isinstance(value, str):
            steps = [line.strip() for line in value.splitlines() if line.strip()]
        elif isinstance(value, list | tuple):
            steps = [str(step) for step in value]
        else:
            steps = [str(value)]
        return steps[:MAX_PLAN_STEPS]

    @field_validator("code", mode="before")
    @classmethod
    def code_as_text(cls, value: object) -> object:
        """Return code as one repaired text. It may be a list of lines."""
        if isinstance(value, list | tuple) and value:
            lines = [line for line in value if isinstance(line, str)]
            if len(lines) == len(value):
                value = "\n".join(line.removesuffix("\n") for line in lines)
        if not isinstance(value, str):
            return value
        return repaired_code(well_formed(value))


def action_call(reply: Reply) -> ToolCall | None:
    """Return the tool call that carries the action; None if the action is in the reply's text.

    That is the first call of our tool, or of a tool without a name, that has arguments. Models also
    give the tool a name of their own: the only call of a reply counts if it has exactly the
    arguments of our tool.
    """
    for call in reply.tool_calls:
        name = call.name.rpartition(".")[2]  # some put a namespace before it
        has_arguments = call.arguments.strip() not in ("", "null", "{}")
        if name in (TOOL_NAME, "") and has_arguments:
            return call
    if len(reply.tool_calls) == 1:
        (call,) = reply.tool_calls
        if has_arguments_of_action(call):
            return call
    return None


def has_arguments_of_action(call: ToolCall) -> bool:
    """Return whether a call has code, another field of an action, and nothing else."""
    arguments = read_object(call.arguments) or {}
    has_code = any(name in arguments for name in CODE_NAMES)
    has_other_field = not OTHER_NAMES.isdisjoint(arguments)
    is_nothing_else = arguments.keys() <= OTHER_NAMES | set(CODE_NAMES)
    return has_code and has_other_field and is_nothing_else


def action_of(text: str, finish_reason: str = "stop") -> Action | Unusable:
    """Return the action in a reply's text, or why there is none. Raises nothing.

    Prose is never an action, and neither is thinking. A reply that was cut off by its length is
    never used, because the rest may have changed its meaning.
    """
    if finish_reason == "length":
        advice = ", so nothing of it was run: do less in this step, keep state and plan brief"
        return unusable(Fault.CUT_OFF, advice)
    if finish_reason == "refusal":
        refusal = " ".join(text.split())[:300]
        return unusable(Fault.REFUSED, f", {refusal!r}: go on with what can be done")
    if not text.strip():
        is_filtered = finish_reason == "content_filter"
        return unusable(Fault.FILTERED if is_filtered else Fault.EMPTY)
    spoken = without_thoughts(text)[: bounds.MOST_PARSED_CHARS]
    if not spoken.strip():
        return unusable(Fault.ONLY_THOUGHTS)

    found = find_action(spoken)
    if isinstance(found, Unusable):
        return found
    try:
        return Action.model_validate({**found.fields, "others": found.further_actions})
    except ValidationError:
        return unusable(Fault.WRONG_SHAPE)


# --- Finding the action in a text ---


@dataclass(frozen=True, slots=True)
class FoundAction:
    """The first action in a text, before its fields are validated."""

    fields: Mapping[str, object]
    further_actions: int = 0


ESCAPED_OBJECT: Final = re2.compile(r'\{\s*\\"')
r"""Finds an object that was escaped once too often: `{\"state\": \"...\"}`."""

CODE_KEY: Final = re2.compile(rf"""["']?\b(?:{"|".join(CODE_NAMES)})\b["']?\s*:""")
"""Finds a key of code, `"code":`."""

CODE_STRING: Final = re2.compile(
    rf"""(?s){CODE_KEY.pattern}\s*"((?:[^"\\]|\\.)*)"\s*"""
    r"""(?:,\s*(?:"\w+"|'\w+'|\w+)\s*:|,?\s*\}\s*\z)"""
)
"""Finds code that is one whole string, with the next key or the end of the object behind it."""


def find_action(text: str, *, may_be_escaped: bool = True) -> FoundAction | Unusable:
    """Return the first action of a text, or why there is none.

    `may_be_escaped` is False for a text from which one level of escapes was removed already.
    """
    # 1. Look for objects with code. An unreadable one hides those after it, since it may be meant.
    actions: list[Mapping[str, object]] = []
    without_code: list[WrittenObject] = []
    unrelated_names: list[str] = []  # of the first object of another form
    for written in objects_in(text):
        fields = unwrapped(written.value or {})
        if has_code(fields) and fields.get("code", "unset") not in ("", None):
            actions.append(fields)
        elif actions:
            continue
        elif written.value is None and written.is_action:
            return rescued_code(text, written)
        elif not OTHER_NAMES.isdisjoint(fields):
            without_code.append(written)
        elif fields and not unrelated_names:
            unrelated_names = list(fields)
    if actions:
        return FoundAction(actions[0], len(actions) - 1)

    # 2. An object with state and plan may have its code beside it, in a fence.
    if len(without_code) == 1:
        written = without_code[0]
        code = code_block(text, beside=written)
        if code is not None:
            return FoundAction({**(written.value or {}), "code": code})

    # 3. The whole object may be escaped once too often.
    escaped = ESCAPED_OBJECT.search(text) if may_be_escaped else None
    if escaped is not None:
        unescaped_text = unescaped(text[escaped.start() : text.rfind("}") + 1])
        if unescaped_text:
            return find_action(well_formed(unescaped_text), may_be_escaped=False)
    if without_code:
        return unusable(Fault.WRONG_SHAPE)

    # 4. There may be code without any JSON.
    call = xml_call(text)
    if call is not None:
        return FoundAction({"code": call.code}, call.further_calls)
    code = code_block(text)
    if code is None:
        code = untagged_block(text)
    if code is not None:
        return FoundAction({"state": state_line(text), "code": code})

    # 5. Say what there is instead.
    if unrelated_names:
        names = ", ".join(repr(name[:40]) for name in unrelated_names[:5])
        return unusable(Fault.WRONG_SHAPE, f" (it has {names})")
    return unusable(Fault.NO_OBJECT)


def unwrapped(value: dict[str, object]) -> dict[str, object]:
    """Return the action inside of an object, else the object itself.

    {"name": "execute_script", "arguments": {"state": "", "code": "1"}}  a call as text
    {"function": {"name": "execute_script", "arguments": "{...}"}}       another spelling
    {"action": {"state": "", "code": "1"}}                               the only field
    """
    if has_code(value):
        return value
    function = value.get("function")
    call = function if isinstance(function, dict) else value
    is_call = TOOL_NAME in (call.get("name"), function, value.get("tool"))

    inner: object = None
    if is_call:
        for name in WRITTEN_ARGUMENTS:
            if name in call:
                inner = call[name]
                break
        if isinstance(inner, str):
            inner = read_object(inner)
    elif len(value) == 1:
        (inner,) = value.values()

    if not isinstance(inner, dict) or not has_code(inner):
        return value
    is_action = is_call or not OTHER_NAMES.isdisjoint(inner)
    return inner if is_action else value


def has_code(fields: Mapping[str, object]) -> bool:
    """Return whether an object has code.

    It is called `code`, or has another accepted name beside another field of an action: an object
    with a `script` alone may be anything.
    """
    if "code" in fields:
        return True
    has_other_field = not OTHER_NAMES.isdisjoint(fields)
    return has_other_field and any(name in fields for name in CODE_NAMES)


def rescued_code(text: str, written: WrittenObject) -> FoundAction | Unusable:
    """Return the code of an object that cannot be read as a whole.

    It is used if it is one whole string on the object's own level, is a program, and no other code
    follows in the text.
    """
    if written.end is None:
        return garbled("not closed")
    whole = text[written.start : written.end]
    match = CODE_STRING.search(whole)
    if match is not None:
        before_code = whole[: match.start()]
        is_on_own_level = before_code.count("{") == 1 and before_code.count(
            "["
        ) == before_code.count("]")
        is_only_code = len(CODE_KEY.findall(text, written.start)) == 1
        code = unescaped(match[1])
        if is_on_own_level and is_only_code and code and code.strip() and is_program(code):
            return FoundAction({"code": code})

    try:
        json.loads(whole, strict=False)
    except json.JSONDecodeError as error:
        place = whole[max(0, error.pos - 20) : error.pos + 20]
        return garbled(f"no JSON ({error.msg} near {' '.join(place.split())!r})")
    except RecursionError:
        return garbled("nested too deeply")
    return garbled("ambiguous, with its code twice")


def garbled(fault: str) -> Unusable:
    """Return the reply whose first object cannot be read; `fault` says what is wrong with it."""
    return unusable(Fault.GARBLED, f": its first object is {fault}, so nothing was run")
