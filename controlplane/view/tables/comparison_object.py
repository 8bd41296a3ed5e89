"""A comparison as plain JSON types. docs/reference.md describes it."""

from __future__ import annotations

from dataclasses import asdict

from controlplane.run_comparison.results import Comparison, TaskComparison


def comparison_object(comparison: Comparison) -> dict[str, object]:
    """Return a comparison as an object for `json.dumps`."""
    result = asdict(comparison)
    result["tasks"] = [_task_object(task) for task in comparison.tasks]
    first, second = result.pop("sides")
    result["is_shown"] = comparison.is_shown
    result["is_worse"] = comparison.is_worse
    result["needed_tasks"] = comparison.needed_tasks
    for name, value in first.items():
        result[f"first_{name}"] = value
    for name, value in second.items():
        result[f"second_{name}"] = value
    return result


def _task_object(task: TaskComparison) -> dict[str, object]:
    result = asdict(task)
    result["change"] = task.change
    return result
