"""What the parent keeps of a trial from step to step: the child, the last scratchpad, the counts."""

from __future__ import annotations

from dataclasses import dataclass, field

from sandbox.interface.host import Host
from sandbox.interface.operations import Plain
from sandbox.interface.surface import Surface
from sandbox.interface.walls import Wall
from sandbox.parent.cpu_share import CpuShare
from sandbox.parent.fork_server import ForkServer
from sandbox.parent.server_process import UNKNOWN_END, ChildEnd, ChildProcess
from sandbox.process.child_settings import Setting
from sandbox.process.frames import frame_limit, send_frame

_MOST_SETTING_BYTES = 1 << 24


@dataclass(slots=True)
class Trial:
    """One trial, used by one thread at a time."""

    surface: Surface
    host: Host
    setting: Setting
    server: ForkServer
    child: ChildProcess | None = None
    scratchpad: dict[str, Plain] = field(default_factory=dict)
    """The last snapshot, tagged."""
    steps: int = 0
    calls: int = 0
    cpu_s: float = 0.0
    """CPU seconds of the children that have ended."""
    answered: bool = False
    share: CpuShare = field(default_factory=CpuShare)

    @property
    def frame_limit(self) -> int:
        """The most bytes that one message of the child may have."""
        return frame_limit(self.setting.limits)

    def ready_child(self) -> ChildProcess:
        """Return the trial's child, a new one where there is none. Raises `Closed` and `SandboxBroken`."""
        if self.child is None:
            child = self.server.spawn(with_kernel=Wall.KERNEL in self.setting.walls)
            self.child = child
            limits = self.setting.limits
            left = limits._replace(trial_cpu_s=max(limits.trial_cpu_s - self.cpu_s, 0.0))
            send_frame(child.connection, self.setting._replace(limits=left).message(), _MOST_SETTING_BYTES)
        return self.child

    def drop_child(self) -> ChildEnd:
        """End the trial's child, if it has one, and return how that ended."""
        child, self.child = self.child, None
        if child is None:
            return UNKNOWN_END
        end = self.server.end(child)  # First, so that it does not wake to see its connection closed.
        child.connection.close()
        self.cpu_s += end.cpu_s
        return end
