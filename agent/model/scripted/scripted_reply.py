"""A reply in the file of a scripted model, which answers without an endpoint.

    [[reply]]
    when = "overdue"
    code = "print(1)"

The reply is an action (`code`, and maybe `state`, `plan` and `done`), or a `text`, which is sent
unchanged, or `calls` of tools. `when` says for which requests it is.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import Field

from controlplane.agent.model.immutable_data import Frozen
from controlplane.agent.model.reply import Reply
from controlplane.agent.model.scripted.reply_condition import ReplyCondition
from controlplane.agent.model.tool import ToolCall


class ScriptedCall(Frozen):
    """One tool call of a reply in the file: `{name = "read", arguments = {path = "/a.md"}}`."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class ScriptedReply(ReplyCondition):
    """One reply in the file.

    If it has `calls` or a `text`, these are the reply. Otherwise the reply is an action: a JSON
    object with `state`, `plan`, `done` and `code`, as a model writes it.
    """

    # An action. It is sent as `{"state": "...", "plan": [...], "done": false, "code": "..."}`.
    state: str = ""
    """What the model is at."""
    plan: tuple[str, ...] = ()
    """What comes next."""
    done: bool = False
    """True if the model says that its task is done."""
    code: str = ""
    """The script to run."""

    # What is sent in place of an action.
    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()

    def reply(self, turn: int) -> Reply:
        """Return the reply as a model gives it in a turn, counted from 0.

        The turn is used for the ids of tool calls, which must differ within a conversation.
        """
        calls: list[ToolCall] = []
        for number, call in enumerate(self.calls):
            call_id = f"scripted_{turn}_{number}"
            arguments = json.dumps(call.arguments)
            calls.append(ToolCall(name=call.name, arguments=arguments, id=call_id))
        if calls or self.text:
            return Reply(text=self.text, tool_calls=tuple(calls))
        action = {
            "state": self.state,
            "plan": list(self.plan),
            "done": self.done,
            "code": self.code,
        }
        return Reply(text=json.dumps(action))
