"""Finds the code in a call of the script tool that a model wrote as XML in its reply.

`<function=execute_script><parameter=code>print(1)</parameter></function>` -> `print(1)`

Some models write their calls in the text of a reply, in the form of their training data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import re2

from controlplane.agent.model import TOOL_NAME

# Qwen3-Coder and MiniMax write a call as XML, in one of these spellings:
#
#     <function=execute_script><parameter=code>print(1)</parameter></function>
#     <invoke name="execute_script"><parameter name="code">print(1)</parameter></invoke>

XML_CALL: Final = re2.compile(r"<(?:function|invoke)\b")
"""Matches the start of a call: `<function`. The text is split there, into one part a call."""
_XML_TOOL: Final = rf"""[= "']*(?:name=)?["']?{TOOL_NAME}\b"""
"""What follows the start, with the tool's name: `=execute_script`, ` name="execute_script`."""
_XML_PARAMETER: Final = r"""<parameter[^>]*\bcode["']?>\n?(.*?)\n?</parameter>"""
"""The parameter with the code: `<parameter=code>print(1)</parameter>`."""
XML_CODE: Final = re2.compile(f"(?s){_XML_TOOL}.*?{_XML_PARAMETER}")
"""Matches a call of the script tool, from the end of `XML_CALL` on. Group 1 is the code."""


@dataclass(frozen=True, slots=True)
class XmlCall:
    """A call of `execute_script`, written as XML."""

    code: str
    further_calls: int
    """The number of calls after it. They are not run."""


def xml_call(text: str) -> XmlCall | None:
    """Return the first call written as XML; None if there is none, or if it calls another tool."""
    calls = XML_CALL.split(text)[1:]  # What precedes the first call is left out.
    if not calls:
        return None
    match = XML_CODE.match(calls[0])
    if match is None:
        return None
    return XmlCall(match[1], len(calls) - 1)
