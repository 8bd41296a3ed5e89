"""Trials of the second solver in a small library,
with a model that replies from a list by role and turn."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from controlplane.agent.events import StepDone, TrialEvent
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
from controlplane.benchmarks.shop.answer_forms import formatted_message
from controlplane.benchmarks.shop.payment_review import revised
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
from tests.support.functions_here import with_functions
from tests.support.library import BOOKS_BY, Library
from tests.support.scored_journal import records_of

LIBRARY = "tests.support.library"
FIELDS = (
    ResultField("value"),
    ResultField("refs", ("path", "reason")),
    ResultField("notes"),
)
ASKED = (Parameter("request", "str"), Parameter("intent", "str"))
ORDERED = (
    Parameter("request", "str"),
    Parameter("answer", "object"),
    Parameter("findings", "str"),
    Parameter("in_order", "bool"),
)
CHECKS = tuple(
    Operation(name, parameters, FIELDS, "a check", finds=f"{LIBRARY}:{name}")
    for name, parameters in (
        ("may_change", ASKED),
        ("theft", ASKED),
        ("newest", ASKED),
        ("order", ORDERED),
    )
)
TOOL_SCHEMA = ToolSchema(
    operations=(*FILE_OPERATIONS, BOOKS_BY),
    executables=(Executable("/bin/lend", ExecutableKind.CHANGES, "lends a book"),),
    initial_calls=(
        InitialCall("read", {"path": "/books/notes.txt"}),
        InitialCall("read", {"path": "/books/none.txt"}),
    ),
    checks=CHECKS,
)
INTENT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["change", "who"],
    "properties": {
        "change": {"type": "boolean", "description": "something is to be changed"},
        "who": {"type": "string", "description": "the author"},
    },
}
BINDINGS = SolverBindings(
    intent_schema=INTENT,
    preflight=("theft", "newest"),
    permission="may_change",
    references="order",
    task_types=("books", "other"),
    revise=revised,
    put_in_form=formatted_message,
)
NOW = datetime(2031, 5, 4, tzinfo=UTC)
REASON = "it says by Austen"


class Shelf(Library):
    """The library, with a tool that lends. It counts what was lent."""

    def __init__(self) -> None:
        super().__init__(TOOL_SCHEMA)
        self.lent = 0

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "exec":
            self.lent += 1
            return {"stdout": "lent\n", "stderr": "", "exit_code": 0}
        if operation == "write":
            raise CallError("permission_denied", "nobody writes here")
        return super().call(operation, arguments)


def call(name: str, **arguments: object) -> ToolCall:
    return ToolCall(name=name, arguments=json.dumps(arguments), id=f"id_{name}")


def completed(
    message: str = "emma and persuasion", outcome: str = "OUTCOME_OK", **more: object
) -> ToolCall:
    records = [
        {"path": path, "reason": REASON}
        for path in ("/books/emma.txt", "/books/persuasion.txt")
    ]
    given = {
        "notes": "",
        "task_type": "books",
        "documents": [],
        "records": records,
        "protected": False,
    } | more
    return call("report_completion", message=message, outcome=outcome, **given)


FIND = call("books_by", author="Austen")


@dataclass
class TurnModel(Model):
    """Replies of each role by turn, which the conversation tells:
    so it goes on where an earlier attempt ended."""

    solve: Sequence[Sequence[ToolCall] | str | Reply]
    others: Mapping[str, Sequence[str | ModelError]] = field(default_factory=dict)
    name: str = "turns"
    requests: list[tuple[str, list[Message]]] = field(default_factory=list)
    tools: list[tuple[Tool, ...]] = field(default_factory=list)

    def reply_to(self, request: ModelRequest) -> Reply:
        role, messages = request.role, request.messages
        self.requests.append((role, list(messages)))
        if role != "solve":
            said = next(
                iter(self.others.get(role, ())),
                ModelError(f"nobody plays {role}", retryable=False),
            )
            if isinstance(said, ModelError):
                raise said
            return Reply(text=said)
        self.tools.append(tuple(request.tools))
        assert request.tool_choice == "required"
        opened = next(at for at, each in enumerate(messages) if each["role"] == "user")
        said = self.solve[
            sum(message["role"] == "assistant" for message in messages[opened:])
        ]
        if isinstance(said, Reply):
            return said
        return (
            Reply(text=said)
            if isinstance(said, str)
            else Reply(text="", tool_calls=tuple(said))
        )


@dataclass
class Tried:
    """What came of one attempt."""

    reason: str
    events: list[TrialEvent]
    model: TurnModel
    shelf: Shelf
    session: TrialSession

    @property
    def steps(self) -> list[StepDone]:
        return [event for event in self.events if isinstance(event, StepDone)]

    @property
    def told(self) -> str:
        """Everything that the last request says behind the instruction."""
        messages = next(
            each for role, each in reversed(self.model.requests) if role == "solve"
        )
        opened = next(at for at, each in enumerate(messages) if each["role"] == "user")
        return "\n".join(message["content"] for message in messages[opened + 1 :])


def attempt(
    model: TurnModel,
    *,
    instruction: str = "Which books are by Austen?",
    parts: str = "",
    known: Sequence[TrialEvent] = (),
    bindings: SolverBindings | None = BINDINGS,
    is_stopped: bool = False,
    **limits: Any,
) -> Tried:
    """Run a trial, behind the `known` events of an earlier attempt; `parts` are switched off."""
    heard: list[TrialEvent] = []
    shelf = Shelf()
    tape = Tape(records_of(known).get("t", TrialRecord()))
    recorder = Recorder("t", shelf, heard.append, tape=tape)
    session = new_session(
        TrialContext("t", "books.0", instruction, NOW), with_functions(recorder)
    )
    if is_stopped:
        session.stop.set()
    settings = replace(LoopSettings(), budget=BudgetLimits(**limits), patience_s=0.5)
    chosen = frozenset(Part) - frozenset(parts.split())
    reason = Exoskeleton(model, settings, parts=chosen, bindings=bindings).solve(
        session
    )
    return Tried(reason, heard, model, shelf, session)


FAULTS: Final = ("too_much", "spelling", "forgotten", "wording")
"""It cites one record too many, spells paths otherwise,
forgets a record that was found, or does not keep to a form."""
_BEFORE: Final = "I have looked that up. The answer is: "
_MESSAGE: Final = re.compile(r"<message>\n(.*?)\n</message>", re.DOTALL)


def fault_of(instruction: str) -> str:
    """Return the fault of a trial: each falls to a quarter of them."""
    return FAULTS[
        hashlib.sha256(instruction.strip().encode()).digest()[0] % len(FAULTS)
    ]


def with_fault(
    completion: Mapping[str, Any], fault: str, shown: Sequence[str]
) -> dict[str, Any]:
    """Return the arguments of a completion with a fault;
    `shown` are paths of records that were shown."""
    spoiled = {**completion}
    records = list(completion["records"])
    if fault == "too_much":
        cited = {record["path"] for record in records}
        more = [
            path for path in shown if path.startswith("/proc/") and path not in cited
        ]
        spoiled["records"] = [
            *records,
            *(
                {"path": each, "reason": f"it was looked at: {each}"}
                for each in more[:1]
            ),
        ]
    elif fault == "spelling":
        spoiled["records"] = [
            record | {"path": misspelt(record["path"])} for record in records
        ]
    elif fault == "forgotten":
        spoiled["records"] = records[1:]
    elif fault == "wording" and completion["outcome"] == "OUTCOME_OK":
        spoiled["message"] = f"{_BEFORE}{completion['message']}"
    return spoiled


def misspelt(path: str) -> str:
    """Return a record's path without the folders between
    its kind and its file, and without an extension."""
    base, mark, fragment = path.partition("#")
    kept = base.split("/")
    short = "/".join([*kept[:3], kept[-1]] if len(kept) > 3 else kept)
    return f"{short.removesuffix('.json')}{mark}{fragment}"


def formatted(request: str) -> str:
    """Return the reply of a formatter that knows a message from what was put before it."""
    message = _MESSAGE.findall(request)[-1]
    return json.dumps({"message": message.removeprefix(_BEFORE)})
