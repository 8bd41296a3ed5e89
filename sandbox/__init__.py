"""Runs untrusted scripts in isolation.

`interface` has the declarations. The code in `parent` is trusted, that in `child` is not.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # The names that `__getattr__` gives.
    from controlplane.sandbox.face import *  # noqa: F403 - what the function below gives


def __getattr__(name: str) -> object:
    """Import the public names at the first use of one.

    The processes of scripts import this package, but no modules of the parent.
    """
    from importlib import import_module

    return getattr(import_module("controlplane.sandbox.face"), name)
