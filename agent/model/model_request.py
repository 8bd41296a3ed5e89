"""One request to a model as a value, and the base of models that take it as one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.model.model_protocol import Message, Model, Reply, Tool


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """The arguments of `Model.complete`, which says what they mean."""

    messages: Sequence[Message]
    role: str = "solve"
    schema: Mapping[str, object] | None = None
    tools: Sequence[Tool] = ()
    tool_choice: str | None = None

    @property
    def parts(self) -> tuple[object, ...]:
        """All of it, in the order of the arguments."""
        return self.messages, self.role, self.schema, self.tools, self.tool_choice

    def put_to(self, model: Model) -> Reply:
        """Return what `model` says to it. Raises `ModelError`."""
        return model.complete(self.messages, self.role, self.schema, self.tools, self.tool_choice)


class AnsweringModel(ABC):
    """A `Model` that says in one place what it replies."""

    @property
    @abstractmethod
    def name(self) -> str:
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
    ) -> Reply:
        """Return the reply to a request, as `Model` says. Raises `ModelError`."""
        return self.reply_to(ModelRequest(messages, role, schema, tools, tool_choice))
