"""The families of a benchmark's tasks. The family of `orders.3` is `orders`."""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.benchmark import Description


def family_of(task_id: str) -> str:
    """Return the family of a task: its id up to the last dot; empty if the id has no dot."""
    return task_id.rpartition(".")[0]


def families_of(description: Description) -> list[str]:
    """Return the families of a benchmark: those of its listed tasks, and the numbered ones."""
    families = [family_of(task.task_id) for task in description.tasks]
    families += description.numbered_families
    return [family for family in dict.fromkeys(families) if family]


def listed_and_named_tasks(description: Description, names: Sequence[str]) -> list[str]:
    """Return the listed tasks, and after them those of numbered families that `names` add.

    A numbered family has a task `FAMILY.N` for every N, of which the benchmark lists
    only some, or none. For example, if `orders` is a numbered family:

    - The name `orders.7` adds this task, unless it is listed.
    - The name `orders` means the listed tasks of the family. If there are none, it adds
      `orders.1`.
    """
    task_ids = list(dict.fromkeys(task.task_id for task in description.tasks))
    listed_families = {family_of(task_id) for task_id in task_ids}
    for name in names:
        task_id = name
        if name in description.numbered_families and name not in listed_families:
            task_id = f"{name}.1"
        if _is_of_numbered_family(task_id, description) and task_id not in task_ids:
            task_ids.append(task_id)
    return task_ids


def _is_of_numbered_family(task_id: str, description: Description) -> bool:
    family, _, number = task_id.rpartition(".")
    return family in description.numbered_families and _is_task_number(number)


def _is_task_number(text: str) -> bool:
    """Return True if a text is a whole number from 1 to 9999 without leading zeros."""
    return text.isascii() and text.isdigit() and text[0] != "0" and len(text) < 5
