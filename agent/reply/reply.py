"""The action in a model's reply: the script to run, or why there is none."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

import re2
from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)

from controlplane.agent.model import TOOL_NAME, Reply, ToolCall, object_schema
from controlplane.agent.reply.objects import (
    CODE_NAMES,
    DONE_NAMES,
    FENCE,
    MAX_PLAN_STEPS,
    PLAN_NAMES,
    STATE_NAMES,
    WrittenObject,
    has_code_field,
    has_code_to_run,
    has_remark,
    is_clear_action,
    is_program,
    is_yes,
    objects_in,
    program_of,
    read_object,
    script_arguments,
    state_of,
    steps_of,
    unescaped,
)
from controlplane.agent.reply.unusable_reply import Fault, Unusable, without_thoughts
from controlplane.sandbox.interface import bounds, well_formed

# Finds the tool call of a reply that holds the action: the script of one turn.
#
# Models are offered one tool for this, and call it with the fields of the action:
#
#     execute_script({"state": "reading", "plan": [], "done": false, "code": "print(1)"})

# The JSON schema of an action: the script of one turn, and remarks about it.
#
# It is sent to endpoints that constrain the output of a model by a schema:
#
#     {"state": "reading the rules", "plan": ["answer"], "done": false, "code": "print(1)"}

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
"""State and plan have length limits, because small models would fill them without end. Code has no
limit: code that an endpoint cuts off at a limit may look complete."""


_NO_ARGUMENTS: Final = ("", "null", "{}")
"""What models write as the arguments of a call without any."""


def action_call(reply: Reply) -> ToolCall | None:
    """Return the call that holds the action; None if no call of the reply does.

    | calls | returned |
    |---|---|
    | `execute_script({"code": "1"})` | the call |
    | `read({...})` and `functions.execute_script({"code": "1"})` | the second one |
    | `run({"state": "", "code": "1"})`, a tool that the model invented | the call |
    | `read({"path": "/a"})` | None |
    """
    for call in reply.tool_calls:
        has_arguments = call.arguments.strip() not in _NO_ARGUMENTS
        if has_arguments and _calls_script_tool(call):
            return call
    if len(reply.tool_calls) == 1 and _is_clear_action(reply.tool_calls[0]):
        return reply.tool_calls[0]
    return None


def _calls_script_tool(call: ToolCall) -> bool:
    """Return True for a call of `execute_script`, or of a tool without a name."""
    name = call.name.rpartition(".")[2]  # Some models put a namespace before it.
    return name in (TOOL_NAME, "")


def _is_clear_action(call: ToolCall) -> bool:
    """Return True if the arguments of a call are clearly an action, whatever its name is."""
    arguments = read_object(call.arguments)
    return arguments is not None and is_clear_action(arguments)


# Reads the action from a reply of a model: the script of one turn, and remarks about it.
#
# | reply | `action_of` returns |
# |---|---|
# | `{"state": "reading", "code": "print(1)"}` | `Action(state="reading", code="print(1)")` |
# | `I look:` and a block of Python with `print(1)` | `Action(code="print(1)")` |
# | `{"state": "reading", "code": "pri` | `Unusable`, with the reason for the model |
#
# Forms other than JSON are accepted if their meaning is certain. `action_of` never guesses: code
# that was cut off, or that cannot be read, is not run.

# The action of one turn: the code to run, and remarks about it.
#
# Models do not keep to one form. These are the same action:
#
#     {"state": "reading", "plan": ["answer"], "done": false, "code": "print(1)"}
#     {"current_state": "reading", "plan": "answer", "done": "no", "script": "print(1)"}


class Action(BaseModel):
    """What a model wants to do in one turn.

    Models also use other names, such as `script` for `code`, and other forms:

    `{"state": "reading the rules", "plan": "answer", "done": "no", "script": "print(1)"}` ->
    `Action(state="reading the rules", plan=("answer",), done=False, code="print(1)")`
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    state: Annotated[str, BeforeValidator(state_of)] = Field(
        "", validation_alias=AliasChoices(*STATE_NAMES)
    )
    """What the model is at, in words."""
    plan: Annotated[tuple[str, ...], BeforeValidator(steps_of)] = Field(
        (), validation_alias=AliasChoices(*PLAN_NAMES)
    )
    """The next steps, at most 5."""
    done: Annotated[bool, BeforeValidator(is_yes)] = Field(
        False, validation_alias=AliasChoices(*DONE_NAMES)
    )
    """True if the model says that its task is done. Nothing depends on it."""
    code: Annotated[str, BeforeValidator(program_of)] = Field(
        min_length=1, validation_alias=AliasChoices(*CODE_NAMES)
    )
    """The script to run, in Python."""
    further_actions: int = 0
    """How many actions follow in the same reply. They are not run."""


