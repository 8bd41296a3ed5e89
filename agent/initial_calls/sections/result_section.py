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

from controlplane.agent.events import CallRecord
from controlplane.agent.initial_calls.call_texts import title_of
from controlplane.agent.initial_calls.sections.cut_text import CutText
from controlplane.agent.initial_calls.sections.prompt_sections import Place, Section
from controlplane.agent.initial_calls.sections.rest_notice import rest_notice
from controlplane.sandbox.interface import Operation, ToolSchema

_BLANK_LINES: Final = re2.compile(r"\n(?:[ \t]*\n)+")
"""Matches a line end with all blank lines after it."""


def result_section(
    place: Place,
    outcome: CallRecord,
    start: CutText,
    operation: Operation,
    tool_schema: ToolSchema,
    *,
    remark: str = "",
) -> Section:
    """Return the section with the start of a call's result.

    `place` is where in the message it belongs. `start` is as much of the result as the message has
    room for: here, 6,800 characters, and 3,200 are hidden. `remark` follows the title of a file:
    ` (not begun)`.
    """
    title = title_of(operation, outcome.arguments)  # `read /docs/keys.md`
    is_markdown = title.lower().endswith(".md")
    text = _without_blank_lines(start.text) if is_markdown else start.text
    notice = rest_notice(tool_schema, operation, outcome, start.hidden_chars)
    return Section(place, text, outcome, title, remark, notice)


def _without_blank_lines(text: str) -> str:
    """Return a text without its blank lines, which only take room in Markdown."""
    return str(_BLANK_LINES.sub("\n", text))
