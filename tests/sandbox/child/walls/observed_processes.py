"""A look from outside at the open descriptors of the processes that a fork server forks.

A descriptor is the number by which a process knows an open file or socket. Linux lists those of the
process 4021 in the folder `/proc/4021/fd`. `LookingHost` looks there whenever the script of the
newest process makes a call, which the host answers.
"""

from pathlib import Path
from typing import NamedTuple

from controlplane.sandbox import ForkServer
from tests.sandbox.recording_host import RecordingHost


class Descriptors(NamedTuple):
    """What Linux says of a process: its descriptors, and how many it may have."""

    numbers: list[str]
    soft_limit: str
    hard_limit: str


class ObservedServer(ForkServer):
    """A fork server that remembers the processes that it forked."""

    def __init__(self):
        super().__init__()
        self.pids = []

    def spawn(self, **options):
        """Fork a child, as the sandbox asks for one."""
        child = super().spawn(**options)
        self.pids.append(child.pid)
        return child

    def descriptors_of_newest_child(self):
        """Return what Linux says of the child that was forked last."""
        process = Path("/proc") / str(self.pids[-1])
        numbers = [path.name for path in (process / "fd").iterdir()]
        for line in (process / "limits").read_text().splitlines():
            # Such as "Max open files            1024                 4096                 files"
            if line.startswith("Max open files"):
                soft_limit, hard_limit = line.split()[3:5]
                return Descriptors(numbers, soft_limit, hard_limit)
        raise AssertionError("/proc does not name the limit of open files")


class LookingHost(RecordingHost):
    """A host that looks at the script's process whenever the script makes a call."""

    def __init__(self, server):
        super().__init__()
        self.server = server
        self.descriptors_at_calls = []
        """The descriptors of the script's process, one entry for each of `calls`."""

    def call(self, operation, arguments, *, in_verify):
        descriptors = self.server.descriptors_of_newest_child()
        self.descriptors_at_calls.append(descriptors)
        return super().call(operation, arguments, in_verify=in_verify)
