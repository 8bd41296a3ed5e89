"""Makes the processes of trials: those of their scripts, and their aides."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from sandbox.parent.server_process import ChildEnd, ChildProcess, ServerProcess


class ForkServer:
    """Makes the processes of any number of trials; a context manager.

    It has a server process for scripts and one for aides, each with and without the kernel wall; one starts when it is
    first needed. `aide_modules` are imported for aides before the walls close: what `Aide.call` may name.
    """

    def __init__(self, aide_modules: Iterable[str] = ()) -> None:
        self.aide_modules = aides = tuple(aide_modules)
        self._scripts = {kernel: ServerProcess(with_kernel=kernel, aide_modules=None) for kernel in (True, False)}
        self._aides = {kernel: ServerProcess(with_kernel=kernel, aide_modules=aides) for kernel in (True, False)}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def launch(self, *, with_kernel: bool = True) -> None:
        """Start the server processes that will be asked, without waiting for them. What keeps one from starting is for
        `spawn` to find out."""
        for each in (self._scripts, self._aides):
            each[with_kernel].launch()

    def copied(self, *, with_kernel: bool = True, core: int | None = None) -> ForkServer:
        """Return a server for a process that is about to be forked from this one: its server processes are copies of
        this one's, ready without importing anything again, and end with them. Does not wait for either.

        They and their children keep to `core`, if it is given.
        """
        copy = ForkServer(self.aide_modules)
        copy._scripts[with_kernel] = self._scripts[with_kernel].copied(core)
        copy._aides[with_kernel] = self._aides[with_kernel].copied(core)
        return copy

    def leave(self) -> None:
        """Let go of the server processes in a process that was forked from the one that started them; they go on."""
        for each in (*self._scripts.values(), *self._aides.values()):
            each.leave()

    def kernel_report(self) -> dict[str, str]:
        """Return the parts of the kernel wall: "" where one stands, else why it does not.

        Starts the server process unless it runs. Raises `SandboxBroken`."""
        return self._scripts[True].start()

    def spawn(self, *, with_kernel: bool = True) -> ChildProcess:
        """Return a ready child for scripts. A server process that died is started again once.

        Raises `SandboxBroken`."""
        return self._scripts[with_kernel].spawn()

    def spawn_aide(self, *, with_kernel: bool = True) -> ChildProcess:
        """Return a ready child for an aide. Raises `SandboxBroken`."""
        return self._aides[with_kernel].spawn()

    def end(self, child: ChildProcess) -> ChildEnd:
        """Kill the child if it lives, and return how it ended."""
        return child.server.end(child)

    def close(self) -> None:
        """End the server processes and every child."""
        for each in (*self._scripts.values(), *self._aides.values()):
            each.close()
