"""Several models as one, each for the roles it was given."""

from __future__ import annotations

from collections.abc import Mapping

from agent.model.model_protocol import Model, Reply
from agent.model.model_request import AnsweringModel, ModelRequest


class RoleModels(AnsweringModel):
    """Hands each request to the model of its role; roles without one are the main model's."""

    def __init__(self, main: Model, by_role: Mapping[str, Model]) -> None:
        self._main = main
        self._by_role = dict(by_role)

    @property
    def name(self) -> str:
        """The main model's name, which is what journals and tables show."""
        return self._main.name

    def reply_to(self, request: ModelRequest) -> Reply:
        """Ask the model of the request's role. Raises `ModelError`."""
        return request.put_to(self._by_role.get(request.role, self._main))
