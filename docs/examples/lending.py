"""A benchmark with files and a program: a desk that lends books.

`controlplane run --benchmark lending --model scripted:lending.toml`

The task is to lend the book otter to the reader ada, by the program `/bin/lend otter ada`, and to
answer with the book's id. The environment is a `FileTree`, which answers reads, lists and
searches, and the program, which changes a book's record.
"""

import json

from controlplane import ToolBenchmark
from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Executable,
    ExecutableKind,
    InitialCall,
    NamedFiles,
    ToolSchema,
)

RULES = "Lend a book with /bin/lend BOOK READER. Answer with the book's id only, and cite its record.\n"
FILES = {
    "/AGENTS.md": RULES,
    "/docs/lending.md": "A reader may hold two books. Staff may not lend to themselves.\n",
    "/books/otter.json": json.dumps(
        {"id": "otter", "title": "The Otter", "lent_to": None}
    ),
    "/books/heron.json": json.dumps(
        {"id": "heron", "title": "The Heron", "lent_to": "bo"}
    ),
    "/bin/lend": "#!lend BOOK READER\n",
}
LEND = Executable(
    "/bin/lend", ExecutableKind.CHANGES, "lends a book to a reader: BOOK READER"
)
TOOL_SCHEMA = ToolSchema(
    # read, list, tree, find, search, stat, write, delete, exec
    operations=FILE_OPERATIONS,
    executables=(LEND,),
    rules_document="/AGENTS.md",
    # The first message shows their results.
    initial_calls=(
        InitialCall("tree", {"root": "/", "level": 2}),
        InitialCall("read", {"path": "/AGENTS.md"}),
        InitialCall("exec", {"path": "/bin/lend", "args": ["--help"]}),
    ),
    # It also shows the record of a book that the instruction names.
    named_files=NamedFiles(roots=("/books",)),
)


class LendingDesk:
    """The environment of one trial, with its own copy of the files."""

    tool_schema = TOOL_SCHEMA

    def __init__(self):
        self.texts = dict(FILES)
        self.files = FileTree(self.texts, writable=self.is_writable)
        self.answered = None

    def is_writable(self, path):
        return path.startswith("/tmp/")

    def call(self, operation, arguments):
        """Return the result of an operation: `read`, `{"path": "/AGENTS.md"}` -> its text."""
        if operation == "exec":
            return self.execute(arguments["path"], arguments["args"])
        function = getattr(self.files, operation)
        return function(**arguments)

    def execute(self, program, words):
        if program != "/bin/lend":
            raise CallError("not_found", f"no tool {program}")
        if len(words) != 2:
            return failed_output()
        book, reader = words
        return self.lend(book, reader)

    def lend(self, book, reader):
        path = f"/books/{book}.json"
        if path not in self.texts:
            return failed_output()
        record = json.loads(self.texts[path])
        if record["lent_to"]:
            return failed_output()
        record["lent_to"] = reader
        self.texts[path] = json.dumps(record)
        return {"stdout": f"lent {book} to {reader}", "stderr": "", "exit_code": 0}

    def answer(self, message, outcome, refs):
        """Keep the answer. It has passed the gates; `refs` are its citations."""
        self.answered = (message, outcome, tuple(refs))

    def now(self):
        """Return the time in the environment: None, since it has no clock."""
        return None


def failed_output():
    """Return what the program prints if it does not lend the book."""
    usage = "usage: /bin/lend BOOK READER, a book that is here"
    return {"stdout": "", "stderr": usage, "exit_code": 2}


class Lending(ToolBenchmark):
    summary = "a desk that lends books"

    def task_ids(self):
        return ["lend-otter"]

    def generate(self, task_id):
        return "Lend the book otter to the reader ada.", LendingDesk()

    def grade(self, task_id, environment):
        """Return whether all is right, and what is not."""
        faults = []
        record = json.loads(environment.texts["/books/otter.json"])
        if record["lent_to"] != "ada":
            faults.append("the book was not lent to ada")
        if environment.answered != ("otter", "OUTCOME_OK", ("/books/otter.json",)):
            faults.append("the answer is not the book's id with its record")
        return not faults, faults


open_benchmark = Lending
