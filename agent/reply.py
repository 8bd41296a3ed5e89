"""Reads the action from a reply of a model.

An action is one JSON object `{state, plan, done, code}`, with the script of one turn.
`action_of` also accepts other forms if their meaning is certain: an object after prose,
an object in Python's syntax, a tool call, or a fence of Python. It never guesses: code
that was cut off, that appears twice, or that cannot be read gives `Unusable`, with the
reason for the model.

`written_objects` finds and reads objects, `written_code` finds code outside of JSON,
`code_repairs` repairs the form of code, and `thinking_text` removes thinking.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
from controlplane.agent.object_text import read_object
from controlplane.agent.thinking_text import without_thoughts
from controlplane.agent.written_code import (
    code_block,
    state_line,
    untagged_block,
    xml_call,
)
from controlplane.agent.written_objects import WrittenObject, objects_in
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

State and plan have length limits, because small models fill them without end. Code has
no limit, because code that is cut off at a limit may look complete.
"""

WRITTEN_ARGUMENTS: Final = ("arguments", "parameters", "args", "input")
"""Keys that may hold the arguments of a tool call that is written as text."""


# --- Unusable replies ---


class Fault(StrEnum):
    """The reason why a reply is unusable. `FAULT_TEXTS` has the texts."""

    CUT_OFF = "cut_off"
    FILTERED = "filtered"
    REFUSED = "refused"
    EMPTY = "empty"
    ONLY_THOUGHTS = "only_thoughts"
    WRONG_TOOL = "wrong_tool"
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
    Fault.WRONG_TOOL: "called a tool that is not there",
    Fault.NO_OBJECT: "held no JSON object",
    Fault.GARBLED: "held JSON that cannot be read",
    Fault.WRONG_SHAPE: "held an object without code, a string with the Python to run",
    Fault.NO_CALL: "called no tool",
}
"""The text of each fault, to follow the words "the reply"."""

JSON_FORM: Final = (
    "Reply with one JSON object {state, plan, done, code} alone, quotes and newlines in its "
    "strings escaped"
)
FENCED_FORM: Final = (
    'a line "state: ..." and then the whole script in one ```python fence'
)


@dataclass(frozen=True, slots=True)
class Unusable:
    """A reply without an action."""

    reason: str
    """The text for the model."""
    fault: Fault
    details: str = ""
    """What follows the fault's text in the reason, such as `, 'search'` for a wrong
    tool."""

    @property
    def reason_in_fences(self) -> str:
        """The text for a model that was asked for scripts in fences."""
        fault_text = FAULT_TEXTS[self.fault]
        if self.fault is Fault.NO_OBJECT:
            fault_text = "held no script in a fence"
        return f"The reply {fault_text}{self.details}. Reply with {FENCED_FORM}."


def unusable(fault: Fault, details: str = "") -> Unusable:
    """Return an unusable reply. `details` follow the fault's text in the reason for the
    model."""
    form = JSON_FORM
    if fault is Fault.GARBLED:
        form += f"; or with {FENCED_FORM}"
    return Unusable(f"The reply {FAULT_TEXTS[fault]}{details}. {form}.", fault, details)


# --- Actions ---


def as_text(value: object) -> str:
    """Return a state as text. It may have any type, because it is only a remark."""
    return "" if value is None else str(value)


def as_flag(value: object) -> bool:
    """Return True if a value means yes: `true`, `"Yes"` or `1`."""
    return str(value).strip().casefold() in ("true", "yes", "1")


