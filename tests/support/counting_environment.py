"""The files and tools of a trial, which counts what the agent changes there.

In each trial the agent reads a note, writes a report, deletes a draft, and runs the tool
`/bin/checkout`, which adds one to a count. Then it answers with the word in the note. So a test can
tell whether a change was lost, or made twice.
"""

import threading
from collections import Counter
from collections.abc import Mapping, Sequence

from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Executable,
    ExecutableKind,
    InitialCall,
    Plain,
    ToolSchema,
)

# The files and tools of a trial in which a test counts what the agent changes.
#
# The agent reads the word in `/note.txt`, writes a report, deletes `/draft.txt`, and runs the tool
# `/bin/checkout` once.

TOOL_SCHEMA = ToolSchema(
    operations=FILE_OPERATIONS,  # read, write, delete and so on
    executables=(
        Executable("/bin/id", ExecutableKind.READS, "prints the count"),
        Executable("/bin/checkout", ExecutableKind.CHANGES, "adds one to the count"),
    ),
    rules_document="/AGENTS.MD",
    initial_calls=(InitialCall("read", {"path": "/AGENTS.MD"}),),
)
"""What the scripts of an agent may call. The rules document is shown to the agent at the start."""


FILES = {
    "/AGENTS.MD": "Read the note, write the report, delete the draft, check out once, answer with the word.",
    "/note.txt": "the word is heron",
    "/draft.txt": "an old draft",
    "/bin/id": "",
    "/bin/checkout": "",
}
"""The files of each trial at its start."""


EACH_EFFECT_ONCE = {"write": 1, "delete": 1, "checkout": 1, "answer": 1}
"""The effects of a trial in which nothing was lost and nothing happened twice."""


class CountingEnvironment:
    """The files and tools of one trial, which counts what the agent changes.

    Both tools print how often `/bin/checkout` has run. If the connection broke during a call of
    `/bin/checkout`, a script sees by `/bin/id` whether the call took effect.
    """

    tool_schema = TOOL_SCHEMA

    def __init__(self) -> None:
        self.tree = FileTree(FILES)
        self.effects: Counter[str] = Counter()
        """How often each kind of change was made: `Counter(write=1, checkout=1)`."""
        self.answers: list[str] = []
        """Outcome and message of each answer: `["OUTCOME_OK: heron"]`."""
        self._lock = threading.Lock()

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        with self._lock:
            if operation == "exec":
                return self._run_tool(str(arguments["path"]), arguments.get("args"))
            result = getattr(self.tree, operation)(**arguments)
            if operation in ("write", "delete"):
                self.effects[operation] += 1
            return result

    def _run_tool(self, path: str, tool_arguments: Plain) -> dict[str, Plain]:
        """Return what a tool prints; the agent asks each tool for `--help` at the start."""
        if tool_arguments == ["--help"]:
            return {"stdout": f"usage: {path}", "stderr": "", "exit_code": 0}
        if path == "/bin/checkout":
            self.effects["checkout"] += 1
        elif path != "/bin/id":
            raise CallError("not_found", f"no tool {path}")
        checkouts = str(self.effects["checkout"])
        return {"stdout": checkouts, "stderr": "", "exit_code": 0}

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        with self._lock:
            if self.answers:
                raise CallError("already_exists", "answered before")
            self.effects["answer"] += 1
            self.answers.append(f"{outcome}: {message}")

    def now(self) -> None:
        return None
