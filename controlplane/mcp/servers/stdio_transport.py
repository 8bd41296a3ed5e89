"""The process of an MCP server, which exchanges messages over its standard streams.

Each message is one line. A process that sends too much is no longer read.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, cast

from controlplane.mcp.program_secrets import environment_for_servers
from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.servers.error_output import ErrorOutput
from controlplane.mcp.servers.server_pipes import ServerPipes

if TYPE_CHECKING:
    import anyio.abc

CLOSING_S: Final = 1.0
"""The time that a server has to end after its input is closed."""


@asynccontextmanager
async def stdio_transport(spec: ServerSpec, errors: ErrorOutput) -> AsyncIterator[Any]:
    """Run a server's process and yield its streams of messages.

    What it writes to its standard error is added to `errors`.
    """
    import anyio

    # We are the client here, but the SDK's `stdio_client` would read lines of any length. So its
    # `stdio_server` is used, which can be given streams with a limit. It does the same: it
    # reads messages from one stream, and writes messages to the other.
    from mcp.server.stdio import stdio_server

    process = await _start_process(spec)
    pipes = ServerPipes(process)
    # The SDK declares text files of anyio here, but only iterates, writes and flushes.
    messages_in = cast("Any", pipes.lines())
    messages_out = cast("Any", pipes)
    async with (
        stdio_server(messages_in, messages_out) as streams,
        anyio.create_task_group() as group,
    ):
        group.start_soon(_collect_errors, process, errors)
        try:
            yield streams
        finally:
            await _end_process(process)


async def _start_process(spec: ServerSpec) -> anyio.abc.Process:
    """Start a server's process, in a session of its own, by which it is killed at the end.

    It gets only harmless variables of the environment, and those that the user names for it.
    """
    import anyio

    # Only `~` is expanded: `Path` would also change a bare name such as `npx`.
    program = os.path.expanduser(spec.command)  # noqa: PTH111 - as said above
    return await anyio.open_process(
        [program, *spec.args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**environment_for_servers(), **spec.env},
        cwd=spec.cwd,
        start_new_session=True,
    )


async def _collect_errors(process: anyio.abc.Process, errors: ErrorOutput) -> None:
    """Read a server's standard error until the server ends."""
    import anyio

    assert process.stderr is not None
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        async for part in process.stderr:
            errors.add(part)


async def _end_process(process: anyio.abc.Process) -> None:
    """Close a server's input, so that it ends, and kill what still runs after `CLOSING_S`.

    Processes that it has started may go on even if it has ended.
    """
    import anyio

    assert process.stdin is not None
    with anyio.CancelScope(shield=True):
        with anyio.move_on_after(CLOSING_S), suppress(Exception):
            await process.stdin.aclose()
            await process.wait()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(Exception):
            await process.aclose()
