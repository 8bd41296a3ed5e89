"""Fuzzer target: random scripts over a folder of files, which run in a sandbox.

    attempt(lambda: harness.read(**{"path": "/a.csv#", "start_line": -1, "end_line": 0}))

A call may fail with an error for scripts, such as "there is no file /a.csv#". No call may crash or
hang, or end the sandbox.
"""

from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from controlplane.sandbox import Ending, Limits, Sandbox
from controlplane.sandbox.files.folder_host import FolderHost
from tests.fuzz.cpu_meter import CpuMeter
from tests.fuzz.inputs.damaged_json import damaged_record
from tests.fuzz.inputs.random_calls import OPERATION_NAMES, random_arguments
from tests.fuzz.target import Target
from tests.sandbox.declared_calls import NOW

FOLDER_FILES = {
    "a.csv": "id,n\n1,2\n",
    "d/b.json": '{"id": 1}',
    "c.sql": "select 1;",
    "e.db": "not a database",
}


class Folder(Target):
    """A sandboxed process sends each call to the test's process, which reads or writes the file."""

    KNOWN_PATHS = ("/a.csv", "/d/b.json", "/c.sql", "/e.db", "/d", "/")
    CALLS_PER_SCRIPT = 8
    SCRIPT_HEAD = """
def attempt(call):
    try:
        call()
    except (HarnessError, FileNotFoundError, TypeError):
        pass
"""
    """Calls of a script may fail with these exceptions, and no others."""

    def __init__(self, meter: CpuMeter) -> None:
        super().__init__(meter)
        root = Path(self._resources.enter_context(TemporaryDirectory()))
        (root / "d").mkdir()
        for name, text in FOLDER_FILES.items():
            (root / name).write_text(text)
        host = FolderHost(root, datetime(2026, 1, 1, tzinfo=UTC))
        limits = Limits(step_wall_s=20.0)
        self._sandbox = self._resources.enter_context(
            Sandbox(host.tool_schema, host, now=NOW, seed=1, limits=limits)
        )

    def play_one(self, rng: Random) -> None:
        """Run a script of 8 calls such as `attempt(lambda: harness.list(**{'path': '/d'}))`."""

        script = self.SCRIPT_HEAD
        for _ in range(self.CALLS_PER_SCRIPT):
            operation = rng.choice(OPERATION_NAMES)
            arguments = random_arguments(
                rng,
                operation,
                known_paths=self.KNOWN_PATHS,
                # a damaged copy of `a.csv`, to write to any path
                text_for=lambda path: damaged_record(rng, FOLDER_FILES["a.csv"]),
            )
            script += f"attempt(lambda: harness.{operation}(**{arguments!r}))\n"

        result = self.meter.call(script, lambda: self._sandbox.run(script))

        # LIMIT: the script took too much time or memory, and was ended, as it should be.
        is_expected = result.ending in (Ending.FINISHED, Ending.LIMIT)
        assert is_expected, (result.error[:500], script[:2_000])
