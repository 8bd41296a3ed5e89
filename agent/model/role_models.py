"""Several models as one, each for the roles it was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agent.model.model_protocol import Message, Model, Reply, Tool


class RoleModels:
    """Hands each request to the model of its role; roles without one are the main model's."""

    def __init__(self, main: Model, by_role: Mapping[str, Model]) -> None:
        self._main = main
        self._by_role = dict(by_role)

    @property
    def name(self) -> str:
        """The main model's name, which is what journals and tables show."""
        return self._main.name

    def complete(
        self,
        messages: Sequence[Message],
        role: str = "solve",
        schema: Mapping[str, object] | None = None,
        tools: Sequence[Tool] = (),
        tool_choice: str | None = None,
    ) -> Reply:
        """Ask the model of `role`. Raises `ModelError`."""
        return self._by_role.get(role, self._main).complete(messages, role, schema, tools, tool_choice)
