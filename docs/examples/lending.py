import json

from controlplane import ToolBenchmark
from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import FILE_OPERATIONS, CallError, Executable, ExecutableKind, NamedFiles
from controlplane.sandbox.interface import InitialCall, ToolSchema

FILES = {
    "/AGENTS.md": "Lend a book with /bin/lend BOOK READER. Answer with the book's id only, and cite its record.\n",
    "/docs/lending.md": "A reader may hold two books. Staff may not lend to themselves.\n",
    "/books/otter.json": json.dumps({"id": "otter", "title": "The Otter", "lent_to": None}),
    "/books/heron.json": json.dumps({"id": "heron", "title": "The Heron", "lent_to": "bo"}),
    "/bin/lend": "#!lend BOOK READER\n",
}
TOOL_SCHEMA = ToolSchema(
    operations=FILE_OPERATIONS,  # read, list, tree, find, search, stat, write, delete, exec
    executables=(Executable("/bin/lend", ExecutableKind.CHANGES, "lends a book to a reader: BOOK READER"),),
    rules_document="/AGENTS.md",
    initial_calls=(
        InitialCall("tree", {"root": "/", "level": 2}),
        InitialCall("read", {"path": "/AGENTS.md"}),
        InitialCall("exec", {"path": "/bin/lend", "args": ["--help"]}),
    ),
    named_files=NamedFiles(roots=("/books",)),  # shows the record of a book that the instruction names
)


class LendingDesk:
    tool_schema = TOOL_SCHEMA

    def __init__(self):
        self.texts = dict(FILES)
        self.files = FileTree(self.texts, writable=lambda path: path.startswith("/tmp/"))
        self.answered = None

    def call(self, operation, arguments):
        if operation != "exec":
            return getattr(self.files, operation)(**arguments)
        if arguments["path"] != "/bin/lend":
            raise CallError("not_found", f"no tool {arguments['path']}")
        return self.lend(*arguments["args"])

    def lend(self, *words):
        path = f"/books/{words[0]}.json" if len(words) == 2 else ""
        record = json.loads(self.texts.get(path, "{}"))
        if not record or record["lent_to"]:
            return {"stdout": "", "stderr": "usage: /bin/lend BOOK READER, a book that is here", "exit_code": 2}
        self.texts[path] = json.dumps(record | {"lent_to": words[1]})
        return {"stdout": f"lent {words[0]} to {words[1]}", "stderr": "", "exit_code": 0}

    def answer(self, message, outcome, refs):
        self.answered = (message, outcome, tuple(refs))

    def now(self):
        return None


class Lending(ToolBenchmark):
    summary = "a desk that lends books"

    def task_ids(self):
        return ["lend-otter"]

    def generate(self, task_id):
        return "Lend the book otter to the reader ada.", LendingDesk()

    def grade(self, task_id, desk):
        faults = []
        if json.loads(desk.texts["/books/otter.json"])["lent_to"] != "ada":
            faults.append("the book was not lent to ada")
        if desk.answered != ("otter", "OUTCOME_OK", ("/books/otter.json",)):
            faults.append("the answer is not the book's id with its record")
        return not faults, faults


open_benchmark = Lending
