"""A client of a shop, by which solutions of its tasks read files, run tools and write files.

    client = ShopClient(environment, names)
    client.record("/proc/carts/basket-0012.json")  # {"status": "active", ...}
    client.run("checkout", "basket-0012")
    client.changes                                 # [("/bin/checkout", "execute")]

Each shop has its own `names` for fields, such as "phase" for `status`.
"""

from collections.abc import Mapping

from controlplane.agent.evidence import Environment
from controlplane.benchmarks.ecom.record_names import RecordNames, record_text
from controlplane.sandbox.interface import ExecutableKind, Plain
from tests.benchmarks.ecom.solutions.shop_reader import ShopReader


class ShopClient(ShopReader):
    """Makes calls in a shop, and remembers what was changed.

    In a dry run it skips every change, but remembers it as if it had been made.
    """

    def __init__(
        self, environment: Environment, names: RecordNames, *, is_dry_run: bool = False
    ) -> None:
        super().__init__(environment, names)
        self.is_dry_run = is_dry_run
        self.changes: list[tuple[str, str]] = []

    def save(self, path: str, data: Mapping[str, Plain]) -> None:
        """Write a record's file from data as `record` returns it."""
        self.write(path, record_text(self.names.in_shown_names(data)))

    def run(self, tool: str, *arguments: str) -> str:
        """Run a tool and return its output: a second time, if it has timed out.

        A dry run skips a tool that makes changes.
        """
        path = f"/bin/{tool}"
        if self.environment.tool_schema.executable_kind(path) is ExecutableKind.CHANGES:
            self.changes.append((path, "execute"))
            if self.is_dry_run:
                return ""
        call = {"path": path, "args": list(arguments)}
        result = self.environment.call("exec", call)
        has_timed_out = result["exit_code"] == 124
        if has_timed_out:
            result = self.environment.call("exec", call)
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