# Finds code in a reply outside of JSON: in a fence with the word `python`, or between tags.
#
# Models that make mistakes with escapes in JSON strings write correct code in these forms:
#
#     I read the rules.
#     <code>
#     print(1)
#     </code>

_OPENING_TAG: Final = "<code>"
"""The tag in front of code."""

_FENCED_CODE: Final = r"```(?i:python3?|py)\b[^\n`]*\n(?P<fenced>.*?)```"
"""A fence of Python: a line `` ```python ``, the code, and `` ``` ``."""
_TAGGED_CODE: Final = r"<code>\n(?P<tagged>.*?)\n</code>"
"""A pair of tags on separate lines, with the code between them."""
_BLOCK: Final = re2.compile(f"(?s){_FENCED_CODE}|{_TAGGED_CODE}")


@dataclass(frozen=True, slots=True)
class _CodeBlock:
    """A block of Python in a reply: code between two fences (```), or between tags."""

    code: str
    start: int
    """Where the block starts in the reply."""


def _code_block(text: str) -> _CodeBlock | None:
    """Return the only block of Python in a reply.

    Returns None if there is not exactly one, or if it is uncertain where the code ends.
    """
    blocks = list(_BLOCK.finditer(text))
    if len(blocks) != 1 or _has_unpaired_mark(text):
        return None
    block = blocks[0]
    code = str(block["fenced"] or block["tagged"] or "")
    return _CodeBlock(code, block.start()) if code.strip() else None


def _has_unpaired_mark(text: str) -> bool:
    """Return True if a fence or a tag of code has no partner.

    Either the text was cut off, or the code itself has such a mark in it. It is then
    uncertain where the code ends.
    """
    has_open_fence = text.count(FENCE) % 2 == 1
    has_open_tag = text.count(_OPENING_TAG) != text.count("</code>")
    return has_open_fence or has_open_tag


# Code with a state line before it: a line in which the model says what it is doing.
#
#     state: reading the rules
#     ```
#     print(1)
#     ```
#
# A fence in prose may be only an illustration. After a state line, it is the code to run.

_STATE_PREFIX: Final = "state:"
"""The start of a line in which the model says what it is doing: `state: reading the rules`."""
_MAX_STATE_CHARS: Final = 400
"""The limit of a state, also in the JSON schema of an action."""


def _state_line(text: str) -> str:
    """Return the state from a line before the code; empty without such a line.

    `**State:** reading the rules` -> `reading the rules`
    """
    before_code = text.partition(FENCE)[0].partition(_OPENING_TAG)[0]
    for line in before_code.splitlines():
        stripped = line.strip().strip("*")
        if stripped.lower().startswith(_STATE_PREFIX):
            return stripped[len(_STATE_PREFIX) :].strip(" *")[:_MAX_STATE_CHARS]
    return ""


def _untagged_block(text: str) -> str | None:
    """Return the program in the only fence of a text, if the fence names no language.

    None without such a program, or without a state line before it.
    """
    parts = text.split(FENCE)
    has_one_fence = len(parts) == 3  # before, inside and after it
    if not has_one_fence or not _state_line(text):
        return None
    language, newline, code = parts[1].partition("\n")
    if language or not newline:
        return None
    return code if code.strip() and is_program(code) else None


# Reads an object that a model has escaped once too often, as if it were inside a JSON string.
#
# | reply | object |
# |---|---|
# | `{\"code\": \"print(1)\"}` | `{"code": "print(1)"}` |
# | `{"code": "print(\"a\")"}` | none: its marks are not escaped, only those in a string |

