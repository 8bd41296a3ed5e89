"""Runs benchmarks: a run's lifecycle, journal and replay, the configuration and the command line.

In a clone, the subpackages `agent`, `benchmarks`, `gates`, `prompts` and `sandbox` are
links to the folders beside this one. A wheel contains them as folders.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlplane.library import *  # noqa: F403 - what the function below gives


def __getattr__(name: str) -> object:
    """Import the public names on first use. Child processes use none, so they import none."""
    from importlib import import_module

    if name.startswith("__"):  # inspection asks for such names, users do not
        raise AttributeError(name)
    return getattr(import_module("controlplane.library"), name)
