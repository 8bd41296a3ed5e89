"""A simulated user that is a model: its knowledge and wishes, its tools, and how it ends the talk.

A benchmark gives one to a trial as `TaskEnvironment(..., user=ModelUser(model,
scenario))`. Scripts talk to it by `harness.say(text)`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from controlplane.agent.model import Message, Model, ModelTool, ToolCall
from controlplane.errors import error_text
from controlplane.tools.function_tool import Tool

END_OF_TALK: Final = "###STOP###"
"""The text with which a user ends the conversation, unless the benchmark sets another one."""
ROLE: Final = (
    "You are the user of an assistant, and you write to it. Say one thing at a time. Say only what "
    "follows from the scenario; what it does not tell, you do not know. Write {end} and nothing "
    "else when you have what you want, or when the assistant cannot give it to you.\n\n"
    "Your scenario:\n\n{scenario}"
)
_MAX_CALLS_PER_TURN: Final = 30
"""The largest number of tool calls before one reply of the user. More calls count as a loop."""


class ModelUser:
    """A user whose replies come from a model. Only one thread, that of its trial, uses it.

    `user("Which order?")` -> `"Order 7, please."`, or None when the user has what it wants.
    """

    def __init__(
        self,
        model: Model,
        scenario: str,
        tools: Iterable[Tool] = (),
        *,
        end: str = END_OF_TALK,
    ) -> None:
        """Create a user.

        - `model`: the benchmark's `self.context.model("user")`.
        - `scenario`: who the user is, and what the user wants and knows.
        - `tools`: what the user can do, such as restarting a telephone.
        - `end`: a reply that contains this text ends the conversation.
        """
        self._model = model
        self._end = end
        self._tools = {tool.name: tool for tool in tools}
        self._offered = [
            ModelTool(
                name=tool.name,
                description=tool.description,
                parameters=dict(tool.argument_schema()),
            )
            for tool in self._tools.values()
        ]
        role = ROLE.format(end=end, scenario=scenario)
        self._messages: list[Message] = [{"role": "system", "content": role}]

    def __call__(self, text: str) -> str | None:
        """Return the user's reply to the assistant's text; None if the user ends the conversation.

        Raises `ModelError` if the model cannot be asked,
        and `RuntimeError` if it only calls tools.
        """
        # In this conversation the model plays the user. So the assistant's text is the
        # message to which it replies.
        self._messages.append({"role": "user", "content": text})
        calls = 0
        while calls <= _MAX_CALLS_PER_TURN:
            reply = self._model.complete(list(self._messages), tools=self._offered)
            if not reply.tool_calls:
                self._messages.append({"role": "assistant", "content": reply.text})
                return None if self._end in reply.text else reply.text
            self._messages.append(
                {
                    "role": "assistant",
                    "content": reply.text,
                    "tool_calls": reply.tool_calls,
                }
            )
            for call in reply.tool_calls:
                calls += 1
                result = self._result_of(call)
                self._messages.append(
                    {"role": "tool", "content": result, "tool_call_id": call.id}
                )
        msg = (
            f"the user made more than {_MAX_CALLS_PER_TURN} tool calls and said nothing"
        )
        raise RuntimeError(msg)

    def _result_of(self, call: ToolCall) -> str:
        """Make a call of the user's model, and return its result or its fault for the model."""
        tool = self._tools.get(call.name)
        if tool is None:
            return f"there is no tool {call.name}"
        try:
            result = tool.function(**json.loads(call.arguments or "{}"))
        except Exception as error:  # noqa: BLE001 - a model's arguments may be anything
            return f"{type(error).__name__}: {error_text(error)}"
        if isinstance(result, str):
            return result
        return json.dumps(result, ensure_ascii=False, default=str)
