"""The embedded benchmark `ecom`: a simulated shop workspace, its tasks, its grader, and a rule-based player.

Everything is deterministic from a seed.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.ecom.ecom_benchmark import OPTIONS as OPTIONS
    from benchmarks.ecom.ecom_benchmark import open_benchmark as open_benchmark


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that the player and the world load without the control plane."""
    if name in ("OPTIONS", "open_benchmark"):
        return getattr(import_module(f"{__name__}.ecom_benchmark"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
