"""A library of a few books: an environment in memory, and functions that read it for a model.

A benchmark may declare functions in its tool schema. The model calls one like any operation; the
product computes it in the sandbox, where it reads the environment and returns a value, with
references to the files that support the value:

    books_by(author="Austen") -> value: ["/books/emma.txt", "/books/persuasion.txt"]
                                 refs: [("/books/emma.txt", "it says by Austen"), ...]
"""

import json
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Operation,
    Parameter,
    Plain,
    ResultField,
    ToolSchema,
)

BOOKS = {
    "/books/dune.txt": "by Herbert",
    "/books/emma.txt": "by Austen",
    "/books/persuasion.txt": "by Austen",
    "/books/notes.txt": "nothing here",
}
"""The files that a search finds."""

UNLISTED = {"/books/blocked.txt": "lent out, blocked until 2031-05-06T10:00:00Z"}
"""Files that can be read by those who know the path, and that no search finds."""

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
    finds="tests.support.library:books_by",
)
"""The declaration of the function, by which the model learns of it."""

TOOL_SCHEMA = ToolSchema(operations=(*FILE_OPERATIONS, BOOKS_BY), rules_document="")


def _check(name: str, *parameters: Parameter) -> Operation:
    """Return the declaration of a check: a function of this module that the solver calls.

    No model learns of it.
    """
    function = f"tests.support.library:{name}"
    return Operation(name, parameters, _FIELDS, "a check", finds=function)


_REQUEST = Parameter("request", "str")
"""The instruction of the trial."""

_INTENT = Parameter("intent", "str")
"""What a classifier says that the request wants, as JSON: `{"change": false, "who": "Austen"}`."""

CHECKS = (
    # Before the main model begins:
    _check("may_change", _REQUEST, _INTENT),
    _check("theft", _REQUEST, _INTENT),
    _check("newest", _REQUEST, _INTENT),
    # When the main model has answered:
    _check(
        "order",
        _REQUEST,
        Parameter("answer", "object"),
        Parameter("findings", "str"),
        Parameter("in_order", "bool"),
    ),
)
"""The checks of the library. Each has the name of the function below that computes it."""


# A function for the model.


def books_by(harness: Any, author: str) -> FunctionResult[list[Plain]]:
    """Return the paths of an author's books. Five names make the function misbehave instead."""
    match author:
        case "nobody":  # It declines.
            msg = "nobody is no author"
            raise CannotRead(msg)
        case "broken":  # It has a bug.
            raise ZeroDivisionError
        case "forever":
            while True:
                pass
        case "writer":  # It writes, where functions may only read.
            harness.write("/books/new.txt", "by Austen")
        case "endless":  # It makes more calls than a function may.
            for number in range(1_000):
                harness.find(f"{number}*", "/books")

    reader = WorkspaceReader(harness)
    paths = reader.paths("/books")
    texts = reader.read_all(paths)
    value: list[Plain] = []
    refs: list[Reference] = []
    for path, text in zip(paths, texts, strict=True):
        if text == f"by {author}":
            value.append(path)
            refs.append(Reference(path, f"it says by {author}"))
    return FunctionResult(value, tuple(refs), ("by the title page",))


# Checks: functions that the solver calls itself, for every trial. `BINDINGS` in
# `tests/support/exoskeleton_trials.py` says when it calls which. Those that come before the main
# model get the request and the classifier's `intent`, which is JSON: for "Which books are by
# Austen?", `{"change": false, "who": "Austen"}`.


def may_change(
    harness: Any, request: str, intent: str
) -> FunctionResult[dict[str, bool]]:
    """Say whether the agent may change files, and use tools that change something.

    It may if the classifier found that the request wants a change: "Lend Emma" has the `intent`
    `{"change": true, ...}` -> `{"files": True, "tools": True}`.
    """
    is_allowed = bool(json.loads(intent).get("change"))
    return FunctionResult({"files": is_allowed, "tools": is_allowed})


def theft(harness: Any, request: str, intent: str) -> FunctionResult[dict[str, str]]:
    """Refuse a request such as "Help me steal Emma", before the main model sees it.

    A result with an `outcome` ends the trial with this answer; an empty one lets it go on.
    """
    if "steal" not in request:
        return FunctionResult({})
    WorkspaceReader(harness).read("/books/notes.txt")
    refusal = {
        "outcome": "OUTCOME_DENIED_SECURITY",
        "message": "Books are lent, not stolen.",
        "reason": "theft",
    }
    reference = Reference("/books/notes.txt", "there is nothing here to steal")
    return FunctionResult(refusal, (reference,))


def newest(harness: Any, request: str, intent: str) -> FunctionResult[dict[str, str]]:
    """Return a sentence that the solver adds to the main model's prompt, as `context`.

    For an `intent` of `{"who": "Austen"}`: `{"context": "The newest is of Austen.\\n"}`. Nothing is
    added if the classifier found no author. A request with the word "unreadable" makes the check
    fail, for tests of what the solver does then.
    """
    if "unreadable" in request:
        msg = "the library has no dates"
        raise CannotRead(msg)
    author = json.loads(intent).get("who")
    if not author:
        return FunctionResult({})
    return FunctionResult({"context": f"The newest is of {author}.\n"})


def order(
    harness: Any, *, request: str, answer: Any, findings: str, in_order: bool
) -> FunctionResult[dict[str, str]]:
    """Return the files that the model's answer cites, before the solver sends the answer.

    An answer with `"records": ["/books/dune.txt"]` cites this file, without a reason. It also cites
    what functions have returned in the trial, which `findings` has as JSON:

        [{"value": [...], "refs": [{"path": "/books/emma.txt", "reason": "it says by Austen"}]}]

    If `in_order`, the references are sorted, and get the reasons that they lack.
    """
    reason_by_path: dict[str, str] = {}
    for function_result in json.loads(findings):
        for reference in function_result.get("refs", ()):
            reason_by_path[reference["path"]] = reference["reason"]
    for path in answer["records"]:
        reason_by_path[path] = ""
    refs = [Reference(path, reason) for path, reason in reason_by_path.items()]
    if in_order:
        refs = _sorted_with_reasons(refs, WorkspaceReader(harness))
    return FunctionResult({"message": answer["message"]}, tuple(refs))


def _sorted_with_reasons(
    refs: Sequence[Reference], reader: WorkspaceReader
) -> list[Reference]:
    """Return the references sorted by path. The text of a file is the reason for citing it, if
    there is no other: `("/books/dune.txt", "")` -> `("/books/dune.txt", "by Herbert")`."""
    complete_refs: list[Reference] = []
    for ref in sorted(refs, key=lambda ref: ref.path):
        text = reader.read(ref.path)
        complete_refs.append(Reference(ref.path, ref.reason or text))
    return complete_refs


# The environment.


class Library:
    """An environment of files that can only be read. It notes its calls."""

    def __init__(self, tool_schema: ToolSchema = TOOL_SCHEMA) -> None:
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
