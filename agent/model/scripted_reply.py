"""A reply in the file of a scripted model.

    [[reply]]
    when = "overdue"
    code = "print(1)"

- The reply is `code` (with optional `state`, `plan`, `done`), or `text`, which is sent
  unchanged, or `calls` of tools.
- It is for requests that fit all of these: `when` and `system` are regular expressions of RE2
  for the first message and the system prompt, `task` names one task, and `role` one kind of
  request.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import Field

from controlplane.agent.model.immutable_data import Frozen
from controlplane.agent.model.messages import ToolCall
from controlplane.agent.model.model_request import ModelRequest
from controlplane.agent.model.pattern import Pattern, is_in
from controlplane.agent.model.reply import Reply
from controlplane.agent.model.scripted_conversation import ScriptedConversation


class ScriptedCall(Frozen):
    """One tool call of a reply in the file: `{name = "read", arguments = {path = "/a.md"}}`."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class ScriptedReply(Frozen):
    """One reply in the file of a scripted model, which answers without an endpoint.

    If it has `calls` or a `text`, these are the reply. Otherwise the reply is an action: a JSON
    object with `state`, `plan`, `done` and `code`, as a model writes it.
    """

    # For which requests the reply is.
    when: Pattern = ""
    """Must match somewhere in the trial's first message."""
    system: Pattern = ""
    """Must match somewhere in the trial's system prompt."""
    task: str = ""
    """The id of the task; empty for every task."""
    role: str = "solve"
    """What the reply is for: `solve` for the next step of a solver, `grade` for a grader."""

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

    def is_for(self, request: ModelRequest, conversation: ScriptedConversation) -> bool:
        """Return True if the reply is for a request, in one of the turns of its conversation.

        The turn does not matter here: a trial gets all replies that are for it, one a turn.
        """
        if self.role != request.role:
            return False
        if self.task not in ("", request.task_id):
            return False
        if not is_in(self.when, conversation.first_message):
            return False
        return is_in(self.system, conversation.system_prompt)

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
