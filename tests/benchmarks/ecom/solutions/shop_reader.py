"""Reads the files and records of a shop, for solutions of its tasks.

    reader = ShopReader(environment, names)
    reader.record("/proc/carts/basket-0012.json")  # {"status": "active", ...}

Each shop has its own `names` for fields, such as "phase" for `status`.
"""

import json

from controlplane.agent.evidence import Environment
from controlplane.benchmarks.ecom.record_names import RecordNames
from controlplane.sandbox.interface import Plain


class ShopReader:
    """Makes calls that read, and remembers what was read."""

    def __init__(self, environment: Environment, names: RecordNames) -> None:
        self.environment = environment
        self.names = names
        self.beginnings: dict[str, str] = {}
        """The beginning of each file that was read, by its path: the reason to cite it."""

    def read(self, path: str) -> str:
        """Return the whole text of a file. A long one takes several calls."""
        result = self.environment.call("read", {"path": path})
        text = str(result["content"])
        while result.get("truncated") is True:
            next_line = text.count("\n") + 1
            call = {"path": path, "start_line": next_line}
            result = self.environment.call("read", call)
            text += str(result["content"])
        self.beginnings[path] = " ".join(text.split())[:160]
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
