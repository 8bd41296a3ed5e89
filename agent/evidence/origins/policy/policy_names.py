"""Checks the names of operations and arguments in the setting `--provenance`.

With `--provenance send_mony=block`, the operation `send_money` would not be blocked. So a
name that the trial's environment does not declare is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from controlplane.agent.evidence.origins.policy.provenance_policy import (
    ProvenancePolicy,
)
from controlplane.gates.paths import nearest


def fault_of_names(
    policy: ProvenancePolicy, parameters: Mapping[str, Collection[str]]
) -> str:
    """Return a message about the first undeclared name in the setting; empty if there is none.

    `parameters` are the declared argument names by operation. The message suggests the
    nearest declared name: `there is no operation 'send_mony'; did you mean 'send_money'?`
    """
    for operation in named_operations(policy):
        if operation not in parameters:
            hint = nearest_hint(operation, parameters)
            return f"there is no operation {operation!r}{hint}"
    # From here on, all operations of the setting are declared.
    named_arguments = [
        *policy.deciding_arguments.items(),
        *policy.lookup_arguments.items(),
    ]
    for operation, arguments in named_arguments:
        for argument in arguments:
            if argument not in parameters[operation]:
                hint = nearest_hint(argument, parameters[operation])
                return f"{operation} has no argument {argument!r}{hint}"
    return ""


def named_operations(policy: ProvenancePolicy) -> list[str]:
    """Return the operations that the setting names."""
    return [
        *policy.modes,
        *policy.trusted,
        *policy.deciding_arguments,
        *policy.lookup_arguments,
    ]


def nearest_hint(name: str, known_names: Iterable[str]) -> str:
    """Return a question that suggests the most similar known name; empty if there is none."""
    near_name = nearest(name, known_names)
    return f"; did you mean {near_name!r}?" if near_name else ""