_ESCAPED_OBJECT: Final = re2.compile(r'\{\s*\\"')
r"""Matches the start of an object that was escaped once too often: `{\"state\": \"...\"}`."""


def _plain_object(text: str) -> str:
    """Return the object in a text, without the escapes; empty if there is no such object."""
    opening = _ESCAPED_OBJECT.search(text)
    if opening is None:
        return ""
    escaped_object = text[opening.start() : text.rfind("}") + 1]
    plain_text = unescaped(escaped_object)
    if plain_text is None:
        return ""  # The object has escapes that JSON does not know.
    return well_formed(plain_text)


# Reads a string in the text of an object that cannot be parsed, if its end is certain.
#
# A model may forget to escape a quotation mark inside of a string. So the string must be followed by
# the next field, or by the end of the object:
#
# | text | string |
# |---|---|
# | `"print(1)", "done": 0}` | `print(1)` |
# | `"print(1)"}` | `print(1)` |
# | `"print("a")"}` | None: neither a field nor the object's end follows `"print("` |

_QUOTED_STRING: Final = re2.compile(r'''(?s)\s*"((?:[^"\\]|\\.)*)"''')
"""Matches a string: `"print(1)"`. Group 1 is its content, `print(1)`."""
_NEXT_FIELD: Final = re2.compile(r"""\s*,\s*(?:"\w+"|'\w+'|\w+)\s*:""")
"""Matches the key of the next field: `, "done":`."""
_OBJECT_END: Final = re2.compile(r"\s*,?\s*\}\s*\z")
"""Matches the closing brace at the end of the object."""


def _certain_string(object_text: str, start: int) -> str | None:
    """Return the decoded string at `start`; None without one, or if its end is uncertain."""
    string = _QUOTED_STRING.match(object_text, start)
    if string is None:
        return None
    end = string.end()
    next_field = _NEXT_FIELD.match(object_text, end)
    is_true_end = next_field or _OBJECT_END.match(object_text, end)
    return unescaped(string[1]) if is_true_end else None


# Finds the code in the text of an object that is neither valid JSON nor Python.
#
# `{"state": fee read, "code": "print(1)", "done": false}` -> `print(1)`
#
# The state lacks its quotation marks, but it is certain which code the model meant: there is one key
# of code, and it is certain where the string after it ends.

_CODE_KEY: Final = re2.compile(rf"""["']?\b(?:{"|".join(CODE_NAMES)})\b["']?\s*:""")
"""Matches a key of code: `"code":`."""


def _quoted_code(object_text: str) -> str | None:
    """Return the code of an object with one key of code; None if the code is uncertain.

    | object | code |
    |---|---|
    | `{"state": fee read, "code": "print(1)"}` | `print(1)` |
    | `{"state": fee read, "code": "print("a")"}` | None: where does the string end? |
    | `{"state": fee read, "code": "print(1"}` | None: it is not a valid program |
    | `{"state": {"code": "print(1)", "done": 0}}` | None: it belongs to an inner object |
    | `{"plan": [all, "code": "print(1)", "done": 0]}` | None: it is in a list |
    """
    key = _CODE_KEY.search(object_text)
    if key is None or _is_inside_field(object_text[: key.start()]):
        return None
    code = _certain_string(object_text, key.end())
    is_usable = code is not None and code.strip() and is_program(code)
    return code if is_usable else None


def _is_inside_field(text_before: str) -> bool:
    """Return True if a key belongs to an inner object, or is in a list.

    `text_before` is the text of the object before the key: `{"state": {`, `{"plan": [all, `.
    """
    is_in_inner_object = text_before.count("{") > 1  # The first brace opens the object.
    is_in_list = text_before.count("[") != text_before.count("]")
    return is_in_inner_object or is_in_list


# Rescues the code of a broken action: an object that is neither valid JSON nor Python.
#
# Models forget quotes: `{"state": fee read, "code": "print(1)"}`. If only one code can be meant, it
# is run. Otherwise nothing is run, and the model is told what is wrong with the object.


