"""Finds the code in a call of the script tool that a model wrote as XML in its reply.

Some models write their calls in the text of a reply, in the form of their training data:

    <function=execute_script><parameter=code>print(1)</parameter></function>
    <invoke name="execute_script"><parameter name="code">print(1)</parameter></invoke>
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import re2

from controlplane.agent.model import TOOL_NAME

CALL_START: Final = re2.compile(r"<(?:function|invoke)\b")
"""Matches the start of a call. Qwen3-Coder writes `<function`, and MiniMax `<invoke`."""
TOOL: Final = re2.compile(rf"""[= "']*(?:name=)?["']?{TOOL_NAME}\b""")
"""Matches the tool's name, as it follows the start: `=execute_script`, ` name="execute_script`."""
CODE_PARAMETER: Final = re2.compile(
    r"""(?s)<parameter[^>]*\bcode["']?>\n?(.*?)\n?</parameter>"""
)
"""Matches `<parameter=code>print(1)</parameter>`, or the same with ` name="code"`.

Group 1 is the code, without a newline before and after it."""


@dataclass(frozen=True, slots=True)
class XmlCall:
    """A call of `execute_script`, written as XML."""

    code: str
    further_calls: int
    """The number of calls after it. They are not run."""


def xml_call(text: str) -> XmlCall | None:
    """Return the first call written as XML; None if there is none, or if it calls another tool."""
    # Each text goes from the start of a call to the start of the next one.
    call_texts = CALL_START.split(text)[1:]
    if not call_texts:
        return None
    first_call = call_texts[0]
    tool = TOOL.match(first_call)
    if tool is None:
        return None
    code = CODE_PARAMETER.search(first_call, tool.end())
    if code is None:
        return None
    return XmlCall(code[1], further_calls=len(call_texts) - 1)
