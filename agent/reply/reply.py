"""The action in a model's reply: the script to run, or why there is none."""

from __future__ import annotations

import json
import warnings
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any, Final, NamedTuple

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
    PLAN_NAMES,
    REMARK_NAMES,
    STATE_NAMES,
    WRITTEN_ARGUMENTS,
    WrittenObject,
    objects_in,
    read_object,
)
from controlplane.agent.reply.unusable_reply import Fault, Unusable, without_thoughts
from controlplane.gates.python_syntax import parse_program
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

_MAX_PLAN_STEPS: Final = 5
"""A plan is only recorded, so further steps are left out."""
SCHEMA: Final = object_schema(
    {
        "state": {"type": "string", "maxLength": 400},
        "plan": {
            "type": "array",
            "items": {"type": "string", "maxLength": 200},
            "maxItems": _MAX_PLAN_STEPS,
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
        name = call.name.rpartition(".")[2]  # Some models put a namespace before it.
        if has_arguments and name in (TOOL_NAME, ""):
            return call
    if len(reply.tool_calls) != 1:
        return None
    # Arguments that can only be an action: code and a remark, and no other field.
    (call,) = reply.tool_calls
    names = set(read_object(call.arguments) or {})
    has_code = not names.isdisjoint(CODE_NAMES)
    has_other_name = not names.issubset({*CODE_NAMES, *REMARK_NAMES})
    return call if has_code and _has_remark(names) and not has_other_name else None


def _has_code_field(fields: Mapping[str, object]) -> bool:
    """Return True if an object is meant as an action: it has a field for code, maybe an empty one.

    | object | has code |
    |---|---|
    | `{"code": ""}` | True |
    | `{"script": "1", "state": ""}` | True |
    | `{"script": "1"}` | False: without a remark, it may be anything |
    """
    if "code" in fields:
        return True
    return _has_remark(fields) and any(name in fields for name in CODE_NAMES)


def _has_code_to_run(fields: Mapping[str, object]) -> bool:
    """Return True if an object can be the action that is run: the first such object of a reply is.

    `{"code": "1"}` has code to run, and `{"code": ""}` has none. If an object has several names for
    the code, the first one of `CODE_NAMES` counts, as it is the one that is run.
    """
    if not _has_code_field(fields):
        return False
    for name in CODE_NAMES:
        if name in fields:
            return fields[name] not in ("", None)
    return False


def _has_remark(fields: Collection[str]) -> bool:
    """Return True if an object with these fields has a `state`, a `plan` or a `done`."""
    return not REMARK_NAMES.isdisjoint(fields)


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

# Reads the fields of an action leniently, because models write them in many forms.
#
# | field | a model writes | read as |
# |---|---|---|
# | state | `null` | empty |
# | plan | `"read\nanswer"` | `["read", "answer"]` |
# | done | `"Yes"` | True |
# | code | `["a = 1", "print(a)"]` | `a = 1`, a newline, `print(a)` |

# Tells if a text is a Python program, and decodes programs that are written as JSON strings.
#
# `print(1)` is a program, and `print(1)}` is not. In a JSON string, a newline of a program is
# written as `\n`, which `_unescaped` decodes.

_LANGUAGE_NAMES: Final = ("python", "python3", "py")
"""Words after a fence, or alone on the first line, that name the language."""
_FENCE: Final = "```"
"""The mark before and after code in Markdown."""
_MAX_PROGRAM_CHARS: Final = 100_000
"""Longer texts are not parsed, because Python's parser needs much memory for them."""


# The parts of Python code that a repair must tell apart. The code need not be valid: models put line
# breaks inside strings, for example, and Python's own tokenizer refuses such code.
_LONG_STRING: Final = (
    r'"""(?:[^\\]|\\.)*?(?:"""|\\?\z)' + "|" + r"'''(?:[^\\]|\\.)*?(?:'''|\\?\z)"
)
_SHORT_STRING: Final = (
    r'"(?:[^"\\]|\\.)*(?:"|\\?\z)' + "|" + r"'(?:[^'\\]|\\.)*(?:'|\\?\z)"
)
_NO_BREAK_BLANK: Final = "\u00a0"
_CODE_PART: Final = re2.compile(
    rf"(?s)#[^\n]*|{_LONG_STRING}|(?P<short_string>{_SHORT_STRING})|(?P<blank>{_NO_BREAK_BLANK})"
)
"""Matches a comment, a string with or without an end, or a no-break blank outside of them."""
_STRING_PART: Final = re2.compile(r"(?s)\\.|(?P<newline>\n)")
"""Matches an escape in a string, or a raw newline."""


def _with_plain_blanks(code: str) -> str:
    """Return code with blanks in place of its no-break blanks, which Python refuses.

    Those in strings and comments are kept.
    """
    if _NO_BREAK_BLANK not in code or len(code) > _MAX_PROGRAM_CHARS:
        return code
    return str(_CODE_PART.sub(_plain_blank, code))


def _plain_blank(part: Any) -> str:
    return " " if part["blank"] else str(part[0])


def _is_program(code: str) -> bool:
    """Return True if `code` is a valid Python program of at most 100,000 characters.

    No-break blanks count as blanks, which `_repaired_code` makes of them.
    """
    if len(code) > _MAX_PROGRAM_CHARS:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            parse_program(_with_plain_blanks(code))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _unescaped(text: str) -> str | None:
    """Return a text after decoding its JSON escapes: `a\\tb` -> `a`, a tab, `b`.

    Returns None if the text could not stand in a JSON string.
    """
    with suppress(ValueError):
        return str(json.loads(f'"{text}"', strict=False))
    return None


# Repairs code whose escapes are wrong, because it was written into a JSON string.
#
# A newline in a JSON string is written as `\n`, and a quotation mark as `\"`. Models write these
# escapes once too often, or not often enough:
#
# | code | program | mistake |
# |---|---|---|
# | `look(\"a\")` | `look("a")` | everything was escaped twice |
# | `look('`, a newline, `')` | `look('\n')` | a `\n` in a string needs two backslashes, and had one |


def _program_without_doubled_escapes(code: str) -> str | None:
    r"""Return code that is still written as a JSON string, as a program; None if it is not one.

    Some models escape their code twice for the JSON string that it is in, so that one level of
    escapes remains when the JSON is read:

    | code | program |
    |---|---|
    | `look(\"a\")\nsend()` | `look("a")`, a newline, `send()` |
    | `look("a")\nsend()` | the same: the model escaped only the newline twice |
    """
    if "\\n" not in code and '\\"' not in code:
        return None
    # As in the second row: each `"` has a backslash before it, as in a JSON string.
    with_escaped_quotes = code.replace('\\"', '"').replace('"', '\\"')
    for json_string in (code, with_escaped_quotes):
        program = _unescaped(json_string)
        if program is not None and _is_program(program):
            return program
    return None


def _program_with_escaped_newlines(code: str) -> str | None:
    r"""Return code with `\n` in place of the newlines in its strings; None if it is no program.

    `look('`, a newline, `')` -> `look('\n')`

    For the `\n` in a string, a model must write two backslashes in JSON. With only one, the
    string has a newline, which a string in `'` or `"` must not have.
    """
    program = str(_CODE_PART.sub(_without_raw_newlines, code))
    return program if _is_program(program) else None


def _without_raw_newlines(part: Any) -> str:
    """Return a part of code, with `\\n` in place of the newlines if it is a string in `'` or `"`."""
    if not part["short_string"]:
        return str(part[0])
    return str(_STRING_PART.sub(_escaped_newline, part[0]))


def _escaped_newline(part: Any) -> str:
    return "\\n" if part["newline"] else str(part[0])


# Repairs code that is not a valid program, such as `print(total)}`.
#
# Models write code in JSON strings, and make mistakes with escapes and braces. A repair is used
# only if it makes a valid program of code that was none. So it never changes the meaning of a
# program.

_OBJECT_ENDS: Final = ("}", '"}', '"\n}')
"""The ends of a JSON object that models write after the code in it."""


def _program_in_fence(
    text: str, languages: Sequence[str] = ("", *_LANGUAGE_NAMES)
) -> str | None:
    """Return the program in the only fence of a text, if one of these languages is named there."""
    parts = text.split(_FENCE)
    has_one_fence = len(parts) == 3  # before, inside and after it
    if not has_one_fence:
        return None
    language, newline, program = parts[1].partition("\n")
    if not newline or language.strip().lower() not in languages:
        return None
    return program if program.strip() and _is_program(program) else None


def _program_without_object_end(code: str) -> str | None:
    """Return code without the end of the JSON object after it, if that makes it a program.

    `"code": "print(total)}"` -> `print(total)`
    """
    stripped = code.rstrip()
    for end in _OBJECT_ENDS:
        program = stripped.removesuffix(end)
        if program != stripped and _is_program(program):
            return program
    return None


def _without_fence(code: str) -> str:
    """Return the code inside a fence that surrounds all of it; else the code unchanged.

    A fence begins with three backticks, and maybe `python`. The closing fence may be missing,
    if the reply was cut off.
    """
    first_line, _, rest = code.strip().partition("\n")
    if not first_line.startswith(_FENCE):
        return code
    if first_line.removeprefix(_FENCE).strip().lower() not in ("", *_LANGUAGE_NAMES):
        return code
    if rest.endswith(_FENCE):
        rest = rest.removesuffix(_FENCE).removesuffix("\n")
    # If there is another fence, the first one does not surround all of the code.
    return code if _FENCE in rest else rest


def _without_language_line(code: str) -> str:
    """Return the code without a first line that has only the language's name.

    `python`, a newline, `print(1)` -> `print(1)`
    """
    first_line, newline, rest = code.lstrip().partition("\n")
    is_language = first_line.strip().lower() in _LANGUAGE_NAMES
    return rest if is_language and newline else code


# Repairs the form of code in a reply, such as a fence around it or wrong escapes.
#
# `python`, a newline, `print(1)}` -> `print(1)`
#
# A repair never changes the meaning of a valid program. It removes a wrapper, or it is
# used only if the code is not a valid program before it and is one after it.

_BYTE_ORDER_MARK: Final = "\ufeff"
_REPAIRS: Final = (
    _program_in_fence,  # prose with one fence in it
    _program_without_doubled_escapes,  # look(\"a\") -> look("a")
    _program_with_escaped_newlines,  # a raw newline in a string -> \n
    _program_without_object_end,  # look()} -> look()
)
"""What makes a program of code; the first that succeeds is used."""


def _repaired_code(code: str) -> str:
    """Return the program in `code`.

    Removes a fence (three backticks) around it, and a first line `python`. If the rest is
    not a valid program, makes the first repair that leads to one. If none does, the rest is
    returned as it is. In either case, no-break blanks become blanks.
    """
    code = _without_fence(code.removeprefix(_BYTE_ORDER_MARK))
    code = _without_language_line(code)
    if not _is_program(code):
        for repair in _REPAIRS:
            program = repair(code)
            if program is not None:
                return _with_plain_blanks(program)
    return _with_plain_blanks(code)


def _state_of(value: object) -> str:
    """Return a state as text. Any type is accepted, because a state is only a remark."""
    return "" if value is None else str(value)


def _steps_of(value: object) -> list[str]:
    """Return a plan as a list of steps. Any type is accepted, because a plan is only a remark."""
    if value is None:
        return []
    if isinstance(value, str):
        steps = [line.strip() for line in value.splitlines() if line.strip()]
    elif isinstance(value, list | tuple):
        steps = [str(step) for step in value]
    else:
        steps = [str(value)]
    return steps[:_MAX_PLAN_STEPS]


def _is_yes(value: object) -> bool:
    """Return True if a value means yes: `true`, `"Yes"` or `1`."""
    return str(value).strip().casefold() in ("true", "yes", "1")


def _program_of(value: object) -> object:
    """Return code as one text, in the form of a program if a repair can give it this form.

    A value that is neither a text nor a list of lines is returned unchanged, and the
    validation refuses it.
    """
    if isinstance(value, list | tuple) and all(isinstance(line, str) for line in value):
        value = "\n".join(line.removesuffix("\n") for line in value)
    if not isinstance(value, str):
        return value
    # Lone surrogates are replaced, because they cannot be encoded.
    return _repaired_code(well_formed(value))


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

    state: Annotated[str, BeforeValidator(_state_of)] = Field(
        "", validation_alias=AliasChoices(*STATE_NAMES)
    )
    """What the model is at, in words."""
    plan: Annotated[tuple[str, ...], BeforeValidator(_steps_of)] = Field(
        (), validation_alias=AliasChoices(*PLAN_NAMES)
    )
    """The next steps, at most 5."""
    done: Annotated[bool, BeforeValidator(_is_yes)] = Field(
        False, validation_alias=AliasChoices(*DONE_NAMES)
    )
    """True if the model says that its task is done. Nothing depends on it."""
    code: Annotated[str, BeforeValidator(_program_of)] = Field(
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


class _CodeBlock(NamedTuple):
    """A block of Python in a reply: code between two fences (```), or between tags."""

    code: str
    start: int
    """Where the block starts in the reply."""


def _code_block(text: str) -> _CodeBlock | None:
    """Return the only block of Python in a reply.

    Returns None if there is not exactly one, or if it is uncertain where the code ends.
    """
    # A fence or a tag without its partner: either the text was cut off, or the code itself has such a
    # mark in it.
    has_open_fence = text.count(_FENCE) % 2 == 1
    has_open_tag = text.count(_OPENING_TAG) != text.count("</code>")
    blocks = list(_BLOCK.finditer(text))
    if len(blocks) != 1 or has_open_fence or has_open_tag:
        return None
    block = blocks[0]
    code = str(block["fenced"] or block["tagged"] or "")
    return _CodeBlock(code, block.start()) if code.strip() else None


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
    before_code = text.partition(_FENCE)[0].partition(_OPENING_TAG)[0]
    for line in before_code.splitlines():
        stripped = line.strip().strip("*")
        if stripped.lower().startswith(_STATE_PREFIX):
            return stripped[len(_STATE_PREFIX) :].strip(" *")[:_MAX_STATE_CHARS]
    return ""


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
    plain_text = _unescaped(escaped_object)
    if plain_text is None:
        return ""  # The object has escapes that JSON does not know.
    return well_formed(plain_text)


# Finds the code in the text of an object that is neither valid JSON nor Python.
#
# Models forget quotes: `{"state": fee read, "code": "print(1)"}`. The code is run if only one can be
# meant: there is one key of code, and it is certain where the string after it ends. The next field
# must follow the string, or the end of the object, because a model may also forget to escape a
# quotation mark inside of it. Otherwise nothing is run, and the model is told what is wrong.

_CODE_KEY: Final = re2.compile(rf"""["']?\b(?:{"|".join(CODE_NAMES)})\b["']?\s*:""")
"""Matches a key of code: `"code":`."""
_QUOTED_STRING: Final = re2.compile(r'''(?s)\s*"((?:[^"\\]|\\.)*)"''')
"""Matches a string: `"print(1)"`. Group 1 is its content, `print(1)`."""
_STRING_END: Final = re2.compile(r"""\s*(?:,\s*(?:"\w+"|'\w+'|\w+)\s*:|,?\s*\}\s*\z)""")
"""Matches what follows a whole string: the key of the next field, `, "done":`, or the closing brace
at the end of the object."""


def _rescued_code(text: str, broken: WrittenObject) -> str | Unusable:
    """Return the code of the broken action in `text`, or why nothing is run.

    | `broken`, and the text after it | result |
    |---|---|
    | `{"state": fee read, "code": "print(1)` | `Unusable`: it may be cut off |
    | `{"state": fee read, "code": "print(1)"} {"code": "print(2)"}` | `Unusable`: which is meant? |
    | `{"state": fee read, "code": "print(1)"}` | `print(1)` |
    """
    fault = "not closed"
    if broken.end is not None:
        object_text = text[broken.start : broken.end]
        code_keys = _CODE_KEY.findall(text[broken.start :])  # such as `"code":`
        code = _quoted_code(object_text) if len(code_keys) <= 1 else None
        if code is not None:
            return code
        fault = _fault_in(object_text)
    return Unusable(Fault.GARBLED, f": its first object is {fault}, so nothing was run")


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
    if key is None:
        return None
    text_before = object_text[: key.start()]
    is_in_inner_object = text_before.count("{") > 1  # The first brace opens the object.
    is_in_list = text_before.count("[") != text_before.count("]")
    string = _QUOTED_STRING.match(object_text, key.end())
    if is_in_inner_object or is_in_list or string is None:
        return None
    if not _STRING_END.match(object_text, string.end()):
        return None
    code = _unescaped(string[1])
    is_usable = code is not None and code.strip() and _is_program(code)
    return code if is_usable else None


def _fault_in(object_text: str) -> str:
    """Return why an object cannot be read: `no JSON (Expecting value near '{"state": fee read}')`."""
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


def _action(
    fields: Mapping[str, object], further_actions: int = 0
) -> Action | Unusable:
    """Return the action that has these fields, of any types, if its code can be read."""
    try:
        return Action.model_validate({**fields, "further_actions": further_actions})
    except ValidationError:
        return Unusable(Fault.WRONG_SHAPE)


def _action_among(
    objects: Sequence[WrittenObject], text: str
) -> Action | Unusable | None:
    """Return the action among the objects in `text`; None if there is none.

    Returns `Unusable` if an object was meant as the action, but its code is uncertain.
    """
    for index, written in enumerate(objects):
        if written.is_broken_action:
            # The model meant it as the action. The objects after it may be examples.
            code = _rescued_code(text, written)
            return code if isinstance(code, Unusable) else _action({"code": code})
        if _has_code_to_run(written.fields):
            later = objects[index + 1 :]
            further = [other for other in later if _has_code_to_run(other.fields)]
            return _action(written.fields, len(further))

    # An object without code, such as `{"state": "fee read"}`, and a block. The block may belong to
    # any of several such objects. In a string of the object, it is not code to run.
    remarks = [written for written in objects if _has_remark(written.fields)]
    block = _code_block(text)
    if len(remarks) != 1 or block is None or remarks[0].covers(block.start):
        return None
    return _action({**remarks[0].fields, "code": block.code})


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
    if any(_has_remark(written.fields) for written in objects):
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
# for it also write a call of a tool, in several forms, or put it into another object:
#
#     {"name": "execute_script", "arguments": {"code": "1"}}                              -> {"code": "1"}
#     {"tool": "execute_script", "input": {"code": "1"}}                                  -> the same
#     {"function": "execute_script", "args": {"code": "1"}}                               -> the same
#     {"function": {"name": "execute_script", "parameters": "{\"code\": \"1\"}"}}         -> the same
#     {"action": {"state": "", "code": "1"}}                             -> {"state": "", "code": "1"}


def _unwrapped(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the action inside an object; without one, the object itself."""
    if _has_code_field(fields):
        return fields

    # The arguments of a call are in the object itself, or in its `function`.
    function = fields.get("function")
    call = function if isinstance(function, dict) else fields
    if TOOL_NAME in (call.get("name"), fields.get("tool"), function):
        names = [name for name in WRITTEN_ARGUMENTS if name in call]
        arguments = call[names[0]] if names else None
        if isinstance(arguments, str):
            arguments = read_object(arguments)
        if isinstance(arguments, dict) and _has_code_field(arguments):
            return arguments
        return fields

    # Its only field may be an action. Without a remark, the code may be an example:
    # `{"example": {"code": "1"}}`
    if len(fields) != 1:
        return fields
    (value,) = fields.values()
    if isinstance(value, dict) and _has_code_field(value) and _has_remark(value):
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


def _xml_action(text: str) -> Action | Unusable | None:
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
    return _action({"code": code[1]}, further_actions=len(call_texts) - 1)


# Finds the action in a reply of the model: the script to run, and the fields beside it.
#
# The reply should have a JSON object. Other forms are searched in this order:
#
# | reply | action |
# |---|---|
# | `{"state": "reading", "code": "print(1)"}` | this object |
# | `{\"code\": \"print(1)\"}` | the object without the needless escapes |
# | an XML call | its code |
# | `state: reading`, and a block of Python with `print(1)` | the state and the code |


def _find_action(text: str) -> Action | Unusable:
    """Return the first action in a text, or the reason why it has none."""
    texts = [text]
    unescaped_object = _plain_object(text)
    if unescaped_object:
        texts.append(unescaped_object)
    objects: list[WrittenObject] = []
    for text in texts:
        objects = []
        for written in objects_in(text):
            # The action may be inside one: `{"action": {"state": "", "code": "1"}}`.
            objects.append(replace(written, fields=_unwrapped(written.fields)))
        action = _action_among(objects, text)
        if action is not None:
            return action

    # If the model wrote `{"state": "..."}`, it meant this as the action, and other code is not used.
    if any(_has_remark(written.fields) for written in objects):
        return _fault_of(objects)
    xml_call = _xml_action(text)
    if xml_call is not None:
        return xml_call
    state = _state_line(text)
    block = _code_block(text)
    code = None
    if block is not None:
        code = block.code
    elif state:
        # A fence without a language may be only an illustration, but not after a state line.
        code = _program_in_fence(text, languages=("",))
    if code is None:
        return _fault_of(objects)
    return _action({"state": state, "code": code})


_MAX_QUOTED_NAME_CHARS: Final = 80
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

    # The model is told why there is no text, because the next step depends on it: it may have called
    # a tool that does not exist, or thought until the end of its reply.
    if not text.strip():
        if finish_reason == "content_filter":
            return Unusable(Fault.FILTERED)
        if other_calls:
            name = other_calls[0].name[:_MAX_QUOTED_NAME_CHARS]
            return Unusable(Fault.WRONG_TOOL, f", {name!r}")
        return Unusable(Fault.ONLY_THOUGHTS if reasoning.strip() else Fault.EMPTY)
    answer = without_thoughts(text)[: bounds.MOST_PARSED_CHARS]
    if not answer.strip():
        return Unusable(Fault.ONLY_THOUGHTS)
    return _find_action(answer)
