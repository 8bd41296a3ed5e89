"""Finds the JSON objects in a model's reply, however they are written."""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import re2

from controlplane.agent.model import TOOL_NAME
from controlplane.gates.python_syntax import parse_expression, parse_program
from controlplane.sandbox.interface import well_formed

# The file name of code that a model wrote.
#
# The command line filters Python's warnings by it, so this module imports none of ours.

REPLY: Final = "<reply>"
"""The file name of code that a model wrote, in Python's warnings."""


# The objects in a reply, written as JSON, as Python, or as something between.

# The fields of an action, and the names for them that are accepted.
#
# An action is the object `{state, plan, done, code}` that the script solver asks models for.
# Only the code is run. The other fields are remarks, which are recorded. Models also write other
# names, such as `script` for `code`.

# The accepted names of each field. The prompt asks for the first one.
STATE_NAMES: Final = ("state", "current_state")
PLAN_NAMES: Final = ("plan", "plan_remaining_steps_brief")
DONE_NAMES: Final = ("done", "task_completed")
CODE_NAMES: Final = ("code", "python_code", "script", "python")

_REMARK_NAMES: Final = frozenset({*STATE_NAMES, *PLAN_NAMES, *DONE_NAMES})
"""The names of the remarks: of all fields except the code."""


def has_code_field(fields: Mapping[str, object]) -> bool:
    """Return True if an object is meant as an action: it has a field for code, maybe an empty one.

    | object | has code |
    |---|---|
    | `{"code": ""}` | True |
    | `{"script": "1", "state": ""}` | True |
    | `{"script": "1"}` | False: without a remark, it may be anything |
    """
    if "code" in fields:
        return True
    return has_remark(fields) and any(name in fields for name in CODE_NAMES)


def has_code_to_run(fields: Mapping[str, object]) -> bool:
    """Return True if an object can be the action that is run: the first such object of a reply is.

    `{"code": "1"}` has code to run, and `{"code": ""}` has none. If an object has several names for
    the code, the first one of `CODE_NAMES` counts, as it is the one that is run.
    """
    if not has_code_field(fields):
        return False
    for name in CODE_NAMES:
        if name in fields:
            return fields[name] not in ("", None)
    return False


def has_remark(fields: Mapping[str, object]) -> bool:
    """Return True if an object has a `state`, a `plan` or a `done`."""
    return not _REMARK_NAMES.isdisjoint(fields)


def is_clear_action(fields: Mapping[str, object]) -> bool:
    """Return True if the arguments of a tool can only be an action: code, a remark, nothing else.

    | object | is clear |
    |---|---|
    | `{"state": "", "code": "1"}` | True |
    | `{"code": "1"}` | False: it has no remark |
    | `{"state": "", "code": "1", "path": "/a"}` | False: no action has a `path` |
    """
    names = set(fields)
    has_code_name = not names.isdisjoint(CODE_NAMES)
    has_other_name = not names.issubset({*CODE_NAMES, *_REMARK_NAMES})
    return has_code_name and has_remark(fields) and not has_other_name


# Makes an object of its fields, unless it seems to be two actions in one.
#
# An action has one script, in a field `code` or `script`. With two scripts and a repeated name, it
# is unknown which script the model meant:
#
# | fields as the model wrote them | |
# |---|---|
# | `{"code": "1", "code": "2"}` | refused |
# | `{"state": "a", "code": "1", "state": "b", "script": "2"}` | refused |
# | `{"code": "1", "script": "2"}` | accepted |


