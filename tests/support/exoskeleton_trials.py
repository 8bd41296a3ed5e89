"""Trials of the second solver in a small library of books, with a model whose replies are given.

The second solver (`Exoskeleton`) lets a model call functions as tools, where the first one runs
scripts that the model writes. Here the model calls `books_by`, and then completes the trial:

    model = ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [completion_call()]])
    assert run_attempt(model).reason == ""  # The trial has an answer.

The library and its functions are in `tests/support/library.py`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from controlplane.agent.events import Judged, StepDone, TrialEvent
from controlplane.agent.evidence import Tape, new_recorder
from controlplane.agent.exoskeleton import Exoskeleton, Part, SolverBindings
from controlplane.agent.loop import (
    BudgetLimits,
    LoopSettings,
    TrialContext,
    TrialSession,
    new_session,
)
from controlplane.agent.model import (
    Message,
    Model,
    ModelError,
    ModelRequest,
    Reply,
    ToolCall,
)
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmarks.shop.answering.answer_forms import formatted_message
from controlplane.benchmarks.shop.bindings import revise
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Executable,
    ExecutableKind,
    InitialCall,
    Plain,
    ToolSchema,
)
from tests.support.functions_here import with_functions_in_process
from tests.support.journals.read_events import trial_records_of
from tests.support.library import BOOKS_BY, CHECKS, Library

TOOL_SCHEMA = ToolSchema(
    operations=(*FILE_OPERATIONS, BOOKS_BY),
    executables=(Executable("/bin/lend", ExecutableKind.CHANGES, "lends a book"),),
    initial_calls=(
        InitialCall("read", {"path": "/books/notes.txt"}),
        InitialCall("read", {"path": "/books/none.txt"}),
    ),
    checks=CHECKS,
)
"""What may be called in the library.

The model may call the operations on files, the function `books_by`, and the tool `/bin/lend`;
the checks are called by the solver. The initial prompt shows the results of the two initial
calls, of which the second fails because there is no such file.
"""

INTENT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["change", "who"],
    "properties": {
        "change": {"type": "boolean", "description": "something is to be changed"},
        "who": {"type": "string", "description": "the author"},
    },
}
"""The JSON schema of a classifier's reply, such as `{"change": false, "who": "Austen"}`.

A classifier is a model that says what a request wants, before the main model begins.
"""

BINDINGS = SolverBindings(
    intent_schema=INTENT,
    preflight=("theft", "newest"),  # before the main model begins
    permission="may_change",  # says whether the trial may change anything
    references="order",  # returns the references of an answer in order
    task_types=("books", "other"),
    revise=revise,
    put_in_form=formatted_message,
)
"""When the solver calls which of the checks. The last two fields are functions of the shop, a
benchmark of the product: they correct an answer, and put its message in the form asked for."""

NOW = datetime(2031, 5, 4, tzinfo=UTC)
"""The time in the world of the trials."""

REASON = "it says by Austen"
"""Why the right answer cites its two books."""


class Shelf(Library):
    """The library, with a tool `/bin/lend` that lends a book, and with files nobody may write."""

    def __init__(self) -> None:
        super().__init__(TOOL_SCHEMA)
        self.lent = 0
        """How many books were lent."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "exec":  # There is no other tool than /bin/lend.
            self.lent += 1
            return {"stdout": "lent\n", "stderr": "", "exit_code": 0}
        if operation == "write":
            raise CallError("permission_denied", "nobody writes here")
        return super().call(operation, arguments)


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


def _from_instruction(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the trial's own messages: the instruction, which is the first one of the user, and
    all behind it. The messages before it are the same in every trial."""
    roles = [message["role"] for message in messages]
    return messages[roles.index("user") :]


def _count_of_replies(messages: Sequence[Message]) -> int:
    """Return how often the model has replied in a trial, which is the number of its turn."""
    roles = [message["role"] for message in _from_instruction(messages)]
    return roles.count("assistant")


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
        later_messages = _from_instruction(self.last_request)[1:]
        return "\n".join(message["content"] for message in later_messages)


def run_attempt(
    model: ModelByTurn,
    *,
    instruction: str = "Which books are by Austen?",
    parts: Iterable[Part] = tuple(Part),
    recorded: Sequence[TrialEvent] = (),
    bindings: SolverBindings | None = BINDINGS,
    is_stopped: bool = False,
    events: list[TrialEvent] | None = None,
    **limits: Any,
) -> AttemptResult:
    """Run a trial to its end: `run_attempt(ModelByTurn([...]), parts=[Part.CLASSIFIER])`.

    - `parts` of the solver are switched on; by default all of them.
    - `recorded` events of an earlier attempt are resumed from; their steps are not made again.
    - `is_stopped` asks the trial to stop before it begins.
    - `events` gets the new events, also if the trial raises an error.
    - `limits` are fields of `BudgetLimits`.
    """
    if events is None:
        events = []
    shelf = Shelf()
    session = _session_over(shelf, instruction, recorded=recorded, new_events=events)
    if is_stopped:
        session.stop.set()
    solver = Exoskeleton(
        model,
        LoopSettings(budget=BudgetLimits(**limits), patience_s=0.5),
        parts=frozenset(parts),
        bindings=bindings,
    )

    reason = solver.solve(session)

    return AttemptResult(reason, events, model, shelf, session)


def _session_over(
    shelf: Shelf,
    instruction: str,
    *,
    recorded: Sequence[TrialEvent],
    new_events: list[TrialEvent],
) -> TrialSession:
    """Return the trial "t" as a solver uses it.

    Its calls go to `shelf`, and what happens in it is added to `new_events`. The steps in
    `recorded`, of an earlier attempt, are repeated from there (a *tape*) without a new call.
    """
    earlier_record = trial_records_of(recorded).get("t", TrialRecord())
    recorder = new_recorder("t", shelf, new_events.append, tape=Tape(earlier_record))
    context = TrialContext(
        trial_id="t", task_id="books.0", instruction=instruction, now=NOW
    )
    return new_session(context, with_functions_in_process(recorder))
