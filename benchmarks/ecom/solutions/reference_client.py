"""The client of a reference solution, which makes the same calls on an environment as a script."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from agent.evidence import Environment
from benchmarks.ecom.runtime.record_names import RecordNames
from benchmarks.ecom.runtime.workspace import record_text
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.world.shop_records import Stock
from sandbox.interface import ExecutableKind, Plain

TIMED_OUT: Final = 124
"""The exit code of a tool that may be called again."""
TRIES: Final = 2


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with a natural reason for each reference, so that gates can judge it too."""

    message: str
    outcome: str
    citations: Mapping[str, str]
    """The reason of each path; it names something in the file."""
    tokens: tuple[str, ...] = ()
    """Strings that the message declares to hold."""
    changes: tuple[tuple[str, str], ...] = ()
    """Path and action (`write`, `delete`, `execute`) of each change made."""

    @property
    def refs(self) -> tuple[str, ...]:
        """The cited paths."""
        return tuple(self.citations)


class ReferenceClient:
    """Makes calls on an environment. In a dry run it skips every change, while the answer still claims it."""

    def __init__(self, environment: Environment, names: RecordNames, *, is_dry_run: bool = False) -> None:
        self.environment = environment
        self.names = names
        self.is_dry_run = is_dry_run
        self.changes: list[tuple[str, str]] = []
        self._seen: set[str] = set()

    def read(self, path: str) -> str:
        """Return the text of a file."""
        self._seen.add(path)
        text, truncated = "", True
        while truncated:
            arguments: dict[str, Plain] = {"path": path, "start_line": text.count("\n") + 1} if text else {"path": path}
            part = self.environment.call("read", arguments)
            text, truncated = text + str(part["content"]), part.get("truncated", False) is True
        return text

    def files_below(self, root: str) -> list[str]:
        """Return the paths of all files below a directory, sorted."""
        found = self.environment.call("find", {"name": "*", "root": root, "kind": "files", "limit": 0})
        if not found.get("truncated"):
            return sorted(map(str, _list(found["paths"])))
        entries = self.rows(self.environment.call("list", {"path": root}), "entries")
        below = [self.files_below(str(entry["path"])) for entry in entries if entry["is_dir"]]
        return sorted([*(str(entry["path"]) for entry in entries if not entry["is_dir"]), *chain(*below)])

    def record(self, path: str) -> dict[str, Plain]:
        """Return a record's data by the names of the code."""
        data = json.loads(self.read(path))
        if not isinstance(data, dict):
            msg = f"{path} holds no JSON object"
            raise TypeError(msg)
        return self.names.known(data)

    def save(self, path: str, data: Mapping[str, Plain]) -> None:
        """Write a record's file."""
        self.write(path, record_text(self.names.shown(data)))

    def run(self, tool: str, *arguments: str) -> str:
        """Run a tool and return its output. A dry run skips a tool that makes changes."""
        path = f"/bin/{tool}"
        if self.environment.surface.executable_kind(path) is ExecutableKind.CHANGES:
            self.changes.append((path, "execute"))
            if self.is_dry_run:
                return ""
        for _ in range(TRIES):
            result = self.environment.call("exec", {"path": path, "args": list(arguments)})
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

    @staticmethod
    def rows(data: Mapping[str, Plain], name: str) -> list[dict[str, Plain]]:
        """Return the objects of a list in a record."""
        return [row for row in _list(data.get(name, [])) if isinstance(row, dict)]

    def available(self, store_path: str, skus: Sequence[str]) -> dict[str, int]:
        """Return the units that a branch can sell today by SKU, as `/bin/availability` computes them."""
        lines = (line.split("\t") for line in self.run("availability", store_path, *skus).splitlines())
        return {sku: int(count) for sku, count in lines}

    def stock(self, store_path: str) -> dict[str, Stock]:
        """Return the stock rows of a branch by SKU."""
        found = {}
        for row in self.rows(self.record(store_path), "inventory"):
            coming = self.rows(row, "incoming")
            incoming = [(_number(entry["quantity"]), _number(entry["arrives_in_days"])) for entry in coming]
            found[str(row["sku"])] = Stock(_number(row["on_hand"]), _number(row["reserved"]), incoming)
        return found

    def read_cited(self, truth: Truth) -> None:
        """Read the files that an answer cites, so that they may be cited, unless they were read or changed before."""
        for path in (*truth.records, *truth.documents, *truth.usual):
            if path not in self._seen and path not in [changed for changed, _ in self.changes]:
                self.read(path)

    def answer(self, truth: Truth, message: str, *, outcome: str = "") -> Answer:
        """Return the answer with all references of the truth, after reading them."""
        self.read_cited(truth)
        return Answer(
            message=message,
            outcome=outcome or truth.outcome,
            citations={**truth.records, **truth.documents, **truth.usual},
            tokens=(message,) if truth.is_exact else truth.tokens,
            changes=tuple(self.changes),
        )


def _list(value: Plain) -> list[Plain]:
    return value if isinstance(value, list) else []


def _number(value: Plain) -> int:
    return int(str(value))


Solution = Callable[[ReferenceClient, Truth], Answer]
"""A function that works on an environment and returns an answer, such as a family's reference or a mistake."""
