"""Trials of the second solver in a small library of books, with a model whose replies are given.

The second solver (`Exoskeleton`) lets a model call functions as tools, where the first one runs
scripts that the model writes.

    model = ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [completion_call()]])
    attempt = run_attempt(model)
    assert attempt.reason == ""

In its first turn the model calls `books_by`, in its second it completes the trial. The library
and its functions are in `tests/support/library.py`.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from controlplane.agent.events import Judged, StepDone, TrialEvent
from controlplane.agent.evidence import Recorder, Tape
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
    Tool,
    ToolCall,
)
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmarks.shop.answering.answer_forms import formatted_message
from controlplane.benchmarks.shop.payments.payment_review import revised
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Executable,
    ExecutableKind,
    InitialCall,
    Operation,
    Parameter,
    Plain,
    ResultField,
    ToolSchema,
)
from tests.support.functions_here import with_functions_in_process
from tests.support.library import BOOKS_BY, Library
from tests.support.scored_journal import trial_records_of

LIBRARY = "tests.support.library"
"""The module with the functions of the checks."""

FIELDS = (
    ResultField("value"),
    ResultField("refs", ("path", "reason")),
    ResultField("notes"),
)
"""What every function returns: `{"value": ..., "refs": [("/a.txt", "why")], "notes": [...]}`."""

REQUEST_PARAMETERS = (Parameter("request", "str"), Parameter("intent", "str"))
"""What a check of a request takes; `intent` is JSON from the classifier, see `INTENT`."""

ORDER_PARAMETERS = (
    Parameter("request", "str"),
    Parameter("answer", "object"),
    Parameter("findings", "str"),
    Parameter("in_order", "bool"),
)
"""What the check takes that puts the references of an answer in order."""


def _check(name: str, parameters: tuple[Parameter, ...]) -> Operation:
    """Return the declaration of a check: a function that the solver calls, and not the model.

    The function has the same name in `LIBRARY`.
    """
    return Operation(name, parameters, FIELDS, "a check", function=f"{LIBRARY}:{name}")


CHECKS = (
    _check("may_change", REQUEST_PARAMETERS),
    _check("theft", REQUEST_PARAMETERS),
    _check("newest", REQUEST_PARAMETERS),
    _check("order", ORDER_PARAMETERS),
)
"""Functions of the library that the solver calls itself. `may_change` tells whether the trial may
change something, `theft` refuses a request to steal, `newest` adds to the prompt, and `order` returns the
references of an answer."""
TOOL_SCHEMA = ToolSchema(
    operations=(*FILE_OPERATIONS, BOOKS_BY),
    executables=(Executable("/bin/lend", ExecutableKind.CHANGES, "lends a book"),),
    initial_calls=(
        InitialCall("read", {"path": "/books/notes.txt"}),
        InitialCall("read", {"path": "/books/none.txt"}),
    ),
    checks=CHECKS,
)
"""The library as models see it. Of the two files that the initial prompt shows, the second does
not exist."""

INTENT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["change", "who"],
    "properties": {
        "change": {"type": "boolean", "description": "something is to be changed"},
        "who": {"type": "string", "description": "the author"},
    },
}
"""The JSON schema of a classifier's reply. A classifier is a model that is asked what kind of
request the trial has, before the main model begins: `{"change": false, "who": "Austen"}`."""

BINDINGS = SolverBindings(
    intent_schema=INTENT,
    preflight=("theft", "newest"),
    permission="may_change",
    references="order",
    task_types=("books", "other"),
    revise=revised,
    put_in_form=formatted_message,
)
"""Which check the solver calls when: before the model (`preflight`), to learn what the trial may
change (`permission`), and to put an answer's references in order (`references`)."""

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
    """A model whose replies are given: the main model's by turn, those of other models by role.

    It tells the turn by the replies in the conversation, so that it goes on where an earlier
    attempt at the trial ended.
    """

    turns: Sequence[Sequence[ToolCall] | str | Reply]
    """The main model's replies, by turn: calls of tools, a text, or a whole reply."""
    other_models: Mapping[str, str] = field(default_factory=dict)
    """The reply of each other model, by its role: `{"classify": "{}"}`. A role that is not named
    fails."""
    name: str = "turns"
    requests: list[tuple[str, list[Message]]] = field(default_factory=list)
    """The role and the messages of each request."""
    tools: list[tuple[Tool, ...]] = field(default_factory=list)
    """The tools that each request to the main model offered."""

    def reply_to(self, request: ModelRequest) -> Reply:
        self.requests.append((request.role, list(request.messages)))
        if request.role != "solve":
            return self._reply_as(request.role)

        self.tools.append(tuple(request.tools))
        assert request.tool_choice == "required"
        turn = 0
        for message in _from_instruction(request.messages):
            if message["role"] == "assistant":
                turn += 1
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
    """Return the messages from the first one of the user, which has the instruction."""
    roles = [message["role"] for message in messages]
    return messages[roles.index("user") :]


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
    def last_request(self) -> list[Message]:
        """Return the messages of the last request to the main model."""
        last_messages: list[Message] = []
        for role, messages in self.model.requests:
            if role == "solve":
                last_messages = messages
        return last_messages

    @property
    def shown_to_model(self) -> str:
        """Return the texts behind the instruction in the last request to the main model."""
        later_messages = _from_instruction(self.last_request)[1:]
        return "\n".join(message["content"] for message in later_messages)


