"""The remote platform: a client of its API, and a server that speaks it.

`bitgn:<benchmark id>`, or `bitgn` with BENCH_ID. BITGN_HOST names the platform, BITGN_API_KEY holds the key for it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.bitgn.client.remote_benchmark import OPTIONS as OPTIONS
    from benchmarks.bitgn.client.remote_benchmark import open_benchmark as open_benchmark


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that the server loads without the client."""
    if name in ("OPTIONS", "open_benchmark"):
        return getattr(import_module(f"{__name__}.client.remote_benchmark"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
