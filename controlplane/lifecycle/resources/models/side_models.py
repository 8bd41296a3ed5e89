"""The models that others than the solver ask: a grader, a simulated user, a second reader.

Each asks in a *role*, such as `grade`. By `--role grade=PROFILE`, the user names the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from controlplane.agent.loop import ModelRetry
from controlplane.agent.model import REVIEWER, Model, ModelRequest, Reply
from controlplane.errors import UsageError


@dataclass(frozen=True, slots=True)
class SideModels:
    """The models of the benchmark's grader, its simulated user, and the second reader of answers."""

    by_role: Mapping[str, Model]
    """The model that answers requests in a role, such as `grade`."""
    retry: ModelRetry
    """Repeats requests after transient failures."""

    @property
    def has_reader(self) -> bool:
        """True if a second reader reads answers."""
        return REVIEWER in self.by_role

    def ask(self, request: ModelRequest, on_retry: Callable[[str], None]) -> Reply:
        """Return the reply to a request.

        Raises `ModelError`, or `UsageError`
        if the user has named no model for the role.
        """
        model = self.by_role.get(request.role)
        if model is None:
            msg = f"the benchmark asks a model ({request.role}): name one with --role {request.role}=PROFILE"
            raise UsageError(msg)
        retried = self.retry.ask(lambda: model.reply_to(request), on_retry)
        return retried.reply