def _rescued_code(text: str, broken: WrittenObject) -> str | Unusable:
    """Return the code of the broken action in `text`, or why nothing is run.

    | `broken`, and the text after it | result |
    |---|---|
    | `{"state": fee read, "code": "print(1)` | `Unusable`: it may be cut off |
    | `{"state": fee read, "code": "print(1)"} {"code": "print(2)"}` | `Unusable`: which is meant? |
    | `{"state": fee read, "code": "print(1)"}` | `print(1)` |
    """
    if broken.end is None:
        return _unusable("not closed")
    object_text = text[broken.start : broken.end]
    code_keys = _CODE_KEY.findall(text[broken.start :])  # such as `"code":`
    if len(code_keys) <= 1:
        code = _quoted_code(object_text)
        if code is not None:
            return code
    return _unusable(_fault_in(object_text))


def _unusable(fault: str) -> Unusable:
    """Return why nothing was run, for the model to read.

    `: its first object is no JSON (Expecting value near '{"state": fee read}'), so nothing was run`
    """
    return Unusable(Fault.GARBLED, f": its first object is {fault}, so nothing was run")


def _fault_in(object_text: str) -> str:
    """Return why an object cannot be read."""
    try:
        json.loads(object_text, strict=False)
    except json.JSONDecodeError as error:
        near_fault = object_text[max(0, error.pos - 20) : error.pos + 20]
        return f"no JSON ({error.msg} near {' '.join(near_fault.split())!r})"
    except RecursionError:
        return "nested too deeply"
    # Only one kind of valid JSON is not read: `{"code": "1", "code": "2"}`.
    return "ambiguous, with its code twice"


# The action among the objects of a reply: the first object that has code to run.
#
# Each of these replies runs `print(1)`:
#
#     {"path": "/a.md"} {"state": "", "code": "print(1)"}         an object with code
#     {"state": "", "code": "print(1)"} {"code": "print(2)"}      the first of two
#     {"state": fee read, "code": "print(1)"}                     a broken object: quotes are missing
#     {"state": "fee read"}, and a block of Python `print(1)`     an action in two parts


@dataclass(frozen=True, slots=True)
class _FoundAction:
    """The first action in a reply. Its fields may have any type, until they are validated."""

    fields: Mapping[str, object]
    """The fields by name: `{"state": "no fee found yet", "code": "print(1)"}`."""
    further_actions: int = 0
    """How many actions follow in the same text. They are not run."""


def _action_among(
    objects: Sequence[WrittenObject], text: str
) -> _FoundAction | Unusable | None:
    """Return the action among the objects in `text`; None if there is none.

    Returns `Unusable` if an object was meant as the action, but its code is uncertain.
    """
    for index, written in enumerate(objects):
        if written.is_broken_action:
            # The model meant it as the action. The objects after it may be examples.
            code = _rescued_code(text, written)
            if isinstance(code, Unusable):
                return code
            return _FoundAction({"code": code})
        if has_code_to_run(written.fields):
            later = objects[index + 1 :]
            further = [other for other in later if has_code_to_run(other.fields)]
            return _FoundAction(written.fields, len(further))
    return _action_in_two_parts(objects, text)


def _action_in_two_parts(
    objects: Sequence[WrittenObject], text: str
) -> _FoundAction | None:
    """Return the action of an object without code, such as `{"state": "fee read"}`, and a block.

    The object needs a remark: a `state`, a `plan` or a `done`. None if the reply has no such
    object, or several: the block may belong to any of these.
    """
    remarks = [written for written in objects if has_remark(written.fields)]
    if len(remarks) != 1:
        return None
    block = _code_block(text)
    # A block in a string of the object is not code to run.
    if block is None or remarks[0].covers(block.start):
        return None
    return _FoundAction({**remarks[0].fields, "code": block.code})


# Says what the objects of a reply have, if none of them is an action.
#
# | the objects in a reply | what the model is told |
# |---|---|
# | `{"state": "fee read"}`, with a remark of an action | the object has the wrong shape |
# | `{"path": "/a.md", "fee": 7}` | the same, and its names: ` (it has 'path', 'fee')` |
# | none | there is no object |