class Action(BaseModel):
    """One turn of a model: its state, its plan, whether it is done, and the code to
    run."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    # Each field is also read under names that models invent, such as `script` for
    # `code`.
    state: Annotated[str, BeforeValidator(as_text)] = Field(
        "", validation_alias=AliasChoices(*STATE_NAMES)
    )
    plan: tuple[str, ...] = Field((), validation_alias=AliasChoices(*PLAN_NAMES))
    done: Annotated[bool, BeforeValidator(as_flag)] = Field(
        False, validation_alias=AliasChoices(*DONE_NAMES)
    )
    code: str = Field(min_length=1, validation_alias=AliasChoices(*CODE_NAMES))
    others: int = 0
    """The number of further actions in the reply. They are not run."""

    @field_validator("plan", mode="before")
    @classmethod
    def plan_as_list(cls, value: object) -> object:
        """Return a plan as a list of steps. It may have any type, because it is only a
        remark."""
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
        """Return code as one repaired text. The model may write it as a list of lines.

        A value of another type is returned unchanged, and pydantic refuses it.
        """
        if isinstance(value, list | tuple) and value:
            lines = [line for line in value if isinstance(line, str)]
            if len(lines) == len(value):  # All of them are strings.
                value = "\n".join(line.removesuffix("\n") for line in lines)
        if not isinstance(value, str):
            return value
        return repaired_code(well_formed(value))


def action_call(reply: Reply) -> ToolCall | None:
    """Return the tool call that holds the action; None if the action is in the reply's
    text.

    It is the first call of the tool `execute_script`, or of a tool without a name.
    Calls without arguments are passed over. Some models invent a name for the tool. So
    the only call of a reply also counts, whatever its tool, if it has the arguments of
    an action.
    """
    for call in reply.tool_calls:
        name = call.name.rpartition(".")[
            2
        ]  # Some models put a namespace before the name.
        has_arguments = call.arguments.strip() not in ("", "null", "{}")
        if name in (TOOL_NAME, "") and has_arguments:
            return call
    if len(reply.tool_calls) == 1:
        (call,) = reply.tool_calls
        if has_arguments_of_action(call):
            return call
    return None


def has_arguments_of_action(call: ToolCall) -> bool:
    """Return True if a call has code, at least one of `state`, `plan` and `done`, and
    nothing else."""
    arguments = read_object(call.arguments) or {}
    has_code = any(name in CODE_NAMES for name in arguments)
    has_other_field = any(name in OTHER_NAMES for name in arguments)
    has_only_fields_of_actions = all(
        name in CODE_NAMES or name in OTHER_NAMES for name in arguments
    )
    return has_code and has_other_field and has_only_fields_of_actions


MAX_QUOTED_REFUSAL_CHARS: Final = 300
MAX_QUOTED_NAME_CHARS: Final = 80


def action_of(
    text: str,
    finish_reason: str = "stop",
    *,
    other_calls: Sequence[ToolCall] = (),
    reasoning: str = "",
) -> Action | Unusable:
    """Return the action in a reply's text, or the reason why it has none. Raises
    nothing.

    A reply that was cut off at the length limit is never used, because the missing part
    may change its meaning. For an empty text, `other_calls` (calls of other tools than
    `execute_script`) and `reasoning` (separate thinking) only serve to name the reason.
    """
    if finish_reason == "length":
        advice = ", so nothing of it was run: do less in this step, keep state and plan brief"
        return unusable(Fault.CUT_OFF, advice)
    if finish_reason == "refusal":
        refusal = " ".join(text.split())[:MAX_QUOTED_REFUSAL_CHARS]
        return unusable(Fault.REFUSED, f", {refusal!r}: go on with what can be done")
    if not text.strip():
        return reply_without_text(finish_reason, other_calls, reasoning)
    text_without_thoughts = without_thoughts(text)[: bounds.MOST_PARSED_CHARS]
    if not text_without_thoughts.strip():
        return unusable(Fault.ONLY_THOUGHTS)

    found = find_action(text_without_thoughts)
    if isinstance(found, Unusable):
        return found
    try:
        return Action.model_validate({**found.fields, "others": found.further_actions})
    except ValidationError:
        return unusable(Fault.WRONG_SHAPE)


def reply_without_text(
    finish_reason: str, other_calls: Sequence[ToolCall], reasoning: str
) -> Unusable:
    """Return the reason why a reply has no text, and so no action."""
    if finish_reason == "content_filter":
        return unusable(Fault.FILTERED)
    if other_calls:
        name = other_calls[0].name[:MAX_QUOTED_NAME_CHARS]
        return unusable(Fault.WRONG_TOOL, f", {name!r}")
    if reasoning.strip():
        return unusable(Fault.ONLY_THOUGHTS)
    return unusable(Fault.EMPTY)


# --- Finding the action in a text ---


@dataclass(frozen=True, slots=True)
class FoundAction:
    """The first action in a text, before its fields are validated."""

    fields: Mapping[str, object]
    further_actions: int = 0


@dataclass(slots=True)
class FoundObjects:
    """The objects in a text, by kind."""

    actions: list[Mapping[str, object]] = field(default_factory=list)
    """Objects with code. The first one is the action."""
    without_code: list[WrittenObject] = field(default_factory=list)
    """Objects before the first action with a field such as `state`, but no code."""
    unrelated_names: list[str] = field(default_factory=list)
    """The keys of the first object that has no field of an action, to tell the
    model."""
    unreadable_action: WrittenObject | None = None
    """An object before the first action that looks like an action but cannot be read.

    The search ends there: the model probably meant this object, and later ones may be
    examples."""


ESCAPED_OBJECT: Final = re2.compile(r'\{\s*\\"')
r"""Matches the start of an object that was escaped once too often: `{\"state\":
\"...\"}`."""

CODE_KEY: Final = re2.compile(rf"""["']?\b(?:{"|".join(CODE_NAMES)})\b["']?\s*:""")
"""Matches a key of code, such as `"code":`."""

_STRING: Final = r'''"(?P<content>(?:[^"\\]|\\.)*)"'''
"""A whole string: `"print(1)"`. The group `content` has the text between the quotation
marks."""
_NEXT_KEY: Final = r""",\s*(?:"\w+"|'\w+'|\w+)\s*:"""
"""The key of the next field: `, "done":`."""
_OBJECT_END: Final = r",?\s*\}\s*\z"
"""The closing brace at the end of the text."""
CODE_STRING: Final = re2.compile(
    rf"(?s){CODE_KEY.pattern}\s*{_STRING}\s*(?:{_NEXT_KEY}|{_OBJECT_END})"
)
"""Matches a key of code with its string, and the next key or the object's end: `"code":
"print(1)", "done":`. Without one of these two, a quotation mark inside the code could
pass for its end."""


def find_action(text: str, *, may_be_escaped: bool = True) -> FoundAction | Unusable:
    """Return the first action in a text, or the reason why it has none.

    `may_be_escaped` is False if one level of escapes has already been removed from the
    text.
    """
    # 1. Look for an object that is an action.
    objects = find_objects(text)
    if objects.unreadable_action is not None:
        return rescued_code(text, objects.unreadable_action)
    if objects.actions:
        return FoundAction(objects.actions[0], further_actions=len(objects.actions) - 1)

    # 2. Look for an object with state and plan, and for code in a fence next to it.
    if len(objects.without_code) == 1:
        state_and_plan = objects.without_code[0]
        code = code_block(text, beside=state_and_plan)
        if code is not None:
            return FoundAction({**(state_and_plan.value or {}), "code": code})

    # 3. Look for an object that is escaped once too often.
    escaped = ESCAPED_OBJECT.search(text) if may_be_escaped else None
    if escaped is not None:
        unescaped_text = unescaped(text[escaped.start() : text.rfind("}") + 1])
        if unescaped_text:
            return find_action(well_formed(unescaped_text), may_be_escaped=False)

    # 4. Look for code without any JSON. Code beside an object with a state was sought in 2.
    if not objects.without_code:
        bare_code = find_bare_code(text)
        if bare_code is not None:
            return bare_code

    # 5. Explain what the text has instead.
    if objects.without_code:
        return unusable(Fault.WRONG_SHAPE)
    if objects.unrelated_names:
        shown_names = [
            repr(name[:MAX_SHOWN_NAME_CHARS]) for name in objects.unrelated_names
        ]
        names = ", ".join(shown_names[:MAX_SHOWN_NAMES])
        return unusable(Fault.WRONG_SHAPE, f" (it has {names})")
    return unusable(Fault.NO_OBJECT)


MAX_SHOWN_NAMES: Final = 5
MAX_SHOWN_NAME_CHARS: Final = 40


def find_objects(text: str) -> FoundObjects:
    """Return the objects in a text that are actions, or that help to find one."""
    found = FoundObjects()
    for written_object in objects_in(text):
        # An object that cannot be read has the value None, and so no fields.
        fields = unwrapped(written_object.value or {})
        if has_code(fields) and not is_code_empty(fields):
            found.actions.append(fields)
        elif found.actions:
            continue  # After an action, only further actions count.
        elif written_object.value is None and written_object.is_action:
            found.unreadable_action = written_object
            break
        elif not OTHER_NAMES.isdisjoint(fields):
            found.without_code.append(written_object)
        elif not found.unrelated_names:
            found.unrelated_names = list(fields)
    return found


def find_bare_code(text: str) -> FoundAction | None:
    """Return code outside of JSON: from an XML call, or a fence with or without
    `python`."""
    call = xml_call(text)
    if call is not None:
        return FoundAction({"code": call.code}, call.further_calls)
    code = code_block(text)
    if code is None:
        code = untagged_block(text)
    if code is None:
        return None
    return FoundAction({"state": state_line(text), "code": code})


def unwrapped(value: dict[str, object]) -> dict[str, object]:
    """Return the action inside an object, or else the object itself.

    {"name": "execute_script", "arguments": {"state": "", "code": "1"}}  a call as text
    {"function": {"name": "execute_script", "arguments": "{...}"}}       another
    spelling {"action": {"state": "", "code": "1"}}                               the
    only field
    """
    if has_code(value):
        return value

    arguments = written_arguments(value)
    if arguments is not None:
        return arguments if has_code(arguments) else value

    if len(value) == 1:
        only_field = next(iter(value.values()))
        # Code without a `state`, `plan` or `done` beside it may be an example.
        if isinstance(only_field, dict) and has_code(only_field):
            has_other_field = any(name in OTHER_NAMES for name in only_field)
            return only_field if has_other_field else value
    return value


def written_arguments(value: dict[str, object]) -> dict[str, object] | None:
    """Return the arguments of an object that is a call of `execute_script`; None if it
    is not one.

    {"name": "execute_script", "arguments": {"code": "1"}}
    {"tool": "execute_script", "arguments": {"code": "1"}}
    {"function": "execute_script", "arguments": {"code": "1"}}
    {"function": {"name": "execute_script", "arguments": {"code": "1"}}}
    """
    function = value.get("function")
    call = function if isinstance(function, dict) else value
    if TOOL_NAME not in (call.get("name"), function, value.get("tool")):
        return None

    for name in WRITTEN_ARGUMENTS:
        if name in call:
            arguments = call[name]
            if isinstance(arguments, str):
                arguments = read_object(arguments)
            return arguments if isinstance(arguments, dict) else {}
    return {}


def has_code(fields: Mapping[str, object]) -> bool:
    """Return True if an object has code.

    The key is `code`, or `script` and the like beside a `state`, `plan` or `done`. An
    object with only a `script` may be anything.
    """
    if "code" in fields:
        return True
    has_other_field = not OTHER_NAMES.isdisjoint(fields)
    return has_other_field and any(name in fields for name in CODE_NAMES)


def is_code_empty(fields: Mapping[str, object]) -> bool:
    """Return True if an object has an empty field `code`."""
    return "code" in fields and fields["code"] in ("", None)


def rescued_code(text: str, unreadable: WrittenObject) -> FoundAction | Unusable:
    """Return the code of an object that cannot be read as a whole, or the object's
    fault.

    The code is used only if it is the only one from the object's start to the end of
    the text.
    """
    if unreadable.end is None:
        return garbled("not closed")
    object_text = text[unreadable.start : unreadable.end]
    code = code_string_in(object_text)
    text_from_object = text[unreadable.start :]
    has_other_code = len(CODE_KEY.findall(text_from_object)) > 1
    if code is not None and not has_other_code:
        return FoundAction({"code": code})

    # Explain what is wrong. An object that is valid JSON was not read because it has
    # two codes.
    try:
        json.loads(object_text, strict=False)
    except json.JSONDecodeError as error:
        near_fault = object_text[max(0, error.pos - 20) : error.pos + 20]
        return garbled(f"no JSON ({error.msg} near {' '.join(near_fault.split())!r})")
    except RecursionError:
        return garbled("nested too deeply")
    return garbled("ambiguous, with its code twice")


def code_string_in(object_text: str) -> str | None:
    """Return the code in the text of an object; None if it is uncertain.

    It must be one whole string, at the top level of the object, and a valid program.
    """
    match = CODE_STRING.search(object_text)
    if match is None:
        return None

    # Before a code at the top level, there are only the object's own brace and closed
    # lists, such as the plan. An action has no inner objects.
    before_code = object_text[: match.start()]
    has_inner_object = before_code.count("{") > 1
    is_in_list = before_code.count("[") != before_code.count("]")
    if has_inner_object or is_in_list:
        return None

    code = unescaped(match["content"])
    if not code or not code.strip():
        return None
    return code if is_program(code) else None


def garbled(fault: str) -> Unusable:
    """Return the unusable reply for a text whose first object cannot be read because of
    `fault`."""
    return unusable(Fault.GARBLED, f": its first object is {fault}, so nothing was run")
