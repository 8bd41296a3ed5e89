"""The solution of each family that scores 1.0: a function of the family's name, in the module of its subject."""

from __future__ import annotations

from importlib import import_module

from benchmarks.ecom.solutions.reference_client import Solution
from benchmarks.ecom.tasks.families import split_task_id


def reference_of(task_id: str) -> Solution:
    """Return the function that solves a task and returns the answer, without submitting it. Raises `KeyError`."""
    family, _ = split_task_id(task_id)
    *_, subject, name = family.__name__.split(".")
    found: Solution = getattr(import_module(f"benchmarks.ecom.solutions.{subject}_solutions"), name)
    return found
