"""The interface of models: a request with a conversation goes in, a reply comes out.

Some models wrap others. Here, the steps of a solver and the marks of a grader come from two models:

    RoleModels(large_model, {"grade": small_model})
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from controlplane.agent.model.messages import Message
from controlplane.agent.model.model_request import ModelRequest
from controlplane.agent.model.reply import Reply
from controlplane.agent.model.tool import Tool


class Model(ABC):
    """Replies to conversations. Many threads may call it at once."""

    name: str
    """The name that journals and tables show."""

    @abstractmethod
    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply to a request. Raises `ModelError`."""

    def complete(
        self,
        messages: Sequence[Message],
        role: str = "solve",
        schema: Mapping[str, object] | None = None,
        tools: Sequence[Tool] = (),
        tool_choice: str | None = None,
        min_temperature: float | None = None,
    ) -> Reply:
        """Return the reply to a request with these fields of `ModelRequest`.

        Raises `ModelError`.
        """
        request = ModelRequest(
            messages,
            role=role,
            schema=schema,
            tools=tools,
            tool_choice=tool_choice,
            min_temperature=min_temperature,
        )
        return self.reply_to(request)


class RoleModels(Model):
    """Passes each request to the model of its role, or to the main model if the role has none."""

    def __init__(self, main: Model, by_role: Mapping[str, Model]) -> None:
        self.name = main.name
        self._main = main
        self._by_role = dict(by_role)

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply of the model for the request's role. Raises `ModelError`."""
        return self._by_role.get(request.role, self._main).reply_to(request)
