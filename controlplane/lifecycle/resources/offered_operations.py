"""The operations of environments that trials offer, as the user's settings change them.

By `--reads search`, the user says that the tool `search` changes nothing. Settings may also name
operations that do not exist; that is reported before the first trial, or by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from controlplane.agent.events import TrialStarted
from controlplane.agent.evidence import Environment
from controlplane.agent.evidence.origins.policy import fault_of_names, named_operations
from controlplane.errors import ServerFailed, UsageError, did_you_mean
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.sandbox.interface import Operation, ToolSchema
from controlplane.sandbox.interface.outcomes import GENERAL_OUTCOMES

if TYPE_CHECKING:
    from controlplane.lifecycle.resources.run_resources import RunResources

# Checks that the operations and arguments that settings name exist.
#
# `--provenance`, `--reads`, `--allow` and `--deny` protect something by its name: a
# misspelt name must not switch the protection off. If the benchmark declares the
# operations of its trials in advance, the check comes before the run creates anything.
# Otherwise it comes when the first trial starts.


_Parameters: TypeAlias = dict[str, set[str]]
"""The names of the arguments of each operation of the trials and servers that were looked at so far.

If trials declare an operation with different arguments, it has all of them here."""


def _add_operations(parameters: _Parameters, operations: Iterable[Operation]) -> None:
    """Add the operations of a trial, or of a server."""
    for operation in operations:
        names = parameters.setdefault(operation.name, set())
        names.update(parameter.name for parameter in operation.parameters)


def _fault_of_settings(resources: RunResources, parameters: _Parameters) -> str:
    """Return a text about the first undeclared name; empty if all names are declared.

    The names are those of operations and arguments in `--provenance` and `--reads`.
    """
    fault = fault_of_names(resources.call_settings.provenance, parameters)
    if fault:
        return f"--provenance: {fault}"
    for name in resources.reads:
        if name not in parameters:
            hint = did_you_mean(name, parameters)
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
    access = resources.spec.tools
    provenance = resources.call_settings.provenance
    operations_are_named = bool(named_operations(provenance) or resources.reads)
    tools_are_named = access is not None and bool(access.allow or access.deny)
    if not (operations_are_named or tools_are_named):
        return

    # 1. The tools of servers. `declared_operations` checks the names of `--allow` and `--deny`.
    parameters: _Parameters = {}
    if access is not None:
        from controlplane.mcp.tool_environment import declared_operations

        try:
            _add_operations(parameters, declared_operations(access))
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
        _add_operations(parameters, tool_schema.operations)
        fault = _fault_of_settings(resources, parameters)
        if not fault:
            return  # The servers and the tasks so far have all names.

    # `fault` is that of the last task: none of the tasks has this name.
    if fault:
        raise UsageError(fault)


def check_operations_of_trial(resources: RunResources, tool_schema: ToolSchema) -> None:
    """Raise `UsageError` if the settings name an operation that a trial's environment lacks.

    If the benchmark declares the operations in advance, `check_named_operations` has checked this.
    """
    if resources.opened.tool_schemas is not None:
        return
    parameters: _Parameters = {}
    _add_operations(parameters, tool_schema.operations)
    fault = _fault_of_settings(resources, parameters)
    if fault:
        raise UsageError(fault)


def offered_operations(
    resources: RunResources, environment: Environment, started: TrialStarted | None
) -> ToolSchema:
    """Return what an environment declares, as the benchmark and the user's settings change it.

    `started` is the record of an earlier attempt, whose conversation named its outcomes: they
    stay; None without one.
    """
    declared = environment.tool_schema.with_reads(resources.reads)
    if started is None:
        declared = declared.with_outcomes(resources.opened.outcomes or GENERAL_OUTCOMES)
    else:
        outcomes = tool_schema_from_text(started.tool_schema).outcomes
        if declared.outcomes != outcomes:
            declared = replace(declared, outcomes=outcomes)
    if resources.setup.offers_functions:
        return declared
    operations = [
        operation for operation in declared.operations if not operation.is_function
    ]
    return replace(declared, operations=tuple(operations))
