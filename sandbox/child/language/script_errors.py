"""The errors that scripts raise, as the model reads them, with their remedies."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from traceback import walk_tb
from types import FrameType
from typing import Final, NamedTuple

import re2

from controlplane.sandbox.interface import bounds

# Remedies for four usual mistakes of scripts.
#
# They use the text of a file as if it were parsed (`text["id"]`), compute
# with a number that is still text, use a name before it has a value, or a key
# that a mapping does not have.

_INDEXED_BY_KEY: Final = (
    "string indices must be integers",
    "byte indices must be integers",
)
"""The beginnings of Python's messages for `text["key"]`."""

_METHODS_OF_DATA: Final = ("get", "items", "keys", "values", "append")
"""Methods of mappings and lists that scripts call on the text of a JSON file."""

# After `harness.read("/a.json").content["id"]`, or `.get("id")`
_PARSE_TEXT: Final = (
    'this is a text; of a JSON file write `harness.read(path).json()["key"]`'
)
# After `with harness.read("/a.md").content as file:`
_OMIT_WITH: Final = (
    "nothing is opened here: leave `with` out, `text = harness.read(path).content`"
)
# After `row["price"] * 1.2`
_CONVERT_TEXT: Final = (
    "one value is text, as all values of a CSV file are: write float(value)"
)
# After `harness.read("/a.md").content.read()`
_OMIT_READ: Final = "this is the text already; leave `.read()` out"


def _remedy_for_text_use(error: BaseException) -> str:
    """Return what to write if a script uses a text as a mapping, a list or a file.

    For example `harness.read("/a.json").content["id"]`, which must be parsed first.
    Empty for every other error.
    """
    if type(error) is TypeError and error.args:
        message = str(error.args[0])
        if message.startswith(_INDEXED_BY_KEY):
            return _PARSE_TEXT
        if "does not support the context manager protocol" in message:
            return _OMIT_WITH
        if _names_text_and_number(message):
            return _CONVERT_TEXT
    if type(error) is AttributeError and type(error.obj) is str:
        if error.name in _METHODS_OF_DATA:
            return _PARSE_TEXT
        if error.name in ("read", "readlines", "content"):
            return _OMIT_READ
    return ""


_NUMBER_NAMES: Final = ("'int'", "'float'", "real number")
"""The names of a number in Python's messages about a text that was used in its place or with it."""


def _names_text_and_number(message: str) -> bool:
    """Return True if the message of a `TypeError` is about a text in the place of a number.

    Python says so in two ways, which are shown below.
    """
    # `must be real number, not str`
    if message.endswith("not str"):
        return "real number" in message

    # `unsupported operand type(s) for +: 'int' and 'str'`
    names_number = any(name in message for name in _NUMBER_NAMES)
    return "'str'" in message and names_number


_MAX_KEYS: Final = 12
"""Keys that a message names."""
_MAX_KEY_CHARS: Final = 40
_NAME: Final = re2.compile(r"[A-Za-z_]\w*")


def _remedy_for_missing_key(error: BaseException, frame: FrameType, line: str) -> str:
    """Return a sentence with the keys that a dict has instead of a missing one.

    For the line `row["kilograms"]` it is `row has the keys date, hive, kg`. Empty if
    `error` is not about a missing key, or if no dict is found. `frame` is the frame in
    which the line ran.
    """
    if type(error) is not KeyError or len(error.args) != 1:
        return ""
    missing_key = error.args[0]
    if type(missing_key) is not str:
        return ""

    # The dict is probably the first variable in the line that is a dict without this key.
    for name in _NAME.findall(line):
        value = frame.f_locals.get(name)
        if type(value) is not dict or not value or missing_key in value:
            continue
        keys = [key[:_MAX_KEY_CHARS] for key in value if type(key) is str]
        more = ", …" if len(keys) > _MAX_KEYS else ""
        return f"{name} has the keys {', '.join(keys[:_MAX_KEYS])}{more}"
    return ""


def is_assigned(name: str, source: str) -> bool:
    """Return True if a script assigns to a name somewhere, so that it was used too early."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Store)
        ):
            return True
    return False


# The tracebacks that a model gets for exceptions of its script.
#
# A traceback shows only the lines of the script itself. Some errors get a remedy, because
# models make the same mistakes again and again.

# A script of which nothing runs: it is not Python, or uses syntax that is not allowed.
#
# The model gets all faults at once, each with its place in the script:
#
#     The script was refused; nothing of it ran:
#       line 3, column 5: name '__del__' is not available; use an ordinary name


class ScriptFault(NamedTuple):
    """One place where a script is refused, or is not Python.

    As a text: `line 3, column 5: name '__del__' is not available`. Lines and columns are
    counted from 1. The column is 0 if it is unknown.
    """

    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


class RefusedScript(Exception):
    """The language policy refuses the script, or it is not Python. Nothing of it runs."""

    def __init__(self, faults: list[ScriptFault], *, is_syntax: bool) -> None:
        super().__init__(*faults)
        self.faults = faults
        self.is_syntax = is_syntax
        """True if the script is not Python; False if the language policy refuses it."""


def describe_refusal(refused: RefusedScript) -> str:
    """Return the text with all faults of a refused script, one per line."""
    if refused.is_syntax:
        lines = ["SyntaxError:"]
    else:
        lines = ["The script was refused; nothing of it ran:"]
    for fault in refused.faults:
        lines.append(f"  {fault}")
    return "\n".join(lines)


SCRIPT: Final = "<script>"
"""The file name in a script's code."""

