"""Code with a state line before it: a line in which the model says what it is doing.

    state: reading the rules
    ```
    print(1)
    ```

A fence in prose may be only an illustration. After a state line, it is the code to run.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.reply.code.code_block import OPENING_TAG
from controlplane.agent.reply.code.program_text import FENCE, is_program

STATE_PREFIX: Final = "state:"
"""The start of a line in which the model says what it is doing: `state: reading the rules`."""
MAX_STATE_CHARS: Final = 400
"""The limit of a state, also in the JSON schema of an action."""


def state_line(text: str) -> str:
    """Return the state from a line before the code; empty without such a line.

    `**State:** reading the rules` -> `reading the rules`
    """
    before_code = text.partition(FENCE)[0].partition(OPENING_TAG)[0]
    for line in before_code.splitlines():
        stripped = line.strip().strip("*")
        if stripped.lower().startswith(STATE_PREFIX):
            return stripped[len(STATE_PREFIX) :].strip(" *")[:MAX_STATE_CHARS]
    return ""


def untagged_block(text: str) -> str | None:
    """Return the program in the only fence of a text, if the fence names no language.

    None without such a program, or without a state line before it.
    """
    parts = text.split(FENCE)
    has_one_fence = len(parts) == 3  # before, inside and after it
    if not has_one_fence or not state_line(text):
        return None
    language, newline, code = parts[1].partition("\n")
    if language or not newline:
        return None
    return code if code.strip() and is_program(code) else None
