"""Asks the model of a trial, and asks again if a request fails for a moment.

The time in which the model was down does not count as the trial's. If the trial has 600 s left:

    at 0 s    try 1, which may take 600 s     the endpoint is busy
    at 3 s    try 2, which may take 600 s     a reply after 10 s: the trial has 590 s left
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypedDict, Unpack

from controlplane.agent.events import ModelReplied
from controlplane.agent.loop.model_retry import ModelRetry
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.model import (
    TOOL_NAME,
    Message,
    Model,
    ModelRequest,
    ModelTool,
    Reply,
    ReplyMode,
)
from controlplane.agent.reply.action_call import SCHEMA

# The form in which a model is asked for its action, such as a script to run.
#
# A model writes it as JSON that fits a schema, as the arguments of a tool call, as any JSON, or as
# text. Not every model succeeds in every form.


class RequestForm(TypedDict, total=False):
    """Those arguments of a `ModelRequest` that depend on the replies so far."""

    schema: Mapping[str, object] | None
    """The JSON schema of the reply; `{}` for any JSON, None for plain text."""
    tools: tuple[ModelTool, ...]
    tool_choice: str
    """The name of the tool that the model must call."""
    min_temperature: float
    """Set after a reply that repeats the one before (see `NextRequest`)."""


# The tool by which a model passes its script in the mode `TOOL`
_SCRIPT_TOOL: Final = ModelTool(
    name=TOOL_NAME, description="Run one Python script.", parameters=SCHEMA
)


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """The form of a reply: its reply mode, and how the script is written in it."""

    mode: ReplyMode | None = None
    """How the model writes its action; None if the endpoint chooses."""
    is_fenced: bool = False
    """True if scripts are asked for in ```python fences."""

    @property
    def arguments(self) -> RequestForm:
        """The arguments of a request for a reply of this form."""
        match self.mode:
            case ReplyMode.TOOL:
                return {
                    "schema": SCHEMA,
                    "tools": (_SCRIPT_TOOL,),
                    "tool_choice": TOOL_NAME,
                }
            case ReplyMode.JSON:
                return {"schema": {}}  # any JSON
            case ReplyMode.TEXT:
                return {"schema": None}  # plain text
            case _:  # `SCHEMA`, or None
                return {"schema": SCHEMA}


DEFAULT_FORM: Final = ReplyForm()


@dataclass(frozen=True, slots=True)
class PatientModel:
    """Asks one model for one trial, and repeats requests that fail transiently."""

    model: Model
    session: TrialSession
    """Writes the replies to the journal, and counts the time that the trial has used."""
    retry: ModelRetry
    limit_s: float
    """Seconds that the trial may use."""

    def solve(
        self, conversation: Sequence[Message], **form: Unpack[RequestForm]
    ) -> ModelReplied:
        """Return the model's next reply in the conversation. The journal gets it, too.

        If an earlier attempt of the trial has recorded the reply, the model is not asked.
        Raises `ModelError`.
        """
        request = ModelRequest(conversation, "solve", **form)
        # The session calls `complete` unless it has a recorded reply.
        return self.session.ask(self.complete, request, is_conversation=True)

    def complete(self, request: ModelRequest) -> Reply:
        """Return a reply, which the caller writes to the journal. Raises `ModelError`.

        Only the last try counts as the trial's time. Before it, the model was down.
        """
        clock = self.session.clock
        remaining_s = self.limit_s - clock.used_s

        def request_reply() -> Reply:
            deadline = time.monotonic() + remaining_s
            return self.model.reply_to(replace(request, deadline=deadline))

        retried = self.retry.ask(request_reply, self._write_retry)
        # If all tries fail, this line is not reached, and all of their time counts.
        clock.exclude(retried.seconds_before)
        return retried.reply

    def _write_retry(self, text: str) -> None:
        """Write a notice for the user that a request is sent again."""
        self.session.notice(text, retry=True)
