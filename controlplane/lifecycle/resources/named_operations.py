"""Checks that the operations and arguments that settings name exist.

`--provenance`, `--reads`, `--allow` and `--deny` protect something by its name: a
misspelt name must not switch the protection off. If the benchmark declares the
operations of its trials in advance, the check comes before the run creates anything.
Otherwise it comes when the first trial starts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from controlplane.agent.evidence import ProvenancePolicy
from controlplane.agent.evidence.origins.policy_names import fault_of_names
from controlplane.errors import ServerFailed, UsageError, did_you_mean
from controlplane.sandbox.interface import Operation

if TYPE_CHECKING:
    from controlplane.lifecycle.resources.run_resources import RunResources


@dataclass(slots=True)
class DeclaredOperations:
    """The operations of all trials and servers that were looked at so far."""

    parameters: dict[str, set[str]] = field(default_factory=dict)
    """The names of the arguments of each operation. If trials declare
    an operation with different arguments, it has all of them here."""

    def add(self, operations: Iterable[Operation]) -> None:
        """Add the operations of a trial, or of a server."""
        for operation in operations:
            names = self.parameters.setdefault(operation.name, set())
            names.update(parameter.name for parameter in operation.parameters)

    def fault_of(self, provenance: ProvenancePolicy, reads: Iterable[str]) -> str:
        """Return a text about the first undeclared name; empty if all names are declared.

        The names are those of operations and arguments in `--provenance` and `--reads`.
        """
        fault = fault_of_names(provenance, self.parameters)
        if fault:
            return f"--provenance: {fault}"
        for name in reads:
            if name not in self.parameters:
                hint = did_you_mean(name, self.parameters)
                return f"--reads: there is no operation {name!r}{hint}"
        return ""


def check_named_operations(resources: RunResources, task_ids: Sequence[str]) -> None:
    """Raise `UsageError` if a setting names an operation that these tasks do not have.

    Example: `--reads raed_order`, where the tasks have `read_order`. A name is accepted if any of the
    tasks, or an MCP server that the user adds, has it. The servers are started for the check, and
    ended after it. The check comes before the run creates anything.
    """
    provenance = resources.gates.provenance
    names_operations = bool(provenance.named_operations or resources.operations.reads)
    access = resources.spec.tools
    names_tools = access is not None and bool(access.allow or access.deny)
    if not (names_operations or names_tools):
        return

    # 1. The tools of servers
    declared = DeclaredOperations()
    if access is not None:
        from controlplane.mcp.offered_servers import declared_operations

        with suppress(ServerFailed):
            declared.add(declared_operations(access))
        # Each server declares at least `help`. So if nothing was declared, one has failed, and an
        # unknown name may be one of its tools. The first trial reports that server.
        a_server_failed = not declared.parameters
        if a_server_failed:
            return

    # 2. The operations of the tasks, until all names are known
    tool_schemas = resources.opened.tool_schemas
    if not names_operations or tool_schemas is None:
        return
    fault = ""  # about the first name that none of the tasks so far declares
    for tool_schema in tool_schemas(task_ids):
        declared.add(tool_schema.operations)
        fault = declared.fault_of(provenance, resources.operations.reads)
        if not fault:
            return
    if fault:
        raise UsageError(fault)
