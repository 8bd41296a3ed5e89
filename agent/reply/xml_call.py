"""Finds the code in a reply that has a call of the script tool written as XML.

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
"""Matches the start of a call. A text is split at these, so each part begins after one."""
_XML_TOOL: Final = rf"""[= "']*(?:name=)?["']?{TOOL_NAME}\b"""
"""The rest of a tag with the tool's name: `=execute_script`, ` name="execute_script`."""
_XML_PARAMETER: Final = r"""<parameter[^>]*\bcode["']?>\n?(.*?)\n?</parameter>"""
"""The code: `<parameter=code>print(1)</parameter>`."""
XML_CODE: Final = re2.compile(f"(?s){_XML_TOOL}.*?{_XML_PARAMETER}")
"""Matches the code in a call, starting after the match of `XML_CALL`."""


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
