"""Finds the JSON objects in a model's reply, however they are written."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import re2

from controlplane.gates.python_syntax import parse_expression

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

REMARK_NAMES: Final = frozenset({*STATE_NAMES, *PLAN_NAMES, *DONE_NAMES})
"""The names of the remarks: of all fields except the code."""


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
    """Return an object of fields: `[("code", "1")]` -> `{"code": "1"}`. Raises `ValueError`."""
    _refuse_two_scripts([name for name, _ in fields])
    return dict(fields)


def _refuse_two_scripts(names: Sequence[object]) -> None:
    """Raise `ValueError` if an object with these names seems to be two actions in one.

    The object itself would not show that, because it has only the last field of a name.
    """
    script_names = [name for name in names if name in CODE_NAMES]
    has_repeated_name = len(set(names)) < len(names)
    if len(script_names) > 1 and has_repeated_name:
        msg = "it has two scripts"
        raise ValueError(msg)


# Escapes the raw newlines in the strings of an object, which Python does not allow.
#
# {'say': 'one        ->  {'say': 'one\ntwo'}
# two'}

_STRING: Final = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
"""A string: `"a } b"` or `'a } b'`."""
_WHOLE_STRING: Final = re2.compile(f"(?s){_STRING}")


def _with_escaped_newlines(text: str) -> str:
    """Return a text in which each newline inside of a string is written as `\\n`."""
    return str(_WHOLE_STRING.sub(_escaped, text))


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
    _STRING,
    *_QUOTES,  # of a string that does not end
    "[{}]",
)
"""The forms of a token. The first one that matches is taken, so a whole string is tried before
its quotation marks."""

_TOKEN: Final = re2.compile("(?s)" + "|".join(_FORMS))
"""Matches a token of an object."""
_MAX_DEPTH: Final = 100
"""Models do not write deeper objects, and Python's parsers fail on them."""


# Reads a value that a model has written as Python, or as a mixture of Python and JSON.
#
# Neither JSON's parser reads the mixture `{'done': false}`, nor `ast.literal_eval`. But to Python's
# parser, `false` is the name of a variable. So the text is parsed as Python, and in the syntax tree
# the value `False` takes the place of this name.

_MAX_PYTHON_CHARS: Final = 100_000
"""Longer texts are not parsed as Python, because its parser needs much memory for them."""
_JSON_VALUES: Final[Mapping[str, Any]] = {"true": True, "false": False, "null": None}


class _JsonWords(ast.NodeTransformer):
    """Replaces the words of JSON by their values."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in _JSON_VALUES:
            return ast.Constant(_JSON_VALUES[node.id])
        return node


def _read_python(text: str) -> object:
    """Return the value of a text, as JSON would have it.

    `{'plan': ('read', 'answer'), -1: false}` -> `{"plan": ["read", "answer"], "-1": False}`

    Raises `ValueError` or `TypeError` if JSON has no such value, or what Python's parser raises.
    """
    if len(text) > _MAX_PYTHON_CHARS:
        msg = "the text is too long"
        raise ValueError(msg)
    tree = _JsonWords().visit(
        parse_expression(text, REPLY)
    )  # Warnings call it `<reply>`.
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            names = [key.value for key in node.keys if isinstance(key, ast.Constant)]
            _refuse_two_scripts(names)
    return json.loads(json.dumps(ast.literal_eval(tree)))


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

_ACTION_FIELD: Final = f"(?:{'|'.join([*CODE_NAMES, *sorted(REMARK_NAMES)])})"
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
    """Return the object whose opening brace is at `start`.

    `{"code": "1"} Yes` -> the end 13
    `{"a": "b`          -> no end, because a string begins that does not end
    """
    end = None
    depth = 0  # how many braces are open
    has_code_key = False  # outside of its strings
    for match in _TOKEN.finditer(text, start):
        token = match[0]
        if token.endswith(":"):
            has_code_key = True
        elif token in _OPEN_STRINGS or depth > _MAX_DEPTH:
            break
        elif token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth == 0:
                end = match.end()
                break

    if end is None:
        # It may have been cut off before its code, so its first field counts, too.
        is_action = has_code_key or bool(_ACTION_OPENING.match(text, start))
        return WrittenObject(start, None, {}, is_broken_action=is_action)
    fields = read_object(text[start:end])
    if fields is None:
        return WrittenObject(start, end, {}, is_broken_action=has_code_key)
    return WrittenObject(start, end, fields)


WRITTEN_ARGUMENTS: Final = ("arguments", "parameters", "args", "input")
"""Keys that may hold the arguments of a call that is written as text."""
