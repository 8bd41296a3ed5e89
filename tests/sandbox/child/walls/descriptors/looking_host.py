"""A host that looks at the process of a script whenever the script makes a call."""

from pathlib import Path

from controlplane.sandbox import ForkServer
from tests.sandbox.local_parent import RecordingHost

# Descriptors of a process, the numbers by which it knows its open files and sockets.


def open_descriptors(pid: int) -> list[int]:
    """Return the descriptors of a process, which Linux lists in `/proc/<pid>/fd`: `[0, 3]`."""
    return [int(path.name) for path in Path(f"/proc/{pid}/fd").iterdir()]


def limits_of_descriptors(pid: int) -> dict[str, str]:
    """Return how many descriptors a process may have: `{"soft limit": "64", "hard limit": "4096"}`.

    The soft limit counts. A process may raise it by itself, up to its hard limit.
    """
    for line in Path(f"/proc/{pid}/limits").read_text().splitlines():
        # "Max open files            64                   64                   files"
        if line.startswith("Max open files"):
            _max, _open, _files, soft_limit, hard_limit, _unit = line.split()
            return {"soft limit": soft_limit, "hard limit": hard_limit}
    raise AssertionError("/proc does not name the limit of open files")


class ServerWithPids(ForkServer):
    """A fork server that remembers the processes that it forked, the newest one at the end."""

    def __init__(self):
        super().__init__()
        self.pids = []

    def spawn(self, **options):
        child = super().spawn(**options)
        self.pids.append(child.pid)
        return child


class LookingHost(RecordingHost):
    """A host that looks at the newest process whenever a script makes a call."""

    def __init__(self, server):
        super().__init__()
        self.server = server
        self.descriptors = []
        """The descriptors that were open at each call: `[[0], [0, 3]]` for two calls."""
        self.limits = []
        """How many were allowed then: `[{"soft limit": "64", "hard limit": "4096"}, ...]`."""

    def call(self, operation, arguments, *, in_verify):
        pid = self.server.pids[-1]
        self.descriptors.append(open_descriptors(pid))
        self.limits.append(limits_of_descriptors(pid))
        return super().call(operation, arguments, in_verify=in_verify)
