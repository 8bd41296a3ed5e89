"""The calls that an environment declares for the first message, by when they are sent.

They are made before the model is asked, in three batches:

    first    tree /, read /RULES.md, exec /bin/date                at once
    reads    read /docs/a.md, read each file of `find /policies`   when all files are listed
    helps    exec /bin/renew --help                                if the request needs the tool
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.initial_calls.call_kind import CallKind
from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.agent.initial_calls.declared_calls import (
    Declared,
    declared_calls,
    single_calls,
)
from controlplane.sandbox.interface import ToolSchema


@dataclass(frozen=True, slots=True)
class CallBatches:
    """The declared calls of an environment, each in one batch, in the order of declaration."""

    first: list[DeclaredCall] = field(default_factory=list)
    """Calls that need no other results."""
    reads: list[Declared] = field(default_factory=list)
    """Calls that read files, when it is known which files there are."""
    helps: list[DeclaredCall] = field(default_factory=list)
    """Calls that ask tools for their help texts."""


def call_batches(tool_schema: ToolSchema) -> CallBatches:
    """Return the batches of an environment's declared calls."""
    batches = CallBatches()
    # A tree is listed first, and then searched for files that fit the request. To save time, the
    # declared files are read during this search. Without a tree, they are read at once.
    reads_files_later = _lists_tree(tool_schema)
    for call in declared_calls(tool_schema):
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
