"""Connects to the Dask cluster that the settings name, or starts one on this machine.

`--workers dask:tls://host:8786` names a scheduler that runs already. `dask:local:4`
starts four worker processes here, which end with the run.
"""

from __future__ import annotations

import logging
import math
from typing import Any, Final

import dask
from distributed import Client

from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.worker_place import LOCAL_CLUSTER
from controlplane.errors import Unreachable

CONNECTION_TIMEOUT_S: Final = 20

FAILED_CONNECTION: Final = (OSError, ValueError, TypeError, RuntimeError, ImportError)
"""The exceptions that `Client` raises if it cannot connect: also for
a malformed address, and for a protocol whose package is not installed."""


def connected_client(settings: RunSettings) -> Client:
    """Return a client that is connected to the cluster. Raises `Unreachable`."""
    _silence_dask_logs()
    options = _client_options(settings.workers, settings.concurrency)
    try:
        return Client(timeout=CONNECTION_TIMEOUT_S, set_as_default=False, **options)
    except FAILED_CONNECTION as error:
        first_line = str(error).partition("\n")[0]
        msg = (
            f"the scheduler of {settings.workers} cannot be reached ({first_line}); "
            "start it, or name other --workers"
        )
        raise Unreachable(msg) from error


def _silence_dask_logs() -> None:
    """Silence the logs of Dask and its libraries; the run reports the errors itself."""
    libraries = ("distributed", "tornado", "asyncio")
    for logger_name in (*libraries, *logging.root.manager.loggerDict):
        library = logger_name.partition(".")[0]
        if library in libraries:
            logging.getLogger(logger_name).setLevel(logging.CRITICAL + 1)


def _client_options(workers: str, concurrency: int) -> dict[str, Any]:
    """Return the arguments with which `Client` connects to a cluster.

    `workers` is the setting: `dask:local:4` starts a cluster of four workers on this
    machine, and `dask:tcp://host:8786` names the scheduler of a running cluster. `concurrency` is
    how many trials may run at once: a worker on this machine gets its share of threads.
    """
    if not workers.startswith(LOCAL_CLUSTER):
        return {"address": workers.removeprefix("dask:")}
    worker_count = int(workers.removeprefix(LOCAL_CLUSTER))

    # Other users of the machine can connect to the ports of a local cluster. So
    # connections require a certificate (`security`), and the status pages, which Dask
    # serves without one, are removed.
    for part in ("scheduler", "worker"):
        dask.config.set({f"distributed.{part}.http.routes": []})
    # Each worker's process runs this code first. Only the run's process may log and
    # react to Ctrl-C, which the terminal sends to all processes.
    preload = "import logging, signal; logging.disable(); signal.signal(signal.SIGINT, signal.SIG_IGN)"
    return {
        "n_workers": worker_count,
        "threads_per_worker": math.ceil(concurrency / worker_count),
        "host": "127.0.0.1",
        # The status pages: none, but the scheduler opens their port all the same. Let it be
        # any free port of this machine (0).
        "dashboard_address": None,
        "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"},
        "silence_logs": logging.CRITICAL,
        "security": True,  # `Security.temporary()`: TLS with certificates made for this cluster
        "preload": preload,
    }
