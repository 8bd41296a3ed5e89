"""A Dask cluster, as `ClusterWorkers` uses one. The only module that knows Dask; it is imported if one is asked for."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import ssl
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Final

from distributed import Client, LocalCluster, Worker

from controlplane.cluster.enlisted_worker import enlist
from controlplane.cluster.loopback import is_loopback
from controlplane.errors import Unreachable

CONNECT_S: Final = 20
NO_TLS: Final = "it is reached without TLS, and is not on this machine's loopback; give the cluster certificates"


def _silence_logs() -> None:
    """Keep what Dask logs from the terminal: what matters there is told in our own messages."""
    for name in ("distributed", "tornado", "asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


async def enlist_here(text: str, dask_worker: Worker) -> str:
    """Enlist this worker of Dask's for the run in `text`; return why it cannot be, or an empty string."""
    context = dask_worker.security.get_connection_args("worker")["ssl_context"]
    # The worker's own loop goes on meanwhile; opening a benchmark and the sandbox takes a second.
    return await asyncio.to_thread(enlist, text, context)


class DaskCluster:
    """A cluster at an address, or one that is started here."""

    def __init__(self, address: str, *, local: LocalCluster | None = None) -> None:
        """Connect to the scheduler at `address`. Raises `Unreachable`."""
        self.address = address
        self._local = local
        _silence_logs()
        try:
            self._client: Client = Client(local or address, timeout=CONNECT_S, set_as_default=False)
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            text = str(error).partition("\n")[0]
            msg = f"the scheduler at {address} is not reached ({text}); start it, or name another with --workers"
            raise Unreachable(msg) from error
        self._executor = self._client.get_executor(pure=False, retries=0)

    @classmethod
    def started_here(cls, count: int, trials: int) -> DaskCluster:
        """Start so many worker processes on this machine, which together run so many trials at a time."""
        threads = math.ceil(trials / count)
        cluster = LocalCluster(
            n_workers=count,
            threads_per_worker=threads,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )
        return cls(cluster.scheduler_address, local=cluster)

    @property
    def is_local(self) -> bool:
        """It was started by this process."""
        return self._local is not None

    @property
    def channel_context(self) -> ssl.SSLContext | None:
        """What the journal's channel listens with: the certificate of Dask's client; None without TLS."""
        if not self.address.startswith("tls://"):
            return None
        context: ssl.SSLContext = self._client.security.get_listen_args("client")["ssl_context"]
        return context

    @property
    def failure(self) -> str:
        """Why the cluster takes no tasks any more; empty if it does."""
        is_there = self._client.status == "running"
        return "" if is_there else f"the scheduler of the cluster at {self.address} was lost"

    def workers(self) -> Mapping[str, int]:
        """Return how many tasks each worker runs at a time, by its address; none if the scheduler does not say."""
        try:
            known: Mapping[str, Any] = self._client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, RuntimeError, TypeError, AttributeError, LookupError, asyncio.CancelledError):
            return {}  # It is going away; `failure` says so.
        return {place: int(each["nthreads"]) for place, each in known.items()}

    def enlist(self, place: str, text: str) -> str | None:
        """Enlist a worker; return why it cannot be, an empty string if it is, None if it is not there any more."""
        if not (place.startswith("tls://") or is_loopback(place)):
            return NO_TLS
        try:
            said = self._client.run(enlist_here, text, workers=[place], on_error="return").get(place)
        except (OSError, RuntimeError, asyncio.CancelledError):
            return None
        if isinstance(said, ImportError | AttributeError):
            return f"the control plane is not installed there, or in another version ({said})"
        return None if said is None or isinstance(said, OSError) else str(said)

    def submit(self, function: Callable[[str], str], text: str, places: Sequence[str]) -> Future[str]:
        """Run a task at one of these workers. The future of one that cannot be submitted is cancelled."""
        try:
            future: Future[str] = self._executor.submit(function, text, workers=list(places))
        except (OSError, RuntimeError):
            future = Future()
            future.cancel()
        return future

    def close(self) -> None:
        """Let go of the cluster; one that was started here ends."""
        with contextlib.suppress(OSError, RuntimeError, asyncio.CancelledError, TimeoutError):
            self._client.close(timeout=5)
        if self._local is not None:
            with contextlib.suppress(OSError, RuntimeError, asyncio.CancelledError, TimeoutError):
                self._local.close(timeout=10)
