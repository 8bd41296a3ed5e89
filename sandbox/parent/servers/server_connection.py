"""A fork server process that runs, and the control socket, over which it gets requests."""

from __future__ import annotations

import socket

from controlplane.sandbox.parent.child_process import ChildEnd, SandboxBroken
from controlplane.sandbox.parent.servers.server_program import (
    ServerSetting,
    start_process,
)
from controlplane.sandbox.parent.servers.server_requests import (
    NewChild,
    receive_start,
    request_child,
    request_end,
)


class ServerConnection:
    """A fork server process that was started, and the parent's connection to it."""

    def __init__(self, setting: ServerSetting) -> None:
        """Start the process, without waiting until it is ready. Raises `SandboxBroken`."""
        our_end, their_end = socket.socketpair()
        try:
            self._process = start_process(setting, their_end.fileno())
        except OSError as error:
            our_end.close()
            msg = f"the fork server cannot be started: {error}"
            raise SandboxBroken(msg) from error
        finally:
            their_end.close()
        self._control = our_end
        self._kernel_parts: dict[str, str] | None = None
        """What `wait_until_ready` returns; None until the process is ready."""

    def wait_until_ready(self) -> dict[str, str]:
        """Wait until the process takes requests, and return the parts of the kernel layer.

        A part is "" if it works, else the reason why not. Raises `SandboxBroken`.
        """
        if self._kernel_parts is None:
            self._kernel_parts = receive_start(self._control)
        return self._kernel_parts

    def new_child(self) -> NewChild:
        """Return a new child. Raises `OSError` if the process is gone, and `SandboxBroken`."""
        return request_child(self._control)

    def end_child(self, pid: int) -> ChildEnd:
        """Kill a child if it is alive, and return how it ended.

        Raises `OSError` if the process is gone.
        """
        return request_end(self._control, pid)

    def stop(self) -> None:
        """End the process; its children end with it."""
        self._control.close()
        self._process.kill()
        self._process.wait()
