"""A library of a few books in memory, with a function that finds who wrote them."""

import json
import re
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
UNLISTED = {"/books/blocked.txt": "lent out, blocked until 2031-05-06T10:00:00Z"}
_FIELDS = (
    ResultField("value"),
    ResultField("refs", ("path", "reason")),
    ResultField("notes"),
)
BOOKS_BY = Operation(
    "books_by",
    (Parameter("author", "str"),),
    _FIELDS,
    "finds the books of an author",
    finds="tests.support.library:books_by",
)
TOOL_SCHEMA = ToolSchema(operations=(*FILE_OPERATIONS, BOOKS_BY), rules_document="")


def books_by(harness: Any, author: str) -> FunctionResult[list[Plain]]:
    reader = WorkspaceReader(harness)
    if author == "nobody":
        msg = "nobody is no author"
        raise CannotRead(msg)
    if author == "broken":
        author = author[: 1 // 0]
    if author == "forever":
        while author:
            pass
    if author == "writer":
        harness.write("/books/new.txt", "by Austen")
    if author == "endless":
        for number in range(1_000):
            harness.find(f"{number}*", "/books")
    paths = reader.paths("/books")
    texts = reader.read_all(paths)
    found = [
        path for path, text in zip(paths, texts, strict=True) if text == f"by {author}"
    ]
    refs = tuple(Reference(path, f"it says by {author}") for path in found)
    return FunctionResult(list(found), refs, ("by the title page",))


def may_change(
    harness: Any, request: str, intent: str
) -> FunctionResult[dict[str, bool]]:
    allowed = bool(json.loads(intent).get("change"))
    return FunctionResult({"files": allowed, "tools": allowed})


def theft(harness: Any, request: str, intent: str) -> FunctionResult[dict[str, str]]:
    if "steal" not in request:
        return FunctionResult({})
    WorkspaceReader(harness).read("/books/notes.txt")
    refused = {
        "outcome": "OUTCOME_DENIED_SECURITY",
        "message": "Books are lent, not stolen.",
        "reason": "theft",
    }
    return FunctionResult(
        refused, (Reference("/books/notes.txt", "there is nothing here to steal"),)
    )


def newest(harness: Any, request: str, intent: str) -> FunctionResult[dict[str, str]]:
    if "unreadable" in request:
        msg = "the library has no dates"
        raise CannotRead(msg)
    who = json.loads(intent).get("who")
    return FunctionResult({"context": f"The newest is of {who}.\n"} if who else {})


def order(harness: Any, **given: Any) -> FunctionResult[dict[str, str]]:
    found = [
        reference
        for bucket in json.loads(given["findings"])
        for reference in bucket.get("refs", ())
    ]
    paths = {
        reference["path"]: reference["reason"] for reference in found
    } | dict.fromkeys(given["answer"]["records"], "")
    if given["in_order"]:
        paths = {
            path: re.sub("^$", WorkspaceReader(harness).read(path), reason)
            for path, reason in sorted(paths.items())
        }
    return FunctionResult(
        {"message": given["answer"]["message"]},
        tuple(Reference(*reference) for reference in paths.items()),
    )


class Library:
    """An environment of files that only reads. It counts its calls."""

    def __init__(self, tool_schema: ToolSchema = TOOL_SCHEMA) -> None:
        self.tool_schema = tool_schema
        self.asked: list[str] = []
        self.answers: list[str] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        self.asked.append(operation)
        path = str(arguments.get("path", ""))
        if operation == "find":
            found = [
                book
                for book in BOOKS
                if fnmatchcase(book.rsplit("/", 1)[1], str(arguments["name"]))
            ]
            return {"paths": list(found), "truncated": False}
        if operation == "read" and path in BOOKS | UNLISTED:
            return {
                "path": path,
                "content": (BOOKS | UNLISTED)[path],
                "truncated": False,
                "sha256": "",
            }
        raise CallError("not_found", f"there is no {path}")

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.answers.append(message)

    def now(self) -> None:
        return None
