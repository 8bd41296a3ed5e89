"""Why a reply has no text, and so no action to run.

The model is told the reason, because the next step depends on it: it may have called a tool that
does not exist, or thought until the end of its reply.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.agent.model import ToolCall
from controlplane.agent.reply.fault import Fault
from controlplane.agent.reply.unusable_reply import Unusable

MAX_QUOTED_NAME_CHARS: Final = 80


def fault_of_empty_text(
    finish_reason: str, other_calls: Sequence[ToolCall], reasoning: str
) -> Unusable:
    """Return the reason why a reply has no text, and so no action.

    | reply | reason |
    |---|---|
    | `finish_reason="content_filter"` | was withheld by the endpoint's filter |
    | a call of the tool `search` | called a tool that is not there |
    | `reasoning="Hm."` | held thinking alone |
    | anything else | was empty |
    """
    if finish_reason == "content_filter":
        return Unusable(Fault.FILTERED)
    if other_calls:
        name = other_calls[0].name[:MAX_QUOTED_NAME_CHARS]
        return Unusable(Fault.WRONG_TOOL, f", {name!r}")
    if reasoning.strip():
        return Unusable(Fault.ONLY_THOUGHTS)
    return Unusable(Fault.EMPTY)
