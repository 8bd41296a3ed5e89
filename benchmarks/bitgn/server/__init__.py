"""Serve any `Benchmark` like the remote platform. Needs the extra `serve`."""

from controlplane.benchmarks.bitgn.server.harness import ServerOptions
from controlplane.benchmarks.bitgn.server.wire_server import serve
