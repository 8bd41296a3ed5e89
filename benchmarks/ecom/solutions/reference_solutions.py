"""The solution of each family that scores 1.0: a function of the family's name, in the module of its subject."""

from __future__ import annotations

from importlib import import_module

from benchmarks.ecom.solutions.reference_client import Solution
from benchmarks.ecom.tasks.families import family


def reference_of(name: str) -> Solution:
    """Return the function that solves a family's tasks and returns the answer, without submitting it.

    Raises `KeyError` for an unknown name.
    """
    *_, subject, function = family(name).__name__.split(".")
    found: Solution = getattr(import_module(f"benchmarks.ecom.solutions.{subject}_solutions"), function)
    return found
