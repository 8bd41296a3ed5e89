"""Declarations of the functions of a small library of books: their names and parameters.

A benchmark may declare functions in its tool schema. A model calls one like any operation; the
product computes it in the sandbox, where it reads the environment. A declaration says by `finds` where
the Python function is. Checks are functions that the solver calls itself, and that no model learns of.
"""

from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Operation,
    Parameter,
    ResultField,
    ToolSchema,
)

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

TOOL_SCHEMA = ToolSchema(operations=(*FILE_OPERATIONS, BOOKS_BY), rules_document="")
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
