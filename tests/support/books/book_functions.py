"""A function that a model may call: it finds the books of an author in the library.

    books_by(author="Austen") -> value: ["/books/emma.txt", "/books/persuasion.txt"]
                                 refs: [("/books/emma.txt", "it says by Austen"), ...]

It reads the environment and returns a value, with references to the files that support the value.
"""

from typing import Any

from controlplane.benchmarks.shop.workspace.reading import WorkspaceReader
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference
from controlplane.sandbox.interface import Plain


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
