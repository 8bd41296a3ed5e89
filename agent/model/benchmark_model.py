"""The models that a benchmark asks, to grade a trial or to play a user.

A benchmark's code writes `BenchmarkModel("grade").complete(messages)`, without naming a model.
Which model replies is chosen by the user of the product: `--role grade=PROFILE`. The reply is
recorded with the trial.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from typing import Final

from controlplane.agent.model.model import Model
from controlplane.agent.model.model_request import ModelRequest
from controlplane.agent.model.reply import Reply

BENCHMARK_ROLES: Final = ("grade", "user")
"""The roles in which benchmarks ask models, to grade a trial or to play a user."""
REVIEWER: Final = "reviewer"
"""The role in which a second model reads an answer. No benchmark asks it."""
SIDE_ROLES: Final = (*BENCHMARK_ROLES, REVIEWER)
"""The roles of *side requests*, which are not part of the solver's conversation."""
ASK_SIDE_MODEL: Final[ContextVar[Callable[[ModelRequest], Reply] | None]] = ContextVar(
    "ASK_SIDE_MODEL", default=None
)
"""The function that replies to a benchmark's request, from the trial's journal or by asking a
model. Each thread has a value of its own: the function of the trial that the thread plays or
grades, or None in all other threads."""


class BenchmarkModel(Model):
    """A model that a benchmark asks in one role, such as `grade`.

    A benchmark creates it once, before the trials start, and asks it only within a trial. The
    function in `ASK_SIDE_MODEL` then replies.
    """

    def __init__(self, role: str) -> None:
        """Raise `ValueError` if `role` is not one of `BENCHMARK_ROLES`."""
        if role not in BENCHMARK_ROLES:
            roles = " or ".join(repr(known_role) for known_role in BENCHMARK_ROLES)
            msg = f"a benchmark asks models to {roles}, not {role!r}"
            raise ValueError(msg)
        self.name = role

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply, which is recorded in the trial's journal. Raises `ModelError`."""
        ask = ASK_SIDE_MODEL.get()
        if ask is None:
            msg = f"the model {self.name!r} is asked while a trial is played or graded, in the thread that does so"
            raise RuntimeError(msg)
        return ask(replace(request, role=self.name))
