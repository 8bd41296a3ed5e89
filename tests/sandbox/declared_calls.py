"""What the scripts of the sandbox's tests may call, and what their clocks show.

A script cannot open files or sockets. It calls a `harness` instead, which has a method for each
declared operation: `harness.read("/AGENTS.MD")`, `harness.exec("/bin/id")`.
"""

from datetime import UTC, datetime

from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Executable,
    ExecutableKind,
    ToolSchema,
)

NOW = datetime(2026, 3, 11, 14, 45, 13, tzinfo=UTC)
"""What the clocks of all scripts show; they stand still."""

TOOL_SCHEMA = ToolSchema(
    FILE_OPERATIONS,
    executables=(
        Executable("/bin/id", ExecutableKind.READS),
        Executable("/bin/cat", ExecutableKind.READS),
        Executable("/bin/checkout", ExecutableKind.CHANGES),
    ),
)
"""What scripts may call: reading, writing and searching files, and three tools.

Only `/bin/checkout` changes the world, so that it is refused while `verify` runs.
"""

OPERATION_NAMES = frozenset(operation.name for operation in TOOL_SCHEMA.operations)
"""The names of all calls that scripts may make: read, list, write, exec and so on."""
