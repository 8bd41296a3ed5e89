"""A model that a benchmark asks for itself, to grade or to play a user: its requests are those of the current trial."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from typing import Final

from agent.model.model_protocol import Model, ModelRequest, Reply

BENCHMARK_ROLES: Final = ("grade", "user")
"""The roles in which benchmarks ask models; no reply of theirs is a solver's."""
REVIEWER: Final = "reviewer"
"""The role of requests to a second reader of answers; `--role review=PROFILE` names its model."""
ASIDE_ROLES: Final = (*BENCHMARK_ROLES, REVIEWER)
"""The roles whose requests are no part of a solver's conversation."""
ASK_ASIDE: Final[ContextVar[Callable[[ModelRequest], Reply] | None]] = ContextVar("ASK_ASIDE", default=None)
"""Asks for the benchmark of the trial that this thread plays, or grades: answered from its record first."""


class BenchmarkModel(Model):
    """The model of one role. Called from the thread that plays a trial, in a call of its environment or its grader."""

    def __init__(self, role: str) -> None:
        """Raises `ValueError` for a role that benchmarks do not have."""
        if role not in BENCHMARK_ROLES:
            msg = f"a benchmark asks models to {' or '.join(map(repr, BENCHMARK_ROLES))}, not {role!r}"
            raise ValueError(msg)
        self.name = role

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply, which the trial's journal keeps. Raises `ModelError`."""
        ask = ASK_ASIDE.get()
        if ask is None:
            msg = f"the model {self.name!r} is asked while a trial is played or graded, in the thread that does so"
            raise RuntimeError(msg)
        return ask(replace(request, role=self.name))


def request_key(role: str, texts: object) -> str:
    """Return what identifies a request among those of its trial: its role, and its messages in their recorded form."""
    return hashlib.sha256(f"{role}\0{texts!r}".encode("utf-8", "replace")).hexdigest()
