"""The wire server: serves any `Benchmark` as the platform serves its own. Needs the extra `serve`."""

from controlplane.benchmarks.bitgn.server.listening import serve
from controlplane.benchmarks.bitgn.server.served_runs import ServerOptions

__all__ = ["ServerOptions", "serve"]
