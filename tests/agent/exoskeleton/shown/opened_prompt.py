"""The initial prompt of a trial, the first messages to the model, with files in it.

The prompt has two messages for each file: a call `read`, as if the model had made it, and the result.

    prompt_with_files({"/a.md": "text"})
    ->  {"role": "assistant", "tool_calls": [read(path="/a.md")]}, {"role": "tool", "content": "text"}
"""

import json
from collections.abc import Mapping

from controlplane.agent.events import ConversationOpened, SaidMessage
from controlplane.agent.model import ToolCall


def prompt_with_files(files: Mapping[str, str]) -> ConversationOpened:
    """Return the event that records a prompt with these files, such as `{"/a.md": "text"}`."""
    messages: list[SaidMessage] = []
    for path, text in files.items():
        call_id = f"read {path}"
        arguments = json.dumps({"path": path})
        call = ToolCall(id=call_id, name="read", arguments=arguments)
        messages.append(SaidMessage(role="assistant", content="", tool_calls=(call,)))
        messages.append(SaidMessage(role="tool", content=text, tool_call_id=call_id))
    return ConversationOpened(
        trial_id="t",
        at_ms=0,
        system="",
        first_message=(),
        exchange=tuple(messages),
        calls=(),
        rules="",
    )
