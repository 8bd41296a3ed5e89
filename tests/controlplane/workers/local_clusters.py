"""Small Dask clusters on this machine, for the length of a block.

    with local_cluster(TWO_PROCESSES) as client:
        client.run(os.getpid)      # {"tcp://127.0.0.1:41001": 811, "tcp://127.0.0.1:41002": 812}

The client gives work to the workers of its cluster.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

TWO_PROCESSES = {"n_workers": 2, "processes": True}
"""Two workers, each a process of its own, which a test may kill."""

THREADS = {"n_workers": 1, "processes": False}
"""One worker, whose threads belong to the process of the test. It starts faster."""


@contextmanager
def local_cluster(workers: dict[str, int]) -> Iterator[Any]:
    """Start a cluster with these workers, and return its client, a `distributed.Client`."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            **workers,
            threads_per_worker=4,
            dashboard_address="127.0.0.1:0",
            silence_logs=False,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client
