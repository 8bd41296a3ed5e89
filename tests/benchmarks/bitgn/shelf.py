"""A shelf: the environment of one trial of a small benchmark, with a few books as files, and programs.

It counts every change, so that tests notice what happens twice or never:

    shelf.call("write", {"path": "/a.txt", "content": "x"})
    shelf.effects  # {"write /a.txt": 1}
"""

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import CallError, Plain
from tests.benchmarks.bitgn.shelf_contents import FILES, NOW, TOOL_SCHEMA, ShelfAnswer


class Shelf:
    """The environment of one trial: the books in `FILES`, and programs. It counts changes.

    It refuses a call that comes while another one is made, because a trial makes one at a time.
    """

    def __init__(self) -> None:
        self.tool_schema = TOOL_SCHEMA
        self.effects: Counter[str] = Counter()
        """How often each change was made: `{"write /a.txt": 1, "checkout ['b1']": 1}`."""
        self.answers: list[ShelfAnswer] = []
        self._busy = threading.Lock()
        self._tree = FileTree(FILES)
        self._tree.watch_changes(self._count_change)

    def _count_change(self, path: str, text: str | None) -> None:
        if text is None:
            self.effects[f"delete {path}"] += 1
        else:
            self.effects[f"write {path}"] += 1

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the result of a call. Fails if another call has not ended yet."""
        if not self._busy.acquire(blocking=False):
            raise CallError("internal", "two calls at once")
        try:
            return self.result_of(operation, arguments)
        finally:
            self._busy.release()

    def result_of(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        """Do what a call asks for: run a program, or read or change files."""
        if operation == "exec":
            path = str(arguments["path"])
            args = arguments.get("args") or []
            return self._run_program(path, args, str(arguments.get("stdin", "")))
        result: dict[str, Plain] = getattr(self._tree, operation)(**arguments)
        return result

    def _run_program(self, path: str, args: Plain, stdin: str) -> dict[str, Plain]:
        """Return the result of a program. `/bin/crash` raises, as a fault of the platform would."""
        stdout = ""
        if path == "/bin/date":
            stdout = f"{NOW:%Y-%m-%dT%H:%M:%SZ}\n"
        elif path == "/bin/checkout":
            self.effects[f"checkout {args}"] += 1
            stdout = f"checked out {args} {stdin}\n"
        elif path == "/bin/crash":
            raise ZeroDivisionError
        else:
            return {"stdout": "", "stderr": f"no tool {path}\n", "exit_code": 127}
        return {"stdout": stdout, "stderr": "", "exit_code": 0}

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.answers.append(ShelfAnswer(message, outcome, tuple(refs)))

    def now(self) -> datetime:
        return NOW
