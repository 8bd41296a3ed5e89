"""The wire server: serves any `Benchmark` as the platform serves its own. Needs the extra `serve`."""

from benchmarks.bitgn.server.listening import RunningServer, running_server, serve
from benchmarks.bitgn.server.server_options import Faults, Outage, ServerOptions

__all__ = ["Faults", "Outage", "RunningServer", "ServerOptions", "running_server", "serve"]
