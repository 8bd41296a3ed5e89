"""Variants of a solution's script: with calls left out, failing, added, or made on another record."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from agent.evidence import Recorder
from benchmarks.ecom.runtime.record_names import RecordNames
from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient, Solution
from benchmarks.ecom.tasks.task import Truth
from sandbox.interface import CallError, ExecutableKind, Plain


class PartialClient(ReferenceClient):
    """Reads no record or document for the mere sake of citing it, if it is among `skipped`."""

    def __init__(self, recorder: Recorder, names: RecordNames, skipped: Collection[str]) -> None:
        super().__init__(recorder, names)
        self.skipped = frozenset(skipped)

    def answer(self, truth: Truth, message: str, *, outcome: str = "") -> Answer:
        """Cite everything but what is skipped."""
        kept = replace(
            truth,
            records={path: why for path, why in truth.records.items() if path not in self.skipped},
            documents={path: why for path, why in truth.documents.items() if path not in self.skipped},
        )
        return super().answer(kept, message, outcome=outcome)


class FailingClient(ReferenceClient):
    """Makes every change in a way that fails: a tool with an argument too many, a file where none may be."""

    def run(self, tool: str, *arguments: str) -> str:
        """Run a tool; one that changes something gets an argument that it does not take."""
        path = self.names.tool(tool)
        if self.environment.surface.executable_kind(path) is ExecutableKind.CHANGES:
            arguments = (*arguments, "now")
            self.environment.call("exec", {"path": path, "args": list(arguments)})
            return ""
        return super().run(tool, *arguments)

    def write(self, path: str, text: str) -> None:
        """Fail to write: the file stands where nothing may be written."""
        attempt(self, "write", {"path": f"/bin/{path.rsplit('/', 1)[1]}", "content": text})

    def delete(self, path: str) -> None:
        """Fail to delete: there is no such file."""
        attempt(self, "delete", {"path": f"{path}.old"})


def attempt(client: ReferenceClient, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain] | None:
    """Make a call; None if it fails, as a script does that catches the error."""
    try:
        return client.environment.call(operation, arguments)
    except CallError:
        return None


def forced(run: Callable[[ReferenceClient], None], reference: Solution) -> Solution:
    """Return a solution that looks at what the reference looks at, and then makes a change all the same."""

    def solution(client: ReferenceClient, truth: Truth) -> Answer:
        answer = reference(client, truth)
        run(client)
        return replace(answer, changes=tuple(client.changes))

    return solution


def after(before: Callable[[ReferenceClient, Truth], None], solution: Solution) -> Solution:
    """Return a solution whose script makes other calls first."""

    def extended(client: ReferenceClient, truth: Truth) -> Answer:
        before(client, truth)
        return solution(client, truth)

    return extended


def followed(solution: Solution, later: Callable[[ReferenceClient, Truth], None]) -> Solution:
    """Return a solution whose script makes further calls at its end."""

    def extended(client: ReferenceClient, truth: Truth) -> Answer:
        answer = solution(client, truth)
        later(client, truth)
        return answer

    return extended


def ask_for_help(client: ReferenceClient, truth: Truth) -> None:
    """Ask every tool that changes something how it is used, which changes nothing."""
    for each in client.environment.surface.executables:
        if each.kind is ExecutableKind.CHANGES:
            attempt(client, "exec", {"path": each.path, "args": ["--help"]})


def list_by_query(client: ReferenceClient, truth: Truth) -> None:
    """Ask the database for every basket, return and payment, as a script does that gets an overview; it may be down."""
    for table in ("baskets", "returns", "payments"):
        client.run("sql", f"select id, customer_id, status, record_path from {table}")


def fail_a_query(client: ReferenceClient, table: str, condition: str) -> None:
    """Ask the database for a column that it does not have: exit code 1, nothing on stdout."""
    client.run("sql", f"select record_path from {table} where {condition} and is_current = 1")