def _object_of(fields: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of fields: `[("code", "1")]` -> `{"code": "1"}`.

    Raises `ValueError` if it seems to be two actions in one. The object itself would not show
    that, because it has only the last field of a name.
    """
    names = [name for name, _ in fields]
    script_names = [name for name in names if name in CODE_NAMES]
    has_repeated_name = len(set(names)) < len(names)
    if len(script_names) > 1 and has_repeated_name:
        msg = "it has two scripts"
        raise ValueError(msg)
    return dict(fields)


# Escapes the raw newlines in the strings of an object, which Python does not allow.
#
# {'say': 'one        ->  {'say': 'one\ntwo'}
# two'}

STRING: Final = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
"""A string: `"a } b"` or `'a } b'`."""
_STRING: Final = re2.compile(f"(?s){STRING}")


def _with_escaped_newlines(text: str) -> str:
    """Return a text in which each newline inside of a string is written as `\\n`."""
    return str(_STRING.sub(_escaped, text))


def _escaped(string: Any) -> str:
    """Return a string without raw newlines."""
    return str(string[0]).replace("\n", "\\n")


# The tokens by which the end of an object is found, even if it is not valid JSON or Python.
#
# The object ends at the brace that closes its first one. Braces inside strings do not count, so
# strings are tokens, too. `{"a": "}"} Yes` has four tokens, and the last one ends the object:
#
#     {    "a"    "}"    }
#
# All text between tokens, such as the colon, is passed over. A key of code, as in `{"code": "1"}`, is
# a token with its colon. By it, an object is known as one that has a script to run.

_CODE_NAME: Final = f"(?:{'|'.join(CODE_NAMES)})"
_CODE_KEY: Final = rf"""(?:"{_CODE_NAME}"|'{_CODE_NAME}'|\b{_CODE_NAME}["']?)\s*:"""
"""The key of an action's code: `"code":`, `'code':` or `code:`.

Also `code":`, which is left over if a model writes a mark too many: after `"a"", "code": "1"`
the strings are `"a"` and `", "`."""

_LONG_STRING: Final = r'"""(?:[^\\]|\\.)*?"""' + "|" + r"'''(?:[^\\]|\\.)*?'''"
"""A whole string of Python in triple quotation marks: `'''a } b'''`."""

_LONG_QUOTES: Final = ('"""', "'''")
_QUOTES: Final = ('"', "'")
_OPEN_STRINGS: Final = (*_LONG_QUOTES, *_QUOTES)
"""If one of these marks is a token by itself, it begins a string that does not end. Then the object
has no end, either."""

_FORMS: Final = (
    _CODE_KEY,
    _LONG_STRING,
    *_LONG_QUOTES,  # of a long string that does not end
    STRING,
    *_QUOTES,  # of a string that does not end
    "[{}]",
)
"""The forms of a token. The first one that matches is taken, so a whole string is tried before
its quotation marks."""

TOKEN: Final = re2.compile("(?s)" + "|".join(_FORMS))
"""Matches a token of an object."""


# Finds where an object in a text ends: `{"a": "}"} Yes` -> after the second `}`.
#
# The object ends where its braces are balanced. It need not be valid JSON or Python. The text is
# read in tokens, so that braces inside strings do not count. A token is one of these:
#
#     { and }       the braces
#     "code":       a key of code, with its colon
#     "a" or "}"    any other string
#     "             a quotation mark (or three) that opens a string which does not end

_MAX_DEPTH: Final = 100
"""Models do not write deeper objects, and Python's parsers fail on them."""


@dataclass(frozen=True, slots=True)
class _ObjectSpan:
    """Where an object ends, and whether it looks like an action."""

    end: int | None
    """The position after the closing brace; None without a closing brace."""
    has_code_key: bool
    """True if a key of code, such as `"code":`, is outside of its strings."""


def _span_of_object(text: str, start: int) -> _ObjectSpan:
    """Return the span of the object whose opening brace is at `start`.

    `{"code": "1"} Yes` -> the end 13, with a key of code
    `{"a": "b`          -> no end, because a string begins that does not end
    """
    depth = 0  # how many braces are open
    has_code_key = False
    for match in TOKEN.finditer(text, start):
        token = match[0]
        is_code_key = token.endswith(":")
        if is_code_key:
            has_code_key = True
        elif token in _OPEN_STRINGS or depth > _MAX_DEPTH:
            break
        elif token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth == 0:
                return _ObjectSpan(match.end(), has_code_key)
    return _ObjectSpan(None, has_code_key)


# Reads a value that a model has written as Python, or as a mixture of Python and JSON.
#
# Neither JSON's parser reads the mixture `{'done': false}`, nor `ast.literal_eval`. But to Python's
# parser, `false` is the name of a variable. So the text is parsed as Python, and the values are taken
# from the syntax tree, where this name stands for the value `False`.

_MAX_PYTHON_CHARS: Final = 100_000
"""Longer texts are not parsed as Python, because its parser needs much memory for them."""
_JSON_VALUES: Final[Mapping[str, object]] = {"true": True, "false": False, "null": None}


def _read_python(text: str) -> object:
    """Return the value of a text, as JSON would have it.

    `{'plan': ('read', 'answer'), 'done': false}` -> `{"plan": ["read", "answer"], "done": False}`

    Raises `ValueError` if JSON has no such value, or what Python's parser raises.
    """
    if len(text) > _MAX_PYTHON_CHARS:
        msg = "the text is too long"
        raise ValueError(msg)
    tree = parse_expression(text, REPLY)  # Warnings call the text `<reply>`.
    return _value_of(tree.body)


def _value_of(node: ast.expr | None) -> object:
    """Return the value of a part of the syntax tree."""
    match node:
        case ast.Constant(value=None | bool() | str() as value):
            return value
        case ast.Constant(value=int() | float() as number):
            return _writable(number)
        case ast.UnaryOp(
            op=ast.USub() | ast.UAdd() as sign,
            operand=ast.Constant(value=int() | float() as number),
        ):
            return _writable(-number if isinstance(sign, ast.USub) else number)
        case ast.Name(id=name) if name in _JSON_VALUES:
            return _JSON_VALUES[name]
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value_of(item) for item in items]
        case ast.Dict():
            fields: list[tuple[str, object]] = []
            for key, field in zip(node.keys, node.values, strict=True):
                fields.append((_name_of(key), _value_of(field)))
            # Raises `ValueError` if it seems to be two objects.
            return _object_of(fields)
    msg = "JSON has no such value"  # It is a set, a call, a sum ...
    raise ValueError(msg)


def _writable(number: float) -> float:
    """Return a number. Raises `ValueError` for `0xfff...` with so many digits that Python refuses
    to write it in decimal, as JSON does."""
    str(number)
    return number


def _name_of(key: ast.expr | None) -> str:
    """Return the name of a field. In Python, it may be a number, too: `{-1: 20}` -> "-1"."""
    name = _value_of(key)
    if isinstance(name, list | dict):
        msg = "JSON has no such name"
        raise ValueError(msg)  # noqa: TRY004 - callers treat all bad text alike
    return str(name)


# Reads the text of an object leniently: as JSON, as Python, or as a mixture.
#
# Models that are asked for JSON also write Python (`{'done': True}`), and put raw newlines into
# strings.


def read_object(text: str) -> dict[str, object] | None:
    """Return the fields of an object that is written as text; None if it cannot be read.

    | text | read as |
    |---|---|
    | `{"done": false}` | JSON |
    | `{'done': False}`, `{'done': false}` | Python, with the words of JSON |
    | `{'say': 'one`, a raw newline, `two'}` | Python, after the newline was escaped |
    """
    for read in (_read_json, _read_python, _read_python_with_newlines):
        with suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            value = read(text)
            if isinstance(value, dict):
                return value
    return None


def _read_json(text: str) -> object:
    """Return a JSON value. `strict=False` allows raw newlines in strings."""
    return json.loads(text, strict=False, object_pairs_hook=_object_of)


def _read_python_with_newlines(text: str) -> object:
    return _read_python(_with_escaped_newlines(text))


# An object that a model has written in its reply, with its position.
#
# | text | `end` | `fields` | `is_broken_action` |
# |---|---|---|---|
# | `{"code": "look()"}` | 18 | `{"code": "look()"}` | False |
# | `{"code": look now}`, which cannot be read | 18 | `{}` | True |
# | `{"state": "I look`, which is cut off | None | `{}` | True |
# | `{"note": see below}`, which cannot be read | 19 | `{}` | False |


@dataclass(frozen=True, slots=True)
class WrittenObject:
    """An object in a text."""

    start: int
    end: int | None
    """The position after the closing brace; None without a closing brace."""
    fields: dict[str, object]
    """The fields by name; empty if the object cannot be read as JSON or Python."""
    is_broken_action: bool = False
    """True if the object cannot be read, but the model probably meant it as its action: it has a
    field for code, or is cut off and begins with a field of an action."""

    def covers(self, position: int) -> bool:
        """Return True if a position of the text is inside the object, if its end is known."""
        return self.end is not None and self.start < position < self.end


# Finds the objects in a reply of a model: `I look first. {"code": "look()"}` has one.
#
# Models also write objects that are neither JSON nor Python, or that have no closing brace. These
# are found, too, so that a broken action is not overlooked.

_MAX_OPENINGS: Final = 50
"""Max starts of objects that are looked at, so that the work grows linearly with the text. To
find the end of an object may take a pass over the rest of the text."""

_OPENING: Final = re2.compile(r"""\{\s*(?:["']|\w+\s*:)""")
"""Matches the start of an object: `{"`, `{'` or `{name:`."""

_ACTION_FIELD: Final = f"(?:{'|'.join([*CODE_NAMES, *sorted(_REMARK_NAMES)])})"
_ACTION_OPENING: Final = re2.compile(rf"""\{{\s*["']?{_ACTION_FIELD}["']?\s*:""")
"""Matches the start of an object whose first field is one of an action: `{"state":`."""


def objects_in(text: str) -> Iterator[WrittenObject]:
    """Yield the objects of a text in order, without the objects inside another one."""
    end_of_last = 0  # of the last object with a closing brace
    for opening in islice(_OPENING.finditer(text), _MAX_OPENINGS):
        start = opening.start()
        if start < end_of_last:
            continue  # It is inside of the last object.
        written = _object_at(start, text)
        if written.end is not None:
            end_of_last = written.end
        yield written


def _object_at(start: int, text: str) -> WrittenObject:
    """Return the object whose opening brace is at `start`."""
    span = _span_of_object(text, start)
    if span.end is None:
        # It may have been cut off before its code, so its first field counts, too.
        is_action = span.has_code_key or bool(_ACTION_OPENING.match(text, start))
        return WrittenObject(start, None, {}, is_broken_action=is_action)
    fields = read_object(text[start : span.end])
    if fields is None:
        return WrittenObject(start, span.end, {}, is_broken_action=span.has_code_key)
    return WrittenObject(start, span.end, fields)


# Reads a call of the script tool that a model wrote as text, in place of an action.
#
# Models use several forms. The arguments of all of these calls are `{"code": "1"}`:
#
#     {"name": "execute_script", "arguments": {"code": "1"}}
#     {"tool": "execute_script", "input": {"code": "1"}}
#     {"function": "execute_script", "args": {"code": "1"}}
#     {"function": {"name": "execute_script", "parameters": "{\"code\": \"1\"}"}}

WRITTEN_ARGUMENTS: Final = ("arguments", "parameters", "args", "input")
"""Keys that may hold the arguments of a call that is written as text."""


def script_arguments(fields: dict[str, Any]) -> dict[str, Any] | None:
    """Return the arguments of a call of `execute_script`; None if an object is not such a call.

    They are empty if the call has none, or none that can be read.
    """
    call = _script_call(fields)
    if call is None:
        return None
    for name in WRITTEN_ARGUMENTS:
        if name not in call:
            continue
        arguments = call[name]
        if isinstance(arguments, str):
            arguments = read_object(arguments)
        return arguments if isinstance(arguments, dict) else {}
    return {}


def _script_call(fields: dict[str, Any]) -> dict[str, Any] | None:
    """Return the object that has the arguments: the call itself, or its `function`."""
    function = fields.get("function")
    if isinstance(function, dict):
        has_tool_name = TOOL_NAME in (function.get("name"), fields.get("tool"))
        return function if has_tool_name else None
    has_tool_name = TOOL_NAME in (fields.get("name"), fields.get("tool"), function)
    return fields if has_tool_name else None


# Reads the fields of an action leniently, because models write them in many forms.
#
# | field | a model writes | read as |
# |---|---|---|
# | state | `null` | empty |
# | plan | `"read\nanswer"` | `["read", "answer"]` |
# | done | `"Yes"` | True |
# | code | `["a = 1", "print(a)"]` | `a = 1`, a newline, `print(a)` |

# Splits Python code into tokens, to find where its strings begin and end.
#
# The code need not be valid: models put line breaks inside strings, for example. Python's own
# tokenizer refuses such code.


@dataclass(frozen=True, slots=True)
class _CodeToken:
    """A piece of Python code: a quotation mark, an escape, a comment, or any other character."""

    text: str
    quote: str
    """The quotation mark of the string to which the token belongs: `'`. Empty outside of
    strings, and for the mark that ends a string."""


def tokens_of(code: str) -> Iterator[_CodeToken]:
    r"""Yield the tokens of code, which need not be valid. Joined, they are the code again.

    | tokens of `a="\n"#x` | `a` | `=` | `"` | `\n` | `"` | `#x` |
    |---|---|---|---|---|---|---|
    | their `quote` | | | `"` | `"` | | |
    """
    quote = ""
    position = 0
    while position < len(code):
        text = code[position]

        # In a string: an escape, or the string's end.
        if quote:
            if text == "\\":
                text = code[position : position + 2]
            elif code.startswith(quote, position):
                text = quote
                quote = ""

        # Outside of strings: the start of a string, or a comment.
        elif text in ("'", '"'):
            tripled = text * 3
            if code.startswith(tripled, position):
                text = tripled
            quote = text
        elif text == "#":
            text = code[position:].partition("\n")[0]
        yield _CodeToken(text, quote)
        position += len(text)


# Tells if a text is a Python program, and decodes programs that are written as JSON strings.
#
# `print(1)` is a program, and `print(1)}` is not. In a JSON string, a newline of a program is
# written as `\n`, which `unescaped` decodes.

_LANGUAGE_NAMES: Final = ("python", "python3", "py")
"""Words after a fence, or alone on the first line, that name the language."""
FENCE: Final = "```"
"""The mark before and after code in Markdown."""
_MAX_PROGRAM_CHARS: Final = 100_000
"""Longer texts are not parsed, because Python's parser needs much memory for them."""


_NO_BREAK_BLANK: Final = "\u00a0"


def _with_plain_blanks(code: str) -> str:
    """Return code with blanks in place of its no-break blanks, which Python refuses.

    Those in strings and comments are kept.
    """
    if _NO_BREAK_BLANK not in code or len(code) > _MAX_PROGRAM_CHARS:
        return code
    pieces = []
    for token in tokens_of(code):
        is_blank = token.text == _NO_BREAK_BLANK and not token.quote
        pieces.append(" " if is_blank else token.text)
    return "".join(pieces)


def is_program(code: str) -> bool:
    """Return True if `code` is a valid Python program of at most 100,000 characters.

    No-break blanks count as blanks, which `repaired_code` makes of them.
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


def unescaped(text: str) -> str | None:
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
    first_reading = code  # as in the first row
    second_reading = _with_escaped_quotes(code)  # as in the second row
    for json_string in (first_reading, second_reading):
        program = unescaped(json_string)
        if program is not None and is_program(program):
            return program
    return None


def _with_escaped_quotes(code: str) -> str:
    r"""Return code in which each `"` has a backslash before it, as in a JSON string.

    `look("a", \"b\")` -> `look(\"a\", \"b\")`
    """
    with_bare_quotes = code.replace('\\"', '"')
    return with_bare_quotes.replace('"', '\\"')


def _program_with_escaped_newlines(code: str) -> str | None:
    r"""Return code with `\n` in place of the newlines in its strings; None if it is no program.

    `look('`, a newline, `')` -> `look('\n')`

    For the `\n` in a string, a model must write two backslashes in JSON. With only one, the
    string has a newline, which a string in `'` or `"` must not have.
    """
    pieces: list[str] = []
    for token in tokens_of(code):
        # `quote` is how the string of the token begins: `'`, `"` or three of them. Empty outside.
        is_in_short_string = token.quote in ("'", '"')
        if token.text == "\n" and is_in_short_string:
            pieces.append("\\n")
        else:
            pieces.append(token.text)
    program = "".join(pieces)
    return program if is_program(program) else None


# Repairs code that is not a valid program, such as `print(total)}`.
#
# Models write code in JSON strings, and make mistakes with escapes and braces. A repair is used
# only if it makes a valid program of code that was none. So it never changes the meaning of a
# program.

_OBJECT_ENDS: Final = ("}", '"}', '"\n}')
"""The ends of a JSON object that models write after the code in it."""


def _repaired_program(code: str) -> str | None:
    r"""Return the program that the first fitting repair makes of code; None if none does.

    | code | program | repair |
    |---|---|---|
    | prose with one fence in it | the text in the fence | `_program_in_fence` |
    | `look(\"a\")` | `look("a")` | `_program_without_doubled_escapes` |
    | `look('`, a newline, `')` | `look('\n')` | `_program_with_escaped_newlines` |
    | `look()}` | `look()` | `_program_without_object_end` |
    """
    program = _program_in_fence(code)
    if program is None:
        program = _program_without_doubled_escapes(code)
    if program is None:
        program = _program_with_escaped_newlines(code)
    if program is None:
        program = _program_without_object_end(code)
    return program


def _program_in_fence(code: str) -> str | None:
    """Return the program in a fence in prose; None if the text has no fence, or several."""
    parts = code.split(FENCE)
    has_one_fence = len(parts) == 3  # before, inside and after it
    if not has_one_fence:
        return None
    block = parts[1]
    language, newline, program = block.partition("\n")
    if not newline or language.strip().lower() not in ("", *_LANGUAGE_NAMES):
        return None
    return program if program.strip() and is_program(program) else None


def _program_without_object_end(code: str) -> str | None:
    """Return code without the end of the JSON object after it, if that makes it a program.

    `"code": "print(total)}"` -> `print(total)`
    """
    stripped = code.rstrip()
    for end in _OBJECT_ENDS:
        program = stripped.removesuffix(end)
        if program != stripped and is_program(program):
            return program
    return None


# Repairs the form of code in a reply, such as a fence around it or wrong escapes.
#
# `python`, a newline, `print(1)}` -> `print(1)`
#
# A repair never changes the meaning of a valid program. It removes a wrapper, or it is
# used only if the code is not a valid program before it and is one after it.

_BYTE_ORDER_MARK: Final = "\ufeff"


def repaired_code(code: str) -> str:
    """Return the program in `code`.

    Removes a fence (three backticks) around it, and a first line `python`. If the rest is
    not a valid program, makes the first repair that leads to one. If none does, the rest is
    returned as it is. In either case, no-break blanks become blanks.
    """
    code = _without_fence(code.removeprefix(_BYTE_ORDER_MARK))
    code = _without_language_line(code)
    if not is_program(code):
        program = _repaired_program(code)
        if program is not None:
            code = program
    return _with_plain_blanks(code)


def _without_fence(code: str) -> str:
    """Return the code inside a fence that surrounds all of it; else the code unchanged.

    A fence begins with three backticks, and maybe `python`. The closing fence may be missing,
    if the reply was cut off.
    """
    first_line, _, rest = code.strip().partition("\n")
    if not first_line.startswith(FENCE):
        return code
    if first_line.removeprefix(FENCE).strip().lower() not in ("", *_LANGUAGE_NAMES):
        return code
    if rest.endswith(FENCE):
        rest = rest.removesuffix(FENCE).removesuffix("\n")
    # If there is another fence, the first one does not surround all of the code.
    return code if FENCE in rest else rest


def _without_language_line(code: str) -> str:
    """Return the code without a first line that has only the language's name.

    `python`, a newline, `print(1)` -> `print(1)`
    """
    first_line, newline, rest = code.lstrip().partition("\n")
    is_language = first_line.strip().lower() in _LANGUAGE_NAMES
    return rest if is_language and newline else code


MAX_PLAN_STEPS: Final = 5
"""A plan is only recorded, so further steps are left out."""


def state_of(value: object) -> str:
    """Return a state as text. Any type is accepted, because a state is only a remark."""
    return "" if value is None else str(value)


def steps_of(value: object) -> list[str]:
    """Return a plan as a list of steps. Any type is accepted, because a plan is only a remark."""
    if value is None:
        return []
    if isinstance(value, str):
        steps = [line.strip() for line in value.splitlines() if line.strip()]
    elif isinstance(value, list | tuple):
        steps = [str(step) for step in value]
    else:
        steps = [str(value)]
    return steps[:MAX_PLAN_STEPS]


def is_yes(value: object) -> bool:
    """Return True if a value means yes: `true`, `"Yes"` or `1`."""
    return str(value).strip().casefold() in ("true", "yes", "1")


def program_of(value: object) -> object:
    """Return code as one text, in the form of a program if a repair can give it this form.

    A value that is neither a text nor a list of lines is returned unchanged, and the
    validation refuses it.
    """
    if isinstance(value, list | tuple) and all(isinstance(line, str) for line in value):
        value = "\n".join(line.removesuffix("\n") for line in value)
    if not isinstance(value, str):
        return value
    # Lone surrogates are replaced, because they cannot be encoded.
    return repaired_code(well_formed(value))
