r"""Calls for tables, as `harness.table("/a.csv", where="fee > 3")` in a script.

    call_table = TableCalls(fork_server, folder)
    call_table({"a.csv": "id,fee\n7,4\n8,2\n"}, path="/a.csv", where="fee > 3")
    # {"content": "id,fee\n7,4\n", "lines": [2], ...}

The result has the rows as CSV in `content`, and in `lines` the line of the file for each row.
"""

from dataclasses import dataclass
from pathlib import Path

from controlplane.benchmarks.files.files_benchmark import find_sources
from controlplane.sandbox import ForkServer
from controlplane.sandbox.interface import Plain
from tests.benchmarks.files.opened_files import environment_with_worker, write_files


@dataclass(frozen=True)
class TableCalls:
    """Writes files and calls for a table, as a script does, in one."""

    fork_server: ForkServer
    folder: Path

    def __call__(self, texts: dict[str, str], **arguments: str) -> dict[str, Plain]:
        """Write the files, and return the result of the call.

        Raises `CallError` if the call is refused.
        """
        write_files(self.folder, texts)
        sources = find_sources(self.folder)
        # Tables are read in a worker, a process that is forked from the server.
        with environment_with_worker(self.fork_server, sources) as environment:
            result = environment.call("table", arguments)
            # A second call uses the table that the first one has loaded.
            assert environment.call("table", arguments) == result
        return result
