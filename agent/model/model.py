"""The interface of models, why one gives no reply, and the models that a benchmark asks.

A benchmark's code writes `BenchmarkModel("grade").complete(messages)`, without naming a model, to
grade a trial or to play a user. Which model replies is chosen by the user of the product:
`--role grade=PROFILE`. The reply is recorded with the trial.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import Final

from controlplane.agent.model.reply import Message, ModelRequest, ModelTool, Reply

# The interface of models: a request with a conversation goes in, a reply comes out.
#
# Some models wrap others. Here, the steps of a solver and the marks of a grader come from two models:
#
#     RoleModels(large_model, {"grade": small_model})


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
        tools: Sequence[ModelTool] = (),
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


# Why a model gave no reply.
#
# ModelError
# ├── BadReply            the endpoint's reply is malformed
# ├── Unconnected         no connection to the endpoint could be made
# ├── RetriesExhausted    the run has used up its retries
# ├── OutOfBudget         the trial or its run has spent what it may
# ├── OutOfTime           the trial's time was over before the reply came
# └── Abandoned           the reply is no longer wanted


class ModelError(Exception):
    """A model gave no reply. The run may retry the request, or pause."""

    leaves_step = True
    """Read by the sandbox. A call of a script may ask a model, which plays a user, for example.
    If the model gives no reply, the sandbox ends the script, and not only the call."""

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        affects_all: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        """True if the failure is transient: the same request may succeed later."""
        self.affects_all = affects_all
        """True if all trials meet the error, such as that of a wrong key. The run should pause."""
        self.retry_after_s = retry_after_s
        """Seconds that the endpoint asks to wait before the next request; None if it names none."""
        self.test_reply: Reply | None = None
        """If the endpoint was sent a small request as a test, because it had refused this one:
        the reply to the test, which was paid for. Else None."""


class BadReply(ModelError):
    """The endpoint's reply is malformed. Asking again may help."""


class Unconnected(ModelError):
    """No connection to the endpoint could be made, so the request was not sent."""


class RetriesExhausted(ModelError):
    """The run has used up its retries."""


class OutOfBudget(ModelError):
    """The trial or its run has spent its whole budget."""


class OutOfTime(ModelError):
    """The trial's time was over before the reply came."""


class Abandoned(ModelError):
    """The trial was told to stop while it waited for the reply."""


class RoleModels(Model):
    """Passes each request to the model of its role, or to the main model if the role has none."""

    def __init__(self, main: Model, by_role: Mapping[str, Model]) -> None:
        self.name = main.name
        self._main = main
        self._by_role = dict(by_role)

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply of the model for the request's role. Raises `ModelError`."""
        return self._by_role.get(request.role, self._main).reply_to(request)


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
