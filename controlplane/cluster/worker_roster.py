"""Which workers of a cluster work for the run: each one that comes is asked, and one that is not fit is refused."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Final, Protocol, TypeAlias

from controlplane.cluster.shipped_data import Enlistment, to_text

UNSTAFFED_S: Final = 60.0
"""Seconds without any worker that takes trials after which the run is paused."""
Action: TypeAlias = Callable[[], None]


class Cluster(Protocol):
    """What runs tasks on workers."""

    @property
    def failure(self) -> str:
        """Why the cluster takes no tasks any more; empty if it does."""
        ...

    def workers(self) -> Mapping[str, int]:
        """Return how many tasks each worker runs at a time, by its address."""
        ...

    def enlist(self, place: str, text: str) -> str | None:
        """Enlist a worker for the run of the `Enlistment` in `text`; return why it cannot be, an empty string if it is,
        None if it is not there any more."""
        ...

    def submit(self, function: Callable[[str], str], text: str, places: Sequence[str]) -> Future[str]:
        """Run a task at one of these workers. The future of one that cannot be submitted is cancelled."""
        ...

    def close(self) -> None:
        """Let go of the cluster."""
        ...


class WorkerRoster:
    """The workers of one run. One thread uses it; what its own threads learn, it is told by actions."""

    def __init__(self, cluster: Cluster, enlistment: Enlistment, post: Callable[[Action], None]) -> None:
        """`post` has the one thread do an action."""
        self.enlisted: dict[str, int] = {}
        """How many trials each worker takes at a time, by its address."""
        self.asked: set[str] = set()
        """Workers that have not answered yet."""
        self.refused: dict[str, str] = {}
        """Why others do not work for the run."""
        self.notices: list[str] = []
        """What the user is yet to be told."""
        self._cluster = cluster
        self._enlistment = enlistment
        self._post = post
        self._staffed_at = time.monotonic()

    @property
    def room(self) -> int:
        """How many trials all workers take at a time."""
        return sum(self.enlisted.values())

    def look(self) -> frozenset[str]:
        """Ask new workers, each in a thread of its own: one that hangs holds nothing up. Return who is there."""
        there = self._cluster.workers()
        self.enlisted = {place: room for place, room in self.enlisted.items() if place in there}
        self.refused = {place: why for place, why in self.refused.items() if place in there}
        for place in there.keys() - self.enlisted.keys() - self.refused.keys() - self.asked:
            self.asked.add(place)
            ask = partial(self._ask, place, there[place])
            threading.Thread(target=ask, name=f"enlist {place}", daemon=True).start()
        if self.enlisted:
            self._staffed_at = time.monotonic()
        return frozenset(there)

    def _ask(self, place: str, room: int) -> None:
        text = to_text(self._enlistment.model_copy(update={"place": place}))
        refusal = self._cluster.enlist(place, text)
        self._post(partial(self._note, place, room, refusal))

    def _note(self, place: str, room: int, refusal: str | None) -> None:
        self.asked.discard(place)
        if refusal:
            self.refused[place] = refusal
            self.notices.append(f"the worker {place} is refused: {refusal}")
        elif refusal is not None:
            self.enlisted[place] = room

    def lose(self, place: str) -> None:
        """Take a worker off the roster; it is asked again if it is still there."""
        self.enlisted.pop(place, None)

    @property
    def is_unstaffed(self) -> bool:
        """There has been no worker for longer than a run waits."""
        return time.monotonic() - self._staffed_at > UNSTAFFED_S

    @property
    def shortage(self) -> str:
        """Why there is no worker, in one line."""
        reasons = Counter(self.refused.values())
        told = "; ".join(f"{why} ({count} of them)" if count > 1 else why for why, count in reasons.most_common(3))
        return f"the cluster has no worker that takes trials{': ' + told if told else '; start some'}"
