"""What ended a script, as text that its author can act on: the message, with lines of the script's own code only."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from sandbox.language.class_inspection import title
from sandbox.language.compiler import SCRIPT
from sandbox.language.language_policy import Refused

MAX_FRAMES: Final = 12
MAX_MESSAGE: Final = 4_000
MAX_CHAIN: Final = 3


def describe_refusal(refused: Refused) -> str:
    """Return all faults of a refused script, one a line."""
    head = "SyntaxError" if refused.is_syntax else "The script was refused; nothing of it ran"
    return "\n".join([f"{head}:", *(f"  {fault}" for fault in refused.faults)])


def describe_exception(error: BaseException, source: str, missing: Callable[[str], str]) -> str:
    """Return the traceback of `error` through the script's own lines, with what it was raised from.

    `missing(name)` says what to write in place of a name that is not defined, or nothing.
    """
    lines = source.splitlines()
    parts: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen and len(seen) < MAX_CHAIN:
        seen.add(id(current))
        cause = current.__cause__
        link = "\nwhich was raised from:\n" if cause is not None else "\nwhile handling:\n"
        parts.append(_describe_one(current, lines, missing))
        current = cause if cause is not None or current.__suppress_context__ else current.__context__
        if current is not None and id(current) not in seen and len(seen) < MAX_CHAIN:
            parts.append(link)
    return "".join(parts)


def _describe_one(error: BaseException, lines: list[str], missing: Callable[[str], str]) -> str:
    frames: list[str] = []
    entry = error.__traceback__
    while entry is not None:
        code = entry.tb_frame.f_code
        if code.co_filename == SCRIPT:
            where = "" if code.co_name == "<module>" else f", in {code.co_name}"
            line = lines[entry.tb_lineno - 1].strip() if 0 < entry.tb_lineno <= len(lines) else ""
            frames.append(f"  line {entry.tb_lineno}{where}: {line[:200]}")
        entry = entry.tb_next
    if len(frames) > MAX_FRAMES:
        half = MAX_FRAMES // 2
        frames[half:-half] = [f"  ... {len(frames) - MAX_FRAMES} more calls ..."]
    head = ["Traceback (your own lines, last call last):", *frames] if frames else []
    return "\n".join([*head, title_of(error, missing)])


def title_of(error: BaseException, missing: Callable[[str], str]) -> str:
    """Return `Type: message`, whatever the exception's own methods do."""
    name = title(type(error))
    message = "(its message cannot be shown)"
    with suppress(Exception):  # Its own `__str__` may raise anything.
        message = str.__str__(str(error))
    if len(message) > MAX_MESSAGE:
        cut = len(message) - MAX_MESSAGE
        message = f"{message[: MAX_MESSAGE // 2]} ... {cut} characters cut ... {message[-MAX_MESSAGE // 2 :]}"
    if isinstance(error, MemoryError) and not message:
        message = "the script needed more memory than it may add"
    if isinstance(error, NameError) and isinstance(error.name, str):
        hint = missing(error.name)
        message += f"; {hint}" if hint else ""
    return f"{name}: {message}" if message else name
