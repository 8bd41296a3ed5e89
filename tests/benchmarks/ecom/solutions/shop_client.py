"""A client of a shop, by which solutions of its tasks read files, run tools and write files.

    client = ShopClient(environment, names)
    client.record("/proc/carts/basket-0012.json")  # {"status": "active", ...}
    client.run("checkout", "basket-0012")
    client.changes                                 # [("/bin/checkout", "execute")]

Each shop has its own `names` for fields, such as "phase" for `status`.
"""

import json
from collections.abc import Mapping
from typing import Final

from controlplane.agent.evidence import Environment
from controlplane.benchmarks.ecom.record_names import RecordNames, record_text
from controlplane.sandbox.interface import ExecutableKind, Plain

TIMED_OUT: Final = 124
"""The exit code of a tool that timed out, and may be run again."""
MAX_TOOL_RUNS: Final = 2
"""A tool that times out is run again, but at most this many times in all."""
REASON_CHARS: Final = 160
"""A citation needs a reason. It is the beginning of the cited file, of this length."""


class ShopClient:
    """Makes calls in a shop, and remembers what was read and changed.

    In a dry run it skips every change, but remembers it as if it had been made.
    """

    def __init__(
        self, environment: Environment, names: RecordNames, *, is_dry_run: bool = False
    ) -> None:
        self.environment = environment
        self.names = names
        self.is_dry_run = is_dry_run
        self.changes: list[tuple[str, str]] = []
        self.beginnings: dict[str, str] = {}
        """The beginning of each file that was read, by its path."""

    def read(self, path: str) -> str:
        """Return the whole text of a file. A long one takes several calls."""
        result = self.environment.call("read", {"path": path})
        text = str(result["content"])
        while result.get("truncated") is True:
            next_line = text.count("\n") + 1
            result = self.environment.call(
                "read", {"path": path, "start_line": next_line}
            )
            text += str(result["content"])
        self.beginnings[path] = " ".join(text.split())[:REASON_CHARS]
        return text

    def record(self, path: str) -> dict[str, Plain]:
        """Return the data of a record, such as a basket: `{"status": "active", ...}`.

        In the file, the fields may have other names, as each world has its own: `"phase"`, say.
        Raises `TypeError` if the file has no JSON object.
        """
        data = json.loads(self.read(path))
        if not isinstance(data, dict):
            msg = f"{path} has no JSON object"
            raise TypeError(msg)
        return self.names.in_code_names(data)

    def save(self, path: str, data: Mapping[str, Plain]) -> None:
        """Write a record's file from data as `record` returns it."""
        self.write(path, record_text(self.names.in_shown_names(data)))

    def run(self, tool: str, *arguments: str) -> str:
        """Run a tool and return its output. A dry run skips a tool that makes changes."""
        path = f"/bin/{tool}"
        if self.environment.tool_schema.executable_kind(path) is ExecutableKind.CHANGES:
            self.changes.append((path, "execute"))
            if self.is_dry_run:
                return ""
        for _ in range(MAX_TOOL_RUNS):
            result = self.environment.call(
                "exec", {"path": path, "args": list(arguments)}
            )
            if result["exit_code"] != TIMED_OUT:
                break
        return str(result["stdout"])

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        self.changes.append((path, "write"))
        if not self.is_dry_run:
            self.environment.call("write", {"path": path, "content": text})

    def delete(self, path: str) -> None:
        """Delete a file."""
        self.changes.append((path, "delete"))
        if not self.is_dry_run:
            self.environment.call("delete", {"path": path})