_MAX_SHOWN_NAMES: Final = 5
_MAX_SHOWN_NAME_CHARS: Final = 40


def _fault_of(objects: Sequence[WrittenObject]) -> Unusable:
    """Return what a reply with these objects has instead of an action."""
    # A remark is a `state`, a `plan` or a `done`, which an action has beside its code.
    if any(has_remark(written.fields) for written in objects):
        return Unusable(Fault.WRONG_SHAPE)
    for written in objects:
        if written.fields:  # It can be read.
            names = list(written.fields)[:_MAX_SHOWN_NAMES]
            shown = [repr(name[:_MAX_SHOWN_NAME_CHARS]) for name in names]
            detail = f" (it has {', '.join(shown)})"
            return Unusable(Fault.WRONG_SHAPE, detail)
    return Unusable(Fault.NO_OBJECT)


# Finds the action inside an object that a model wrote as text.
#
# An action is an object with the code to run: `{"state": "", "code": "1"}`. Models that are asked
# for it also write a call of a tool, or put it into another object:
#
#     {"name": "execute_script", "arguments": {"code": "1"}}  ->  {"code": "1"}
#     {"action": {"state": "", "code": "1"}}                  ->  {"state": "", "code": "1"}


def _unwrapped(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the action inside an object; without one, the object itself."""
    # 1. The object is an action: `{"state": "", "code": "1"}`
    if has_code_field(fields):
        return fields

    # 2. It is a call, whose arguments may be an action:
    #    `{"name": "execute_script", "arguments": {"code": "1"}}`
    arguments = script_arguments(fields)
    if arguments is not None:
        return arguments if has_code_field(arguments) else fields

    # 3. Its only field may be an action: `{"action": {"state": "", "code": "1"}}`. Without a
    #    remark, the code may be an example: `{"example": {"code": "1"}}`
    if len(fields) != 1:
        return fields
    (value,) = fields.values()
    if isinstance(value, dict) and has_code_field(value) and has_remark(value):
        return value
    return fields


# Finds the code in a call of the script tool that a model wrote as XML in its reply.
#
# Some models write their calls in the text of a reply, in the form of their training data:
#
#     <function=execute_script><parameter=code>print(1)</parameter></function>
#     <invoke name="execute_script"><parameter name="code">print(1)</parameter></invoke>

_CALL_START: Final = re2.compile(r"<(?:function|invoke)\b")
"""Matches the start of a call. Qwen3-Coder writes `<function`, and MiniMax `<invoke`."""
_TOOL: Final = re2.compile(rf"""[= "']*(?:name=)?["']?{TOOL_NAME}\b""")
"""Matches the tool's name, as it follows the start: `=execute_script`, ` name="execute_script`."""
_CODE_PARAMETER: Final = re2.compile(
    r"""(?s)<parameter[^>]*\bcode["']?>\n?(.*?)\n?</parameter>"""
)
"""Matches `<parameter=code>print(1)</parameter>`, or the same with ` name="code"`.

Group 1 is the code, without a newline before and after it."""


def _xml_action(text: str) -> _FoundAction | None:
    """Return the first call written as XML; None if there is none, or if it calls another tool."""
    # Each text goes from the start of a call to the start of the next one.
    call_texts = _CALL_START.split(text)[1:]
    if not call_texts:
        return None
    first_call = call_texts[0]
    tool = _TOOL.match(first_call)
    if tool is None:
        return None
    code = _CODE_PARAMETER.search(first_call, tool.end())
    if code is None:
        return None
    return _FoundAction({"code": code[1]}, further_actions=len(call_texts) - 1)


# Finds the action in a reply of the model: the script to run, and the fields beside it.
#
# The reply should have a JSON object. Other forms are searched in this order:
#
# | reply | action |
# |---|---|
# | `{"state": "reading", "code": "print(1)"}` | this object |
# | `{\"code\": \"print(1)\"}` | the object without the needless escapes |
# | `state: reading`, and a block of Python with `print(1)` | the state and the code |


def _find_action(text: str) -> _FoundAction | Unusable:
    """Return the first action in a text, or the reason why it has none."""
    # 1. A JSON object: `{"state": "...", "code": "print(1)"}`
    objects = _unwrapped_objects(text)
    action = _action_among(objects, text)
    if action is not None:
        return action

    # 2. An object that was escaped once too often: `{\"code\": \"print(1)\"}`
    unescaped_object = _plain_object(text)
    if unescaped_object:
        text = unescaped_object
        objects = _unwrapped_objects(text)
        action = _action_among(objects, text)
        if action is not None:
            return action

    # 3. Code outside of JSON: an XML call, or a block of Markdown. But if the model wrote
    #    `{"state": "..."}`, it meant this as the action, and other code is not used.
    if any(has_remark(written.fields) for written in objects):
        return _fault_of(objects)
    return _bare_code(text) or _fault_of(objects)


def _unwrapped_objects(text: str) -> list[WrittenObject]:
    """Return the objects in a text. The action may be inside one: `{"action": {"state": "", "code": "1"}}`."""
    return [
        replace(written, fields=_unwrapped(written.fields))
        for written in objects_in(text)
    ]


def _bare_code(text: str) -> _FoundAction | None:
    """Return an action of code in an XML call, or in a block of Markdown; None if there is none.

    The state is in a line such as `state: reading the rules`.
    """
    xml_call = _xml_action(text)
    if xml_call is not None:
        return xml_call
    block = _code_block(text)
    code = _untagged_block(text) if block is None else block.code
    if code is None:
        return None
    return _FoundAction({"state": _state_line(text), "code": code})


# Why a reply has no text, and so no action to run.
#
# The model is told the reason, because the next step depends on it: it may have called a tool that
# does not exist, or thought until the end of its reply.

_MAX_QUOTED_NAME_CHARS: Final = 80


def _fault_of_empty_text(
    finish_reason: str, other_calls: Sequence[ToolCall], reasoning: str
) -> Unusable:
    """Return the reason why a reply has no text, and so no action.

    | reply | reason |
    |---|---|
    | `finish_reason="content_filter"` | was withheld by the endpoint's filter |
    | a call of the tool `search` | called a tool that is not there |
    | `reasoning="Hm."` | held thinking alone |
    | anything else | was empty |
    """
    if finish_reason == "content_filter":
        return Unusable(Fault.FILTERED)
    if other_calls:
        name = other_calls[0].name[:_MAX_QUOTED_NAME_CHARS]
        return Unusable(Fault.WRONG_TOOL, f", {name!r}")
    if reasoning.strip():
        return Unusable(Fault.ONLY_THOUGHTS)
    return Unusable(Fault.EMPTY)


_MAX_QUOTED_REFUSAL_CHARS: Final = 300


def action_of(
    text: str,
    finish_reason: str = "stop",
    *,
    other_calls: Sequence[ToolCall] = (),
    reasoning: str = "",
) -> Action | Unusable:
    """Return the action in a reply's text, or the reason why it has none.

    Args:
        text: The text, or the arguments of the tool call that holds the action.
        finish_reason: Why the model stopped: `stop`, `length`, `refusal` ...
        other_calls: Calls of other tools. They only tell why the text is empty.
        reasoning: Thinking apart from the text. It only tells why the text is empty.
    """
    # A reply that was cut off is never used: the missing part may change its meaning.
    if finish_reason == "length":
        advice = ", so nothing of it was run: do less in this step, keep state and plan brief"
        return Unusable(Fault.CUT_OFF, advice)
    if finish_reason == "refusal":
        refusal = " ".join(text.split())[:_MAX_QUOTED_REFUSAL_CHARS]
        return Unusable(Fault.REFUSED, f", {refusal!r}: go on with what can be done")
    if not text.strip():
        return _fault_of_empty_text(finish_reason, other_calls, reasoning)

    answer = without_thoughts(text)[: bounds.MOST_PARSED_CHARS]
    if not answer.strip():
        return Unusable(Fault.ONLY_THOUGHTS)
    found = _find_action(answer)
    if isinstance(found, Unusable):
        return found
    try:
        return Action.model_validate(
            {**found.fields, "further_actions": found.further_actions}
        )
    except ValidationError:
        return Unusable(Fault.WRONG_SHAPE)
