"""Runs benchmarks: the lifecycle of a run, its journal, its replay, its configuration and the command line.

In a clone, the subpackages `agent`, `benchmarks`, `gates`, `prompts` and `sandbox` are links to the
folders beside this one; a wheel holds them as folders.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlplane.library import *  # noqa: F403 - what the function below gives


def __getattr__(name: str) -> object:
    """Import the public names at first use, so that a child process, which uses none, loads none."""
    from importlib import import_module

    if name.startswith("__"):  # asked for by inspection, not by users
        raise AttributeError(name)
    return getattr(import_module("controlplane.library"), name)
