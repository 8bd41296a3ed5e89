"""The client of a reference solution, which makes the same calls on an environment as a script."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from agent.evidence import Environment
from benchmarks.ecom.runtime.record_names import RecordNames
from benchmarks.ecom.runtime.workspace import record_text
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.world.shop_records import Stock
from sandbox.interface import ExecutableKind, Plain


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

    def read(self, path: str) -> str:
        """Return the text of a file."""
        return str(self.environment.call("read", {"path": path})["content"])

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
        """Return what a tool prints. A dry run skips a tool that makes changes."""
        path = self.names.tool(tool)
        if self.environment.surface.executable_kind(path) is ExecutableKind.CHANGES:
            self.changes.append((path, "execute"))
            if self.is_dry_run:
                return ""
        return str(self.environment.call("exec", {"path": path, "args": list(arguments)})["stdout"])

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

    def who(self) -> Mapping[str, str]:
        """Return `user` and `roles`, as `/bin/id` prints them."""
        return dict(line.split(": ", 1) for line in self.run("id").splitlines())

    def available(self, store_path: str, skus: Sequence[str]) -> dict[str, int]:
        """Return what a branch can sell today by SKU, as `/bin/availability` computes it."""
        lines = (line.split("\t") for line in self.run("availability", store_path, *skus).splitlines())
        return {sku: int(count) for sku, count in lines}

    def stock(self, store_path: str) -> dict[str, Stock]:
        """Return the stock rows of a branch by SKU."""
        return {str(row["sku"]): _stock(row) for row in _rows(self.record(store_path), "inventory")}

    def answer(self, truth: Truth, message: str, *, outcome: str = "") -> Answer:
        """Return the answer with all references of the truth, after reading each so that it may be cited."""
        citations = {**truth.records, **truth.documents}
        touched = {path for path, _ in self.changes}
        for path in citations:
            if path not in touched:
                self.read(path)
        return Answer(
            message=message,
            outcome=outcome or truth.outcome,
            citations=citations,
            tokens=(message,) if truth.is_exact else truth.tokens,
            changes=tuple(self.changes),
        )


def _rows(data: Mapping[str, Plain], name: str) -> list[dict[str, Plain]]:
    rows = data.get(name, [])
    return [each for each in rows if isinstance(each, dict)] if isinstance(rows, list) else []


def _stock(row: dict[str, Plain]) -> Stock:
    incoming = [(_number(each["quantity"]), _number(each["arrives_in_days"])) for each in _rows(row, "incoming")]
    return Stock(_number(row["on_hand"]), _number(row["reserved"]), incoming)


def _number(value: Plain) -> int:
    return int(str(value))


Solution = Callable[[ReferenceClient, Truth], Answer]
"""What works on an environment and returns an answer; a family's reference is one, and so is a mistake."""
