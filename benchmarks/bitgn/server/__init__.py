"""The wire server: any `Benchmark`, served as the platform serves its own. It needs the extra `serve`."""

from benchmarks.bitgn.server.listening import RunningServer, running_server, serve
from benchmarks.bitgn.server.server_options import Faults, Outage, ServerOptions

__all__ = ["Faults", "Outage", "RunningServer", "ServerOptions", "running_server", "serve"]
