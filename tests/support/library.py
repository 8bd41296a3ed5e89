"""A library of a few books in memory, with a function that finds who wrote them."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from agent.findings.finding_turns import WorkspaceReader
from sandbox.interface import FILE_OPERATIONS, CallError, Operation, Parameter, Plain, ResultField, Surface
from toolkit import CannotRead, Finding, Reference

BOOKS = {
    "/books/dune.txt": "by Herbert",
    "/books/emma.txt": "by Austen",
    "/books/persuasion.txt": "by Austen",
    "/books/notes.txt": "nothing here",
}
UNLISTED = {"/books/blocked.txt": "lent out, blocked until 2031-05-06T10:00:00Z"}
_FIELDS = (ResultField("value"), ResultField("refs", ("path", "reason")), ResultField("notes"))
BOOKS_BY = Operation(
    "books_by",
    (Parameter("author", "str"),),
    _FIELDS,
    "finds the books of an author",
    finds="tests.support.library:books_by",
)
SURFACE = Surface(operations=(*FILE_OPERATIONS, BOOKS_BY), rules_document="")


def books_by(reader: WorkspaceReader, author: str) -> Finding[list[Plain]]:
    if author == "nobody":
        msg = "nobody is no author"
        raise CannotRead(msg)
    if author == "endless":
        for number in range(1_000):
            reader.find(f"{number}*", "/books")
    paths = reader.paths("/books")
    texts = reader.read_all(paths)
    found = [path for path, text in zip(paths, texts, strict=True) if text == f"by {author}"]
    refs = tuple(Reference(path, f"it says by {author}") for path in found)
    return Finding(list(found), refs, ("by the title page",))


def reads_emma(reader: WorkspaceReader, operation: str, arguments: Mapping[str, Plain]) -> Finding[str]:
    reader.read_all(["/books/emma.txt"])
    return Finding("")


def signed_in(reader: WorkspaceReader) -> Finding[str]:
    return Finding(reader.run("/bin/id"))


class Library:
    """An environment of files that only reads. It counts its calls."""

    def __init__(self, surface: Surface = SURFACE) -> None:
        self.surface = surface
        self.asked: list[str] = []
        self.answers: list[str] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        self.asked.append(operation)
        path = str(arguments.get("path", ""))
        if operation == "find":
            found = [book for book in BOOKS if fnmatchcase(book.rsplit("/", 1)[1], str(arguments["name"]))]
            return {"paths": list(found), "truncated": False}
        if operation == "read" and path in BOOKS | UNLISTED:
            return {"path": path, "content": (BOOKS | UNLISTED)[path], "truncated": False, "sha256": ""}
        raise CallError("not_found", f"there is no {path}")

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.answers.append(message)

    def now(self) -> None:
        return None
