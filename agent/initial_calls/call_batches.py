"""The calls that an environment declares for the first message, by when they are sent.

They are made before the model is asked, in three batches:

    first    tree /, read /RULES.md, exec /bin/date                at once
    reads    read /docs/a.md, read each file of `find /policies`   when all files are listed
    helps    exec /bin/renew --help                                if the request needs the tool
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from controlplane.agent.initial_calls.call_for_each import (
    CallForEach,
    CallKind,
    DeclaredCall,
)
from controlplane.sandbox.interface import Plain, ToolSchema

# The calls that an environment declares for the first message of a trial.
#
# They are made before the model is asked, and the message shows their results:
#
#     tree /                                 one call
#     exec /bin/date                         one call
#     read each file of `find /policies`     a call for each of these files

_Declared: TypeAlias = DeclaredCall | CallForEach


def _declared_calls(tool_schema: ToolSchema) -> list[_Declared]:
    """Return the calls that an environment declares for the first message, in order.

    If it declares a call of an operation that it does not have, the call is left out.
    """
    rules_path = tool_schema.rules_document
    calls: list[_Declared] = []
    for declaration in tool_schema.initial_calls:
        operation = tool_schema.operation(declaration.operation)
        if operation is None:
            continue
        listing = declaration.each_of
        if listing is not None:
            calls.append(CallForEach(declaration, listing, operation, rules_path))
        else:
            arguments = declaration.arguments
            calls.append(DeclaredCall.of(declaration, operation, arguments, rules_path))
    return calls


def single_calls(tool_schema: ToolSchema) -> list[DeclaredCall]:
    """Return those calls that are made once, and not for each value of a listing."""
    return [
        call for call in _declared_calls(tool_schema) if isinstance(call, DeclaredCall)
    ]


# A key by which equal calls are found, so that none is sent twice.
#
# The order of the arguments does not count:
#
#     key_of("find", {"root": "/", "name": "a"})   -> "find[('name', 'a'), ('root', '/')]"
#     key_of("find", {"name": "a", "root": "/"})   -> the same


def key_of(operation: str, arguments: Mapping[str, Plain]) -> str:
    """Return the key of a call."""
    if len(arguments) == 1:  # Most calls have one argument, and need no sorting.
        return f"{operation}{arguments}"
    return f"{operation}{sorted(arguments.items())}"


@dataclass(frozen=True, slots=True)
class _CallBatches:
    """The declared calls of an environment, each in one batch, in the order of declaration."""

    first: list[DeclaredCall] = field(default_factory=list)
    """Calls that need no other results."""
    reads: list[_Declared] = field(default_factory=list)
    """Calls that read files, when it is known which files there are."""
    helps: list[DeclaredCall] = field(default_factory=list)
    """Calls that ask tools for their help texts."""


def call_batches(tool_schema: ToolSchema) -> _CallBatches:
    """Return the batches of an environment's declared calls."""
    batches = _CallBatches()
    # A tree is listed first, and then searched for files that fit the request. To save time, the
    # declared files are read during this search. Without a tree, they are read at once.
    reads_files_later = _lists_tree(tool_schema)
    for call in _declared_calls(tool_schema):
        if not isinstance(call, DeclaredCall):
            batches.reads.append(call)  # It needs a listing.
        elif call.kind is CallKind.ASKS_FOR_HELP:
            batches.helps.append(call)
        elif call.kind is CallKind.READS_FILE and reads_files_later:
            batches.reads.append(call)
        else:
            # Reads of the workspace's rules are among these: they are never put off.
            batches.first.append(call)
    return batches


def _lists_tree(tool_schema: ToolSchema) -> bool:
    """Return True if a declared call lists a tree of files, as `tree /` does."""
    for call in single_calls(tool_schema):
        if call.operation.drawn_as_tree and call.kind is not CallKind.ASKS_FOR_HELP:
            return True
    return False
