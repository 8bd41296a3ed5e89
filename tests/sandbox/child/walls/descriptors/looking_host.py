"""A host that looks at the process of a script whenever the script makes a call."""

from controlplane.sandbox import ForkServer
from tests.sandbox.child.walls.descriptors.process_descriptors import (
    limits_of_descriptors,
    open_descriptors,
)
from tests.sandbox.recording_host import RecordingHost


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
