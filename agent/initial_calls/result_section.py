"""The section of the first message that shows the result of a call.

The call was made before the model is asked. If `read /docs/keys.md` has returned 10,000
characters, of which 6,800 are shown, the section is

    <section title="read /docs/keys.md">
    (the first 6,800 characters, up to the end of a line)
    </section>
    (3200 more characters: read)
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.call_texts import title_of
from controlplane.agent.initial_calls.cut_text import CutText
from controlplane.agent.initial_calls.prompt_sections import Place, Section
from controlplane.agent.initial_calls.rest_notice import rest_notice
from controlplane.sandbox.interface import Operation, ToolSchema

_BLANK_LINES: Final = re2.compile(r"\n(?:[ \t]*\n)+")
"""Matches a line end with all blank lines after it."""


def result_section(
    place: Place,
    call: CallUnderWay,
    start: CutText,
    operation: Operation,
    tool_schema: ToolSchema,
    *,
    remark: str = "",
) -> Section:
    """Return the section with the start of a call's result.

    `place` is where in the message it belongs. `start` is as much of the result as the message has
    room for. `remark` follows the title of a file: ` (not begun)`.
    """
    outcome = call.outcome()
    title = title_of(operation, outcome.arguments)
    text = _without_blank_lines(start.text, title)
    notice = rest_notice(tool_schema, operation, outcome, start.hidden_chars)
    return Section(place, text, call.call, title, remark, notice)


def _without_blank_lines(text: str, title: str) -> str:
    """Return a Markdown file without its blank lines, which only take room.

    Any other text is returned as it is: there, a blank line may mean something.
    """
    is_markdown = title.lower().endswith(".md")  # `read /docs/keys.md`
    return _BLANK_LINES.sub("\n", text) if is_markdown else text
