"""Reads a text that is sent to the model from a file of the user, such as `first_message.md`.

The file may be named by mistake. So what cannot be read, is empty or is too long is an error
whose message names the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from controlplane.sandbox.interface import bounds


class PromptError(Exception):
    """A prompt text is missing, empty or too long, or has a hole that nothing fills."""


MAX_BYTES_PER_CHAR: Final = 4
"""The most bytes of a character in UTF-8."""


def read_text(path: Path) -> str:
    """Return the text of a prompt, or of the user's hints for all trials.

    Raises `PromptError` if it cannot be read, is empty, or is too long.
    """
    # Don't read a huge file whole, such as a log that was named by mistake.
    max_bytes = MAX_BYTES_PER_CHAR * bounds.MOST_PROMPT_CHARS
    try:
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise PromptError(msg) from error

    # A file that is too long may be cut in the middle of a character.
    is_cut = len(content) > max_bytes
    try:
        text = content.decode(errors="replace" if is_cut else "strict")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        msg = f"{path}, line {line}: it is not UTF-8 text"
        raise PromptError(msg) from error

    if len(text) > bounds.MOST_PROMPT_CHARS:
        size = f"{bounds.MOST_PROMPT_CHARS:,} characters"
        msg = f"{path} is longer than {size}, which every first request would carry; shorten it"
        raise PromptError(msg)
    if not text.strip():
        msg = f"{path} is empty"
        raise PromptError(msg)
    return text.replace("\r\n", "\n")
