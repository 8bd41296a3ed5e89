"""The operations of a trial in a container: a shell and files.

Scripts call them as `harness.shell("make test")` and `harness.read("/app/main.py")`.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.containers.container_command import TIMEOUT_EXIT_CODE
from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Parameter,
    ResultField,
    ToolSchema,
)
from controlplane.sandbox.interface.file_operations import (
    DELETE,
    FIND,
    LIST,
    READ,
    SEARCH,
    STAT,
    WRITE,
)

DEFAULT_SHELL_TIMEOUT_S: Final = 600
GRACE_S: Final = 30.0
"""Seconds that a call may take in addition to the command that it runs."""


def shell_operation(longest_s: float) -> Operation:
    """Return the operation `shell`. A command may take `longest_s`, as long as the trial."""
    return Operation(
        name="shell",
        parameters=(
            Parameter("command", "str"),
            Parameter("stdin", "str", ""),
            Parameter("workdir", "str", ""),
            Parameter("timeout_s", "int", DEFAULT_SHELL_TIMEOUT_S),
        ),
        fields=(ResultField("stdout"), ResultField("stderr"), ResultField("exit_code")),
        summary=(
            "run a command in the container's shell; after timeout_s it is ended with exit code "
            f"{TIMEOUT_EXIT_CODE}; for a service, end the command with &"
        ),
        effect=Effect.EXECUTES,  # A command may change anything.
        subject="command",  # The parameter with what is executed.
        exit_field="exit_code",  # The result field that tells whether the command failed.
        longest_s=longest_s,
        is_trusted=True,  # Later calls may use its output; see `tool_schema_of`.
    )


def tool_schema_of(agent_timeout_s: float) -> ToolSchema:
    """Return the operations of a trial whose agent has this time limit, in seconds."""
    search = SEARCH._replace(
        summary="lines that match an extended regular expression of grep",
        is_trusted=True,
    )
    files = (READ, WRITE, LIST, FIND, search, STAT, DELETE)
    return ToolSchema(
        operations=(shell_operation(agent_timeout_s + GRACE_S), *files),
        # Other benchmarks block calls whose arguments come from untrusted files. Here all
        # files are trusted: programs are normally written from texts that were read, and
        # the container is isolated.
        trusted_roots=("/",),
        citations="none",
    )
