"""How one attempt of the second solver at a trial ended, and what happened in it.

    result = run_attempt(ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [completion_call()]]))
    result.reason          # "": the trial has an answer
    len(result.steps)      # 3: the checks before the model, and two turns of it
    result.shown_to_model  # '{"value": ["/books/emma.txt", ...], ...}', before its last reply

A trial that is resumed from recorded events has several attempts.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from controlplane.agent.events import Judged, StepDone, TrialEvent
from controlplane.agent.loop import TrialSession
from controlplane.agent.model import (
    Message,
    Model,
    ModelError,
    ModelRequest,
    Reply,
    ToolCall,
)
from tests.support.books.shelf import Shelf

# A model whose replies are given, turn by turn, for trials in the library.
#
# In its first turn, this one calls the function `books_by`, and in its second it completes the trial:
#
#     ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [completion_call()]])


@dataclass
class ModelByTurn(Model):
    """A model whose replies are given: `ModelByTurn([[call], "a text"], {"classify": "{}"})`.

    A request whose messages have two replies of the model gets `turns[2]`. So the model of a
    resumed trial goes on where the earlier attempt ended.
    """

    turns: Sequence[Sequence[ToolCall] | str | Reply]
    """The main model's replies, one a turn: calls of tools, a text, or a whole reply."""
    other_models: Mapping[str, str] = field(default_factory=dict)
    """The reply of each other model, by its role: `{"classify": "{}"}`. A role that is not named
    fails."""
    name: str = "turns"
    requests: list[ModelRequest] = field(default_factory=list)
    """All requests so far, each with the messages that it had at its time."""

    @property
    def main_requests(self) -> list[ModelRequest]:
        """Return the requests to the main model, whose role is "solve"."""
        return [request for request in self.requests if request.role == "solve"]

    def reply_to(self, request: ModelRequest) -> Reply:
        self.requests.append(replace(request, messages=list(request.messages)))
        if request.role != "solve":
            return self._reply_as(request.role)

        assert request.tool_choice == "required"
        turn = _count_of_replies(request.messages)
        reply = self.turns[turn]
        if isinstance(reply, Reply):
            return reply
        if isinstance(reply, str):
            return Reply(text=reply)
        return Reply(text="", tool_calls=tuple(reply))

    def _reply_as(self, role: str) -> Reply:
        if role not in self.other_models:
            msg = f"nobody plays {role}"
            raise ModelError(msg, retryable=False)
        return Reply(text=self.other_models[role])


def from_instruction(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the trial's own messages: the instruction, which is the first one of the user, and
    all behind it. The messages before it are the same in every trial."""
    roles = [message["role"] for message in messages]
    return messages[roles.index("user") :]


def _count_of_replies(messages: Sequence[Message]) -> int:
    """Return how often the model has replied in a trial, which is the number of its turn."""
    roles = [message["role"] for message in from_instruction(messages)]
    return roles.count("assistant")


# The calls that a model makes in the library: it looks for books by an author, and completes the trial.
#
#     tool_call("books_by", author="Austen")  # the function that finds the two books
#     completion_call()                       # the right answer, which cites both
#     completion_call("emma", records=[])     # another message, and nothing cited
#
# The task of these trials asks which books are by Austen.

REASON = "it says by Austen"
"""Why the right answer cites its two books."""


def tool_call(name: str, **arguments: object) -> ToolCall:
    """Return the model's call of a tool: `tool_call("books_by", author="Austen")`."""
    return ToolCall(name=name, arguments=json.dumps(arguments), id=f"id_{name}")


def completion_call(
    message: str = "emma and persuasion",
    outcome: str = "OUTCOME_OK",
    **changed_arguments: object,
) -> ToolCall:
    """Return the call that ends a trial, by default with the two books by Austen.

    `completion_call("emma", records=[])` has another message, and cites nothing.
    """
    arguments: dict[str, object] = {
        "notes": "",
        "task_type": "books",
        "documents": [],
        "records": [
            {"path": "/books/emma.txt", "reason": REASON},
            {"path": "/books/persuasion.txt", "reason": REASON},
        ],
        "protected": False,
    }
    arguments |= changed_arguments
    return tool_call("report_completion", message=message, outcome=outcome, **arguments)


FIND_BOOKS_BY_AUSTEN = tool_call("books_by", author="Austen")
"""The call of the function that finds the two books."""


@dataclass
class AttemptResult:
    """How one attempt at a trial ended, and what happened in it."""

    reason: str
    """Why the trial has no answer; empty if it has one."""
    events: list[TrialEvent]
    model: ModelByTurn
    shelf: Shelf
    session: TrialSession

    @property
    def steps(self) -> list[StepDone]:
        """Return the steps: each is a reply of the model, with the results of its calls."""
        return [event for event in self.events if isinstance(event, StepDone)]

    @property
    def judged_answers(self) -> list[Judged]:
        """Return each answer that the model handed in, with the gates' verdicts on it."""
        return [judged for step in self.steps for judged in step.verdicts]

    @property
    def last_request(self) -> Sequence[Message]:
        """Return the messages of the last request to the main model."""
        return self.model.main_requests[-1].messages

    @property
    def shown_to_model(self) -> str:
        """Return the texts behind the instruction in the last request to the main model."""
        later_messages = from_instruction(self.last_request)[1:]
        return "\n".join(message["content"] for message in later_messages)
