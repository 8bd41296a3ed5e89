"""The operations of environments that trials offer, as the user's settings change them.

By `--reads search`, the user says that the tool `search` changes nothing. Settings may also name
operations that do not exist; that is reported before the first trial, or by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from controlplane.agent.events import TrialStarted
from controlplane.agent.evidence import Environment, ProvenancePolicy
from controlplane.agent.evidence.origins.policy import fault_of_names, named_operations
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import ServerFailed, UsageError, did_you_mean
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.sandbox.interface import Operation, ToolSchema
from controlplane.sandbox.interface.outcomes import Outcomes

if TYPE_CHECKING:
    from controlplane.lifecycle.resources.run_resources import RunResources

# Checks that the operations and arguments that settings name exist.
#
# `--provenance`, `--reads`, `--allow` and `--deny` protect something by its name: a
# misspelt name must not switch the protection off. If the benchmark declares the
# operations of its trials in advance, the check comes before the run creates anything.
# Otherwise it comes when the first trial starts.


@dataclass(slots=True)
class _DeclaredOperations:
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

    Two kinds of names are checked: those of operations (`--provenance`, `--reads`), and those
    of tools of servers (`--allow`, `--deny`).
    """
    provenance = resources.call_settings.provenance
    reads = resources.operations.reads
    access = resources.spec.tools
    operations_are_named = bool(named_operations(provenance) or reads)
    tools_are_named = access is not None and bool(access.allow or access.deny)
    if not (operations_are_named or tools_are_named):
        return

    # 1. The tools of servers. `declared_operations` checks the names of `--allow` and `--deny`.
    declared = _DeclaredOperations()
    if access is not None:
        from controlplane.mcp.tool_environment import declared_operations

        try:
            declared.add(declared_operations(access))
        except ServerFailed:
            # An unknown name may be one of its tools. The first trial reports the server.
            return

    # 2. The operations of the tasks, until all names are known
    if not operations_are_named:
        return
    tool_schemas = resources.opened.tool_schemas
    if tool_schemas is None:  # The benchmark does not declare them in advance.
        return
    fault = ""
    for tool_schema in tool_schemas(task_ids):
        declared.add(tool_schema.operations)
        fault = declared.fault_of(provenance, reads)
        if not fault:
            return  # The servers and the tasks so far have all names.

    # `fault` is that of the last task: none of the tasks has this name.
    if fault:
        raise UsageError(fault)


@dataclass(frozen=True, slots=True)
class OfferedOperations:
    """Which operations trials offer, and which of them change nothing."""

    reads: tuple[str, ...]
    """The names of the tools that, as the user declares, change nothing (`--reads`)."""
    provenance: ProvenancePolicy
    """The policy of `--provenance`, which may name operations."""
    includes_functions: bool
    """False if the user has switched off the benchmark's functions."""
    are_known_before_run: bool
    """True if the benchmark declares the operations of its trials in advance."""
    outcomes: Outcomes
    """The outcomes of trials whose environment declares none."""

    def of(self, environment: Environment, started: TrialStarted | None) -> ToolSchema:
        """Return what an environment declares, as the benchmark and the user's settings change it.

        `started` is the record of an earlier attempt, whose conversation named its outcomes: they
        stay; None without one.
        """
        declared = environment.tool_schema.with_reads(self.reads)
        if started is None:
            declared = declared.with_outcomes(self.outcomes)
        else:
            outcomes = tool_schema_from_text(started.tool_schema).outcomes
            if declared.outcomes != outcomes:
                declared = replace(declared, outcomes=outcomes)
        if self.includes_functions:
            return declared
        operations = [
            operation for operation in declared.operations if not operation.is_function
        ]
        return replace(declared, operations=tuple(operations))

    def check_names(self, tool_schema: ToolSchema) -> None:
        """Raise `UsageError` if the settings name an operation that a trial's environment lacks.

        If the operations are known before the run, `check_named_operations` has checked this.
        """
        if self.are_known_before_run:
            return
        declared = _DeclaredOperations()
        declared.add(tool_schema.operations)
        fault = declared.fault_of(self.provenance, self.reads)
        if fault:
            raise UsageError(fault)


def tools_that_only_read(settings: RunSettings) -> tuple[str, ...]:
    """Return the names of tools in `--reads`: `"search, lookup"` -> `("search", "lookup")`."""
    names = [name.strip() for name in settings.reads.split(",")]
    return tuple(name for name in names if name)
