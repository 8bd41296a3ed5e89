"""A shelf: the environment of one trial of a small benchmark, with a few books as files, and programs.

It counts every change, so that tests notice what happens twice or never:

    shelf.call("write", {"path": "/a.txt", "content": "x"})
    shelf.effects  # {"write /a.txt": 1}
"""

import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import (
    CallError,
    Plain,
)
from tests.benchmarks.bitgn.shelf_contents import FILES, NOW, TOOL_SCHEMA, ShelfAnswer
from tests.support.command import PATIENCE_S


class Shelf:
    """The environment of one trial: the books in `FILES`, and programs. It counts changes.

    It refuses a call that comes while another one is made, because a trial makes one at a time.
    """

    def __init__(
        self, call_s: float = 0.0, calls_may_end: threading.Event | None = None
    ) -> None:
        """Set up the environment. `ShelfBenchmark` explains the parameters."""
        self.tool_schema = TOOL_SCHEMA
        self.effects: Counter[str] = Counter()
        """How often each change was made: `{"write /a.txt": 1, "checkout ['b1']": 1}`."""
        self.answers: list[ShelfAnswer] = []
        self._busy = threading.Lock()
        self._call_s = call_s
        self._calls_may_end = calls_may_end
        self._tree = FileTree(FILES, on_change=self._count_change)

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
            time.sleep(self._call_s)
            if self._calls_may_end is not None:
                self._calls_may_end.wait(PATIENCE_S)
            if operation == "exec":
                return self._run_program(
                    str(arguments["path"]),
                    arguments.get("args") or [],
                    str(arguments.get("stdin", "")),
                )
            file_operation = getattr(self._tree, operation)
            result: dict[str, Plain] = file_operation(**arguments)
            return result
        finally:
            self._busy.release()

    def _run_program(self, path: str, args: Plain, stdin: str) -> dict[str, Plain]:
        """Return the result of a program. `/bin/crash` raises, as a fault of the platform would."""
        stdout = ""
        stderr = ""
        exit_code = 0
        match path:
            case "/bin/date":
                stdout = f"{NOW:%Y-%m-%dT%H:%M:%SZ}\n"
            case "/bin/checkout":
                self.effects[f"checkout {args}"] += 1
                stdout = f"checked out {args} {stdin}\n"
            case "/bin/crash":
                raise ZeroDivisionError
            case _:
                stderr = f"no tool {path}\n"
                exit_code = 127
        return {"stdout": stdout, "stderr": stderr, "exit_code": exit_code}

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.answers.append(ShelfAnswer(message, outcome, tuple(refs)))

    def now(self) -> datetime:
        return NOW
