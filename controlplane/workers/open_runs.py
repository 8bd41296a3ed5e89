"""The workers of a Dask cluster that have opened a run.

A worker has to open a run before it can play trials of it: it loads the benchmark, and
starts the processes for scripts. Each worker does so once, as a task of Dask.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from distributed import Client

from controlplane.errors import ControlPlaneError, Unreachable
from controlplane.sandbox.interface import bounds
from controlplane.workers.dask_tasks import obey_run
from controlplane.workers.run_here import RunHere
from controlplane.workers.work_orders import WorkOrder

Opening: TypeAlias = Any
"""A Dask future for the `RunHere` of one worker. Its status is "pending" until
the worker has opened the run; then it is "finished", or "error" if that failed."""


class OpenRuns:
    """Has each worker of a cluster open the run, also those that join later."""

    def __init__(self, client: Client, order: WorkOrder) -> None:
        self._client = client
        self._order = order
        self._openings: dict[str, Opening] = {}
        """The future of each worker that was asked to open the run, by the worker's address."""

    def open_first(self) -> None:
        """Have the present workers open the run. Raises `Unreachable` if one cannot."""
        for address, opening in self.open_at_new_workers().items():
            error = opening.exception(bounds.WORKER_SILENCE_S)  # waits for the worker
            if error:
                raise Unreachable(refusal_text(address, error))

    def open_at_new_workers(self) -> dict[str, Opening]:
        """Ask new workers to open the run, and return the future of each by address.

        Workers that have left the cluster are removed.
        """
        present = set(self._client.scheduler_info()["workers"])
        for address in self._openings.keys() - present:
            del self._openings[address]
        new = {}
        for address in present - self._openings.keys():
            new[address] = self._client.submit(
                RunHere, self._order, workers=[address], pure=False
            )
        self._openings.update(new)
        return new

    def addresses(self) -> list[str]:
        """Return the addresses of the workers that can play trials."""
        # The thread that watches the cluster may change the mapping meanwhile.
        openings = self._openings.copy()
        return [address for address in openings if has_opened(openings[address])]

    def opening_at(self, address: str) -> Opening:
        """Return the future of the worker's run. Raises `KeyError` if the worker has left."""
        return self._openings[address]

    def order_all(self, *, must_stop: bool, reached_limit: str) -> None:
        """Call `obey_run` in every worker's process, with these orders."""
        self._client.run(
            obey_run,
            self._order.run_key,
            must_stop=must_stop,
            reached_limit=reached_limit,
            on_error="ignore",
        )


def has_opened(opening: Opening) -> bool:
    """Return True if the worker has opened the run and has not left."""
    return bool(opening.status == "finished")


def refusal_text(address: str, error: BaseException) -> str:
    """Return a message with the reason why a worker cannot open the run."""
    if isinstance(error, ControlPlaneError | OSError):
        reason = str(error)
    else:
        reason = f"it cannot run trials ({error!r})"
    return f"the worker {address} of the cluster is refused: {reason}"
