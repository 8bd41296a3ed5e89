"""The operations of environments that trials offer, as the user's settings change them.

By `--reads search`, the user says that the tool `search` changes nothing. Settings may also name
operations that do not exist; that is reported before the first trial, or by it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from controlplane.agent.evidence import Environment, ProvenancePolicy
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError
from controlplane.lifecycle.resources.named_operations import DeclaredOperations
from controlplane.sandbox.interface import ToolSchema


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

    def of(self, environment: Environment) -> ToolSchema:
        """Return the operations of an environment, as the user's settings change them."""
        declared = environment.tool_schema.with_reads(self.reads)
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
        declared = DeclaredOperations()
        declared.add(tool_schema.operations)
        fault = declared.fault_of(self.provenance, self.reads)
        if fault:
            raise UsageError(fault)


def tools_that_only_read(settings: RunSettings) -> tuple[str, ...]:
    """Return the names of tools in `--reads`: `"search, lookup"` -> `("search", "lookup")`."""
    names = [name.strip() for name in settings.reads.split(",")]
    return tuple(name for name in names if name)
