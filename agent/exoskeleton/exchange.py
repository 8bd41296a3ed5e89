"""The initial calls of a trial as messages, as if the model had made them: the *exchange*.

Code makes the initial calls before the model is asked, and writes a *section* about each: a part of
the first prompt, with the result as far as there is room. A section without a call is a text for the
user's first message. The exchange for the section `read /docs/a.md` is

    the model says:   a tool call, read({"path": "/docs/a.md"})
    the tool says:    A key is lent for a day. (3200 more characters: read)
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from controlplane.agent.events import CallRecord, SaidMessage
from controlplane.agent.initial_calls.sections.prompt_sections import Section
from controlplane.agent.model import ToolCall


def exchange_of(sections: Iterable[Section]) -> list[SaidMessage]:
    """Return the messages of the exchange: two for each section with a call.

    The number of the section, such as 4 in `opening_4`, links the two.
    """
    exchange: list[SaidMessage] = []
    for number, section in enumerate(sections, start=1):
        if section.call is not None:
            exchange += _call_with_result(section, section.call, f"opening_{number}")
    return exchange


def _call_with_result(
    section: Section, call: CallRecord, call_id: str
) -> list[SaidMessage]:
    """Return a call as if the model had made it, and the message with its result."""
    arguments = json.dumps(call.arguments)
    tool_call = ToolCall(id=call_id, name=call.operation, arguments=arguments)
    shown_result = section.text + section.cut_notice
    return [
        SaidMessage(role="assistant", content="", tool_calls=(tool_call,)),
        SaidMessage(role="tool", content=shown_result, tool_call_id=call_id),
    ]


def texts_beside_exchange(sections: Iterable[Section]) -> list[str]:
    """Return what is left of the sections for the user's first message.

    These are the texts without a call, and remarks on files: `read /docs/b.md (not begun)`.
    """
    texts: list[str] = []
    for section in sections:
        if section.call is None:
            texts += section.pieces  # its text
        elif section.file_remark:  # " (not begun)": the document is not yet in force.
            texts.append(f"{section.title}{section.file_remark}\n")
    return texts
