"""Asks small models for JSON objects. Their failure is never the trial's: nothing is said then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from agent.events.trial_events import ModelReplied
from agent.loop.patient_model import PatientModel
from agent.loop.prompt_texts import Prompts
from agent.loop.trial_session import TrialSession
from agent.model.model_protocol import Abandoned, Message, ModelError, OutOfBudget
from agent.reply.object_finder import object_of

PATIENCE_S: Final = 5.0
"""Seconds from the first request for which a helper that fails in passing is asked again."""


@dataclass(frozen=True, slots=True)
class HelperModel:
    """The models of the roles beside `solve`, as one trial asks them."""

    session: TrialSession
    model: PatientModel
    prompts: Prompts

    def ask(self, messages: Sequence[Message], role: str, schema: Mapping[str, object]) -> dict[str, Any] | None:
        """Return the object that the model of a role replies; None if there is none. Raises `OutOfBudget`."""
        complete = partial(self.model.complete, messages, role, schema=schema)
        return self._object(partial(self.session.ask, complete, messages, role=role), role)

    def begin(
        self, messages: Sequence[Message], role: str, schema: Mapping[str, object]
    ) -> Callable[[], dict[str, Any] | None]:
        """Begin to ask beside the opening; return what awaits the object. Raises `OutOfBudget`."""
        complete = partial(self.model.complete, messages, role, schema=schema)
        await_reply = self.session.ask_beside(complete, messages, role=role)
        return lambda: self._object(await_reply, role)

    def _object(self, reply: Callable[[], ModelReplied], role: str) -> dict[str, Any] | None:
        try:
            return object_of(reply().reply)
        except (OutOfBudget, Abandoned):
            raise
        except ModelError as error:
            if self.session.recorded_step is None:
                self.session.notice(f"the model of the role {role} failed, and the trial goes on without it: {error}")
            return None
