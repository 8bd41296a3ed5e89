"""Finds code in a reply outside of JSON: in a fence, in tags, or in a call written as XML.

Models that make mistakes with escapes in JSON strings write correct code in these forms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import re2

from controlplane.agent.code_repairs import is_program
from controlplane.agent.model import TOOL_NAME
from controlplane.agent.written_objects import WrittenObject

FENCE: Final = "```"
STATE_PREFIX: Final = "state:"
MAX_STATE_CHARS: Final = 400
"""The same limit as in the JSON schema of an action."""

BLOCK: Final = re2.compile(r"(?s)```(?i:python3?|py)\b[^\n`]*\n(.*?)```|<code>\n(.*?)\n</code>")
"""Matches a fence of Python, or a pair of `<code>` tags on separate lines."""

XML_CALL: Final = re2.compile(r"""<(?:function|invoke)\b""")
"""Matches the start of a call in the XML of Qwen3-Coder and MiniMax."""

XML_CODE: Final = re2.compile(
    rf"""(?s)[= "']*(?:name=)?["']?{TOOL_NAME}\b"""
    r""".*?<parameter[^>]*\bcode["']?>\n?(.*?)\n?</parameter>"""
)
"""Matches the code in a call of `execute_script`, starting after `<function` or `<invoke`:

    <function=execute_script><parameter=code>print(1)</parameter></function>
    <invoke name="execute_script"><parameter name="code">print(1)</parameter></invoke>
"""


@dataclass(frozen=True, slots=True)
class XmlCall:
    """A call of `execute_script`, written as XML."""

    code: str
    further_calls: int
    """The number of calls after it. They are not run."""


def xml_call(text: str) -> XmlCall | None:
    """Return the first call written as XML; None if there is none, or if it calls another tool."""
    calls = XML_CALL.split(text)[1:]
    if not calls:
        return None
    match = XML_CODE.match(calls[0])
    if match is None:
        return None
    return XmlCall(match[1], len(calls) - 1)


def code_block(text: str, beside: WrittenObject | None = None) -> str | None:
    """Return the code of the only block of Python in a text; None if there is not exactly one.

    `beside` is an object without code. A block inside it is part of one of its strings, and does
    not count.
    """
    blocks = list(BLOCK.finditer(text))
    is_every_block_closed = text.count(FENCE) % 2 == 0 and text.count("<code>") == text.count(
        "</code>"
    )
    if len(blocks) != 1 or not is_every_block_closed:
        return None
    block = blocks[0]
    if beside is not None and beside.end is not None:
        if beside.start < block.start() < beside.end:
            return None
    code = str(block[1] or block[2] or "")
    return code if code.strip() else None


def state_line(text: str) -> str:
    """Return the state from a line before the code; empty without such a line.

    `**State:** reading the rules` -> `reading the rules`
    """
    before_code = text.partition(FENCE)[0]
    for line in before_code.splitlines():
        stripped = line.strip().strip("*")
        if stripped.lower().startswith(STATE_PREFIX):
            return stripped[len(STATE_PREFIX) :].strip(" *")[:MAX_STATE_CHARS]
    return ""


def untagged_block(text: str) -> str | None:
    """Return the program in the only fence of a text, if the fence names no language; else None.

    The text must have a state line before it, because a fence in prose may be only an illustration.
    """
    parts = text.split(FENCE)
    if len(parts) != 3 or not state_line(text):
        return None
    block = parts[1]
    if not block.startswith("\n"):
        return None
    code = block.removeprefix("\n")
    return code if code.strip() and is_program(code) else None
