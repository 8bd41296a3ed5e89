"""The wire server: serves any `Benchmark` as the platform serves its own. Needs the extra `serve`."""

from benchmarks.bitgn.server.listening import RunningServer, running_server, serve
from benchmarks.bitgn.server.served_runs import ServerOptions

__all__ = ["RunningServer", "ServerOptions", "running_server", "serve"]
