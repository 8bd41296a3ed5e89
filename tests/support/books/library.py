"""A library of a few books: the environment, in memory, of trials that ask which books are by whom.

    library = Library()
    library.call("find", {"name": "em*"})                # {"paths": ["/books/emma.txt"], ...}
    library.call("read", {"path": "/books/emma.txt"})    # {"content": "by Austen", ...}

All other operations fail, as there is nothing to write or to run.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase

from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import Environment, Tape, new_recorder
from controlplane.agent.exoskeleton import SolverBindings
from controlplane.agent.limits.trial_limits import DEFAULT_LIMITS, TrialLimits
from controlplane.agent.loop import TrialContext, TrialSession
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmarks.shop.answering import formatted_message
from controlplane.benchmarks.shop.shop_schema import revise
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
from controlplane.sandbox.interface.outcomes import PLATFORM_OUTCOMES
from tests.support.journals import trial_records_of
from tests.support.run_budgets import ample_budget
from tests.support.single_trial import with_functions_in_process

# Declarations of the functions of a small library of books: their names and parameters.
#
# A benchmark may declare functions in its tool schema. A model calls one like any operation; the
# product computes it in the sandbox, where it reads the environment. A declaration says by `finds` where
# the Python function is. Checks are functions that the solver calls itself, and that no model learns of.

_FIELDS = (
    ResultField("value"),
    ResultField("refs", ("path", "reason")),
    ResultField("notes"),
)
"""What every function returns: a value, references, and notes."""

BOOKS_BY = Operation(
    "books_by",
    (Parameter("author", "str"),),
    _FIELDS,
    "finds the books of an author",
    finds="tests.support.books.book_functions:books_by",
)
"""The only function that a model may call."""

BOOK_DECLARATIONS_TOOL_SCHEMA = ToolSchema(
    operations=(*FILE_OPERATIONS, BOOKS_BY),
    rules_document="",
    outcomes=PLATFORM_OUTCOMES,
)
_REQUEST = Parameter("request", "str")
"""The instruction of the trial."""
_INTENT = Parameter("intent", "str")
"""What a classifier says that the request wants, as JSON: `{"change": false, "who": "Austen"}`."""


def _check(function: str, *parameters: Parameter) -> Operation:
    """Return the declaration of a check, which `function` computes: `book_checks:theft`."""
    return Operation(
        function.partition(":")[2],
        parameters,
        _FIELDS,
        "a check",
        finds=f"tests.support.books.{function}",
    )


CHECKS = (
    # Before the main model begins. May the agent change files?
    _check("book_checks:may_change", _REQUEST, _INTENT),
    # Is the request to steal a book? Then it is refused.
    _check("book_checks:theft", _REQUEST, _INTENT),
    # What should the model know of the newest book?
    _check("book_checks:newest", _REQUEST, _INTENT),
    # When the main model has answered: which files does the answer cite?
    _check(
        "answer_checks:cited_files",
        _REQUEST,
        Parameter("answer", "object"),
        Parameter("findings", "str"),
        Parameter("in_order", "bool"),
    ),
)
"""The checks of the library."""


# The session of a trial, as a solver uses it: new, or resumed from the events of an earlier one.
#
#     events = []
#     session = session_over(Shelf(), "Which books are by Austen?", recorded=[], new_events=events)
#     session.trial.trial_id  # "t"
#
# What happens in the trial is added to `events`; an earlier attempt's events may be given as `recorded`.

NOW = datetime(2031, 5, 4, tzinfo=UTC)
"""The time in the world of the trials."""


def session_over(
    environment: Environment,
    instruction: str,
    *,
    recorded: Sequence[TrialEvent],
    new_events: list[TrialEvent],
    limits: TrialLimits = DEFAULT_LIMITS,
) -> TrialSession:
    """Return the trial "t" as a solver uses it.

    Its calls go to `environment`, and what happens in it is added to `new_events`. The steps in
    `recorded`, of an earlier attempt, are repeated from there (a *tape*) without a new call.
    """
    earlier_record = trial_records_of(recorded).get("t", TrialRecord())
    recorder = new_recorder(
        "t", environment, new_events.append, tape=Tape(earlier_record)
    )
    context = TrialContext(
        trial_id="t",
        task_id="books.0",
        instruction=instruction,
        now=NOW,
        limits=limits,
    )
    return TrialSession(
        context, with_functions_in_process(recorder), ample_budget(patience_s=0.5)
    )


# What the second solver, `Exoskeleton`, is told of the library: what it may call, and when.
#
# The solver lets a model call functions as tools, where the first one runs scripts that the model
# writes. A benchmark says by its *bindings* which checks the solver calls, and at which point.

TOOL_SCHEMA = ToolSchema(
    operations=(*FILE_OPERATIONS, BOOKS_BY),
    executables=(Executable("/bin/lend", ExecutableKind.CHANGES, "lends a book"),),
    initial_calls=(
        InitialCall("read", {"path": "/books/notes.txt"}),
        InitialCall("read", {"path": "/books/none.txt"}),
    ),
    checks=CHECKS,
    outcomes=PLATFORM_OUTCOMES,  # The solver's parts are those of shops.
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
    references="cited_files",  # returns the references of an answer
    task_types=("books", "other"),
    revise=revise,
    put_in_form=formatted_message,
)
"""When the solver calls which of the checks. The last two fields are functions of the shop, a
benchmark of the product: they correct an answer, and put its message in the form asked for."""


BOOKS = {
    "/books/dune.txt": "by Herbert",
    "/books/emma.txt": "by Austen",
    "/books/persuasion.txt": "by Austen",
    "/books/notes.txt": "nothing here",
}
"""The files that a search finds."""

UNLISTED = {"/books/blocked.txt": "lent out, blocked until 2031-05-06T10:00:00Z"}
"""Files that can be read by those who know the path, and that no search finds."""


class Library:
    """An environment of files that can only be read. It notes its calls."""

    def __init__(self, tool_schema: ToolSchema = BOOK_DECLARATIONS_TOOL_SCHEMA) -> None:
        self.tool_schema = tool_schema
        self.asked: list[str] = []
        """The operations of all calls so far: `["find", "read"]`."""
        self.answers: list[str] = []
        """The messages of all answers so far."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        self.asked.append(operation)
        path = str(arguments.get("path", ""))
        if operation == "find":
            return self._find(str(arguments["name"]))
        if operation == "read":
            return self._read(path)
        raise CallError("not_found", f"there is no {path}")

    def _find(self, pattern: str) -> dict[str, Plain]:
        """Return the books whose file names fit a pattern such as `em*`."""
        paths: list[Plain] = []
        for path in BOOKS:
            file_name = path.rsplit("/", 1)[1]
            if fnmatchcase(file_name, pattern):
                paths.append(path)
        return {"paths": paths, "truncated": False}

    def _read(self, path: str) -> dict[str, Plain]:
        text = BOOKS.get(path, UNLISTED.get(path))
        if text is None:
            raise CallError("not_found", f"there is no {path}")
        return {"path": path, "content": text, "truncated": False, "sha256": ""}

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.answers.append(message)

    def now(self) -> None:
        return None
