"""The wire server: serves any `Benchmark` as the platform serves its own. Needs the extra `serve`."""

from controlplane.benchmarks.bitgn.server.served_runs import ServerOptions
from controlplane.benchmarks.bitgn.server.wire_server import serve

__all__ = ["ServerOptions", "serve"]
