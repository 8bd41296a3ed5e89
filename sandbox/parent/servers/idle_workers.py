"""Processes of workers that no trial uses at the moment.

Starting a process takes longer than most calls. So a trial gives its process back after a call, and
the next call, of any trial, may use it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final, NamedTuple

from controlplane.sandbox.interface.limits import WorkerLimits
from controlplane.sandbox.parent.child_process import ChildProcess

_MAX_IDLE_WORKERS: Final = 2
"""The most idle children of one setting that are kept between calls. Each takes memory."""


class WorkerSetting(NamedTuple):
    """The isolation and the limits of a worker. Only trials with equal ones share a process."""

    with_kernel: bool
    """True if the kernel layer of the isolation confines it."""
    limits: WorkerLimits


class IdleWorkers:
    """Keeps idle children for the next trial. Usable from any thread."""

    def __init__(self) -> None:
        self._children: defaultdict[WorkerSetting, list[ChildProcess]] = defaultdict(
            list
        )

    def take(self, setting: WorkerSetting) -> ChildProcess | None:
        """Take over an idle child of this setting; None if there is none."""
        while True:
            # `pop` alone, without asking before whether the list is empty: another
            # thread might take the last child in between.
            try:
                child = self._children[setting].pop()
            except IndexError:
                return None
            if not child.reader.has_unread():
                return child
            # It has died, or it sent something that nobody asked for. Try the next one.
            child.end()

    def keep(self, setting: WorkerSetting, child: ChildProcess) -> bool:
        """Keep a child for the next trial. Returns False if enough children are kept already."""
        children = self._children[setting]
        if len(children) >= _MAX_IDLE_WORKERS:
            return False
        children.append(child)
        return True

    def all_children(self) -> list[ChildProcess]:
        """Return all idle children."""
        return [child for children in self._children.values() for child in children]

    def end_all(self) -> None:
        """End every idle child."""
        for child in self.all_children():
            child.end()
        self._children.clear()
