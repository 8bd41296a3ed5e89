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

from controlplane.mcp.message_lines import FaultyMessage, bounded_messages
from controlplane.mcp.program_secrets import environment_for_servers
from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.servers.error_output import ErrorOutput

if TYPE_CHECKING:
    import anyio.abc

MOST_UNASKED_MESSAGES: Final = 2_000
"""Messages, such as logs, that a server may send after our last one before it is disconnected."""
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
    pipes = _ServerPipes(process)
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


class _ServerPipes:
    """The input and output of a server's process, as the SDK uses them.

    The SDK writes with `write` and `flush`, as to a text file.
    """

    def __init__(self, process: anyio.abc.Process) -> None:
        self.process = process
        self.unasked_messages = 0
        """The number of messages that the server has sent since our last one."""

    async def lines(self) -> AsyncIterator[str]:
        """Yield the server's messages until it ends or sends too many."""
        stdout = self.process.stdout
        assert stdout is not None
        async for message in bounded_messages(stdout.receive):
            self.unasked_messages += 1
            if self.unasked_messages > MOST_UNASKED_MESSAGES:
                return  # The client then sees that the connection is closed.
            if isinstance(message, FaultyMessage):
                yield _failed_reply(message)
            else:
                yield message

    async def write(self, line: str) -> None:
        """Send a message to the server."""
        import anyio

        assert self.process.stdin is not None
        self.unasked_messages = 0
        # If the server has ended, the reader of its messages notices it.
        with suppress(anyio.BrokenResourceError):
            await self.process.stdin.send(line.encode())

    async def flush(self) -> None:
        """Let other tasks run, as the SDK expects. `write` has already sent everything."""
        import anyio.lowlevel

        await anyio.lowlevel.checkpoint()


def _failed_reply(message: FaultyMessage) -> str:
    """Return an error in place of a faulty reply. The call that waits for the reply fails.

    In JSON-RPC, the code -32700 means that a message cannot be parsed. The fault is one of our
    own texts, without quotation marks, and the id is JSON already.
    """
    error = f'{{"code":-32700,"message":"{message.fault}"}}'
    return f'{{"jsonrpc":"2.0","id":{message.message_id},"error":{error}}}'
