"""The tasks that a server serves, under ids that agents of the platform can take.

Some of those agents write task ids into source code. Ids that are no plain names are handed out as `t001`, `t002` and
so on, in the order of the tasks served, and the benchmark's own ids stand in the hints.
"""

from __future__ import annotations

from dataclasses import replace

from controlplane import Description, TaskHead, TaskSelection


class ServedTasks:
    """Knows the tasks that are served, in their order, and the id of each on the wire."""

    def __init__(self, known: Description, selection: TaskSelection) -> None:
        """Raises `BenchmarkError` if the selection names a task that the benchmark does not have."""
        heads = {each.task_id: each for each in known.tasks}
        chosen = dict.fromkeys(each.task_id for each in selection.tries(selection.task_ids(known)))
        is_plain = all(each.isidentifier() for each in heads)
        self._ids = {each: each if is_plain else f"t{at:03d}" for at, each in enumerate(chosen, start=1)}
        self.heads = tuple(self._renamed(heads.get(each, TaskHead(each))) for each in chosen)

    def wire_id(self, task_id: str) -> str:
        """Return the id under which a task is served; one that is not served keeps its own."""
        return self._ids.get(task_id, task_id)

    def _renamed(self, head: TaskHead) -> TaskHead:
        served_as = self._ids[head.task_id]
        if served_as == head.task_id:
            return head
        return replace(head, task_id=served_as, hint=f"{head.task_id}: {head.hint}".removesuffix(": "))
