"""What the second solver, `Exoskeleton`, is told of the library: what it may call, and when.

The solver lets a model call functions as tools, where the first one runs scripts that the model
writes. A benchmark says by its *bindings* which checks the solver calls, and at which point.
"""

from controlplane.agent.exoskeleton import SolverBindings
from controlplane.benchmarks.shop.answering import formatted_message
from controlplane.benchmarks.shop.declarations import revise
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Executable,
    ExecutableKind,
    InitialCall,
    ToolSchema,
)
from tests.support.books.book_declarations import BOOKS_BY, CHECKS

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
    references="cited_files",  # returns the references of an answer
    task_types=("books", "other"),
    revise=revise,
    put_in_form=formatted_message,
)
"""When the solver calls which of the checks. The last two fields are functions of the shop, a
benchmark of the product: they correct an answer, and put its message in the form asked for."""