_MAX_LINE_CHARS: Final = 200
"""Characters shown of one line of a script."""


def describe_exception(
    error: BaseException, source: str, remedy_for_name: Callable[[str], str]
) -> str:
    """Return the traceback of `error`, and of the exceptions that led to it.

    It shows only calls in the script, not those in the library:

        Traceback (your own lines, last call last):
          line 3, in total: return sum(order["lines"])
        TypeError: unsupported operand type(s) for +: 'int' and 'dict'

    `remedy_for_name` returns what to write instead of an undefined name; empty if unknown.
    """
    lines = source.splitlines()
    text = _describe_one(error, lines, remedy_for_name)
    for later, earlier in pairwise(_chain_of_exceptions(error)):
        if later.__cause__ is None:
            text += "\nwhile handling:\n"
        else:
            text += "\nwhich was raised from:\n"
        text += _describe_one(earlier, lines, remedy_for_name)
    return text


def _chain_of_exceptions(error: BaseException) -> list[BaseException]:
    """Return `error` and the exceptions that led to it, the latest first, at most `SHOWN_CAUSES`."""
    chain = [error]
    while len(chain) < bounds.SHOWN_CAUSES:
        latest = chain[-1]
        # `raise B from A` sets the cause. `raise B` inside `except A` sets the context, which a
        # script can hide.
        earlier = latest.__cause__
        if earlier is None and not latest.__suppress_context__:
            earlier = latest.__context__
        if earlier is None:
            break
        # A script can make exceptions that led to each other in a circle.
        if any(earlier is exception for exception in chain):
            break
        chain.append(earlier)
    return chain


def _describe_one(
    error: BaseException, lines: list[str], remedy_for_name: Callable[[str], str]
) -> str:
    """Return the traceback of one exception, without its causes.

    `lines` are those of the script.
    """
    frames = list(walk_tb(error.__traceback__))
    call_lines = _calls_in_script(frames, lines)
    # Of deep recursion, show the outermost and the innermost calls.
    if len(call_lines) > bounds.SHOWN_FRAMES:
        half = bounds.SHOWN_FRAMES // 2
        hidden = len(call_lines) - bounds.SHOWN_FRAMES
        note = f"  ... {hidden} more calls ..."
        call_lines = [*call_lines[:half], note, *call_lines[-half:]]

    parts = []
    if call_lines:
        parts.append("Traceback (your own lines, last call last):")
        parts.extend(call_lines)
    title = title_of(error, remedy_for_name)
    # This remedy needs the variables of the last line, so it is apart from those in `title_of`.
    if frames:
        last_frame, line_number = frames[-1]
        line = _line_of_script(last_frame, line_number, lines)
        remedy_for_key = _remedy_for_missing_key(error, last_frame, line)
        if remedy_for_key:
            title += f"; {remedy_for_key}"
    parts.append(title)
    return "\n".join(parts)


def _line_of_script(frame: FrameType, number: int, lines: list[str]) -> str:
    """Return the line in which a call is; empty if it is not in the script."""
    is_in_script = frame.f_code.co_filename == SCRIPT
    return lines[number - 1] if is_in_script and 0 < number <= len(lines) else ""


def _calls_in_script(
    frames: list[tuple[FrameType, int]], lines: list[str]
) -> list[str]:
    """Return a line for each call of the traceback that is in the script.

    For example `  line 3, in total: return sum(lines)`.
    """
    calls = []
    for frame, line_number in frames:
        if frame.f_code.co_filename != SCRIPT:
            continue
        place = f"line {line_number}"
        if frame.f_code.co_name != "<module>":
            place += f", in {frame.f_code.co_name}"
        source_line = _line_of_script(frame, line_number, lines).strip()
        calls.append(f"  {place}: {source_line[:_MAX_LINE_CHARS]}")
    return calls


def title_of(error: BaseException, remedy_for_name: Callable[[str], str]) -> str:
    """Return the last line of a traceback: `KeyError: 'total'`, with a remedy if there is one."""
    message = "(its message cannot be shown)"
    with suppress(Exception):  # The exception's own `__str__` may raise anything.
        # A script's own `__str__` may return a subclass of `str`, which could misbehave later.
        # `str.__str__` makes a plain text of it.
        message = str.__str__(str(error))
    message = _shortened(message)

    # Add what helps with usual mistakes.
    # 1. Too much memory
    if isinstance(error, MemoryError) and not message:
        message = "the script needed more memory than it may add"

    # 2. An undefined name
    if isinstance(error, NameError) and isinstance(error.name, str):
        remedy = remedy_for_name(error.name)
        if remedy:
            message += f"; {remedy}"

    # 3. A text that is used as a mapping, a list, a file or a number
    remedy_for_text = _remedy_for_text_use(error)
    if remedy_for_text:
        message += f"; {remedy_for_text}"

    name = type(error).__name__
    return f"{name}: {message}" if message else name


def _shortened(message: str) -> str:
    """Return a message; if it is very long, with a note in place of its middle.

    `aaa ... 9000 characters cut ... zzz`
    """
    if len(message) <= bounds.SHOWN_MESSAGE_CHARS:
        return message
    half = bounds.SHOWN_MESSAGE_CHARS // 2
    cut = len(message) - bounds.SHOWN_MESSAGE_CHARS
    return f"{message[:half]} ... {cut} characters cut ... {message[-half:]}"
