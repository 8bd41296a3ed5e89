"""Runs untrusted scripts in isolation: `interface` declares, `parent` is trusted, `child` is not."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlplane.sandbox.face import *  # noqa: F403 - what the function below gives


def __getattr__(name: str) -> object:
    """Import the public names at the first use of one: the processes of scripts import no modules of the parent."""
    from importlib import import_module

    return getattr(import_module("controlplane.sandbox.face"), name)
