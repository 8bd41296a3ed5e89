"""The texts of what went wrong in a script: refusals, and tracebacks through the script's own
lines."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from traceback import walk_tb
from typing import Final, NamedTuple

from controlplane.sandbox.child.language.error_remedies import remedy_for_text_use
from controlplane.sandbox.interface import bounds

SCRIPT: Final = "<script>"
"""The file name in a script's code."""

_MAX_LINE_CHARS: Final = 200
"""Shown of one line of a script."""


class Fault(NamedTuple):
    """One refusal or syntax error; line counts from 1, column from 1 (0: unknown)."""

    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


class RefusedScript(Exception):
    """The script is refused or is not Python; nothing of it runs."""

    def __init__(self, faults: list[Fault], *, is_syntax: bool) -> None:
        super().__init__(*faults)
        self.faults = faults
        self.is_syntax = is_syntax


def describe_refusal(refused: RefusedScript) -> str:
    """Return all faults of a refused script, one per line."""
    if refused.is_syntax:
        lines = ["SyntaxError:"]
    else:
        lines = ["The script was refused; nothing of it ran:"]
    for fault in refused.faults:
        lines.append(f"  {fault}")
    return "\n".join(lines)


def describe_exception(
    error: BaseException, source: str, remedy_for_name: Callable[[str], str]
) -> str:
    """Return the traceback of `error` through the script's own lines, with its causes.

    `remedy_for_name` returns what to write instead of an undefined name, or an empty string.
    """
    lines = source.splitlines()
    text = _describe_one(error, lines, remedy_for_name)
    described = [error]

    while len(described) < bounds.SHOWN_CAUSES:
        earlier = _earlier_exception(error)
        if earlier is None or any(earlier is exception for exception in described):
            break
        if error.__cause__ is None:
            text += "\nwhile handling:\n"
        else:
            text += "\nwhich was raised from:\n"
        text += _describe_one(earlier, lines, remedy_for_name)
        described.append(earlier)
        error = earlier
    return text


def _earlier_exception(error: BaseException) -> BaseException | None:
    """Return the exception that led to `error`, as Python's own tracebacks do."""
    if error.__cause__ is not None or error.__suppress_context__:
        return error.__cause__
    return error.__context__


def _describe_one(
    error: BaseException, lines: list[str], remedy_for_name: Callable[[str], str]
) -> str:
    """Return the traceback of one exception, without its causes."""
    calls = _calls_in_script(error, lines)
    if len(calls) > bounds.SHOWN_FRAMES:
        half = bounds.SHOWN_FRAMES // 2
        hidden = len(calls) - bounds.SHOWN_FRAMES
        calls = [*calls[:half], f"  ... {hidden} more calls ...", *calls[-half:]]

    parts = []
    if calls:
        parts.append("Traceback (your own lines, last call last):")
        parts.extend(calls)
    parts.append(title_of(error, remedy_for_name))
    return "\n".join(parts)


def _calls_in_script(error: BaseException, lines: list[str]) -> list[str]:
    """Return a line for each call of the traceback that is in the script."""
    calls = []
    for frame, number in walk_tb(error.__traceback__):
        code = frame.f_code
        if code.co_filename != SCRIPT:
            continue
        function = "" if code.co_name == "<module>" else f", in {code.co_name}"
        line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
        calls.append(f"  line {number}{function}: {line[:_MAX_LINE_CHARS]}")
    return calls


def title_of(error: BaseException, remedy_for_name: Callable[[str], str]) -> str:
    """Return `Type: message`, even if the exception's own methods fail or lie."""
    message = "(its message cannot be shown)"
    with suppress(Exception):  # Its own `__str__` may raise anything.
        message = str.__str__(str(error))
    message = _shortened(message)

    if isinstance(error, MemoryError) and not message:
        message = "the script needed more memory than it may add"
    if isinstance(error, NameError) and isinstance(error.name, str):
        remedy = remedy_for_name(error.name)
        if remedy:
            message += f"; {remedy}"
    remedy_for_text = remedy_for_text_use(error)
    if remedy_for_text:
        message += f"; {remedy_for_text}"

    name = type(error).__name__
    return f"{name}: {message}" if message else name


def _shortened(message: str) -> str:
    """Return a message with its middle cut out if it is longer than a script is shown."""
    if len(message) <= bounds.SHOWN_MESSAGE_CHARS:
        return message
    half = bounds.SHOWN_MESSAGE_CHARS // 2
    cut = len(message) - bounds.SHOWN_MESSAGE_CHARS
    return f"{message[:half]} ... {cut} characters cut ... {message[-half:]}"