def run_attempt(
    model: ModelByTurn,
    *,
    instruction: str = "Which books are by Austen?",
    parts_off: str = "",
    recorded: Sequence[TrialEvent] = (),
    bindings: SolverBindings | None = BINDINGS,
    is_stopped: bool = False,
    events: list[TrialEvent] | None = None,
    **limits: Any,
) -> AttemptResult:
    """Run a trial, or resume one of which the events `recorded` are in its journal.

    `parts_off` names parts of the solver that are switched off: "classifier formatter". `limits`
    are fields of `BudgetLimits`. If `is_stopped`, the trial is asked to stop before it begins. The
    new events are added to `events`, also if the trial raises an error.
    """
    if events is None:
        events = []
    shelf = Shelf()
    earlier_record = trial_records_of(recorded).get("t", TrialRecord())
    recorder = Recorder("t", shelf, events.append, tape=Tape(earlier_record))
    context = TrialContext(
        trial_id="t", task_id="books.0", instruction=instruction, now=NOW
    )
    session = new_session(context, with_functions_in_process(recorder))
    if is_stopped:
        session.stop.set()
    settings = replace(LoopSettings(), budget=BudgetLimits(**limits), patience_s=0.5)
    parts_in_use = frozenset(Part) - frozenset(parts_off.split())
    solver = Exoskeleton(model, settings, parts=parts_in_use, bindings=bindings)

    reason = solver.solve(session)

    return AttemptResult(reason, events, model, shelf, session)


# Faults of models, for tests that show which part of the solver corrects them.

FAULTS: Final = ("too_much", "spelling", "forgotten", "wording")
"""A completion cites a record too many, misspells paths, forgets to cite a record, or has
needless words in its message."""

_NEEDLESS_PREAMBLE: Final = "I have looked that up. The answer is: "
"""What a message with the fault "wording" begins with."""

_MESSAGE_TO_FORMAT: Final = re.compile(r"<message>\n(.*?)\n</message>", re.DOTALL)
"""Finds the message in a request to the formatter, the model that puts answers in form."""


def fault_of(instruction: str) -> str:
    """Return the fault of a trial. It depends on the instruction alone, by its hash, so that
    each of the four faults has about a quarter of the trials."""
    digest = hashlib.sha256(instruction.strip().encode()).digest()
    return FAULTS[digest[0] % len(FAULTS)]


def with_fault(
    completion: Mapping[str, Any], fault: str, shown: Sequence[str]
) -> dict[str, Any]:
    """Return the arguments of a completion with one of `FAULTS`; "" changes nothing.

    `shown` are the paths that the model has seen, of which one may be cited too many.
    """
    faulty = dict(completion)
    records = list(completion["records"])
    if fault == "too_much":
        faulty["records"] = _with_uncited_record(records, shown)
    elif fault == "spelling":
        faulty["records"] = []
        for record in records:
            misspelt_record = {**record, "path": misspelt(record["path"])}
            faulty["records"].append(misspelt_record)
    elif fault == "forgotten":
        faulty["records"] = records[1:]
    elif fault == "wording" and completion["outcome"] == "OUTCOME_OK":
        faulty["message"] = _NEEDLESS_PREAMBLE + completion["message"]
    return faulty


def _with_uncited_record(
    records: Sequence[dict[str, Any]], shown: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the cited records and, behind them, the first shown one that is not cited."""
    cited_paths = {record["path"] for record in records}
    for path in shown:
        if path.startswith("/proc/") and path not in cited_paths:
            uncited_record = {"path": path, "reason": f"it was looked at: {path}"}
            return [*records, uncited_record]
    return list(records)


def misspelt(path: str) -> str:
    """Return a record's path as a careless model writes it, without inner folders and extension.

    `/proc/carts/cust-7/b-1.json#row=2` -> `/proc/carts/b-1#row=2`
    """
    file_path, mark, fragment = path.partition("#")
    parts = file_path.split("/")
    if len(parts) > 3:
        parts = [*parts[:3], parts[-1]]
    short_path = "/".join(parts).removesuffix(".json")
    return f"{short_path}{mark}{fragment}"


def formatter_reply(request: str) -> str:
    """Return the reply of a formatter, which removes the preamble of the fault "wording"."""
    message = _MESSAGE_TO_FORMAT.findall(request)[-1]
    return json.dumps({"message": message.removeprefix(_NEEDLESS_PREAMBLE)})
