"""What a shelf has: a few books as files, two programs, and the right answer to its one question.

    FILES["/books/emma.json"]  # '{"title": "Emma"}', of several lines
    RIGHT_ANSWER               # ShelfAnswer("Emma", "OUTCOME_OK", ("/books/emma.json",))

A shelf is the environment of one trial of a small benchmark, which asks for the title of a book.
"""

from datetime import UTC, datetime
from typing import NamedTuple

from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Executable,
    ExecutableKind,
    ToolSchema,
)

NOW = datetime(2026, 4, 22, 9, 30, tzinfo=UTC)

FILES = {
    "/AGENTS.MD": "# Rules\nAnswer the title only.\n",
    "/docs/guide.md": "# Guide\nBooks stand on shelves.\n",
    "/docs/more/deep.md": "deep\n",
    "/books/emma.json": '{\n  "title": "Emma"\n}\n',
    "/books/été.json": '{\n  "title": "L\'été"\n}\n',
}

TOOL_SCHEMA = ToolSchema(
    operations=FILE_OPERATIONS,
    executables=(
        Executable("/bin/date", ExecutableKind.READS),
        Executable("/bin/checkout", ExecutableKind.CHANGES),
    ),
    rules_document="/AGENTS.MD",
)
"""What a script is told that it can call: the operations on files, and two programs."""


class ShelfAnswer(NamedTuple):
    """An answer that was given in a trial."""

    message: str
    outcome: str
    refs: tuple[str, ...]
    """The files that the answer cites."""


RIGHT_ANSWER = ShelfAnswer("Emma", "OUTCOME_OK", ("/books/emma.json",))

RIGHT_ANSWER_FIELDS = {
    "message": "Emma",
    "outcome": "OUTCOME_OK",
    "refs": ["/books/emma.json"],
}
"""The right answer as the fields of a message of the platform's protocol."""
