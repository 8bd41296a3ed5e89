"""Runs benchmarks: the lifecycle of a run, its journal, its replay, its configuration and the command line."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlplane.library import *  # noqa: F403 - what the function below gives


def check_packages() -> None:
    """Raise `HiddenPackage` if another package or module is found under the name of one of ours."""
    import importlib.util
    from pathlib import Path

    ours = Path(__file__).resolve().parents[1]
    for name in ("agent", "sandbox", "gates", "benchmarks"):
        spec = importlib.util.find_spec(name)
        place = spec and (spec.origin or next(iter(spec.submodule_search_locations or ()), None))
        if place and not Path(place).resolve().is_relative_to(ours / name):
            msg = (
                f"another package named {name!r} hides that of the control plane: {place}; rename it or take its "
                "folder out of the module path, or uninstall what it belongs to"
            )
            raise HiddenPackage(msg)


class HiddenPackage(ImportError):
    """Something else is found under the name of a package of ours. The message says where, and what to do."""

    exit_code = 2


def __getattr__(name: str) -> object:
    """Import the public names at first use: at the start, modules of the working folder may still hide ours."""
    from importlib import import_module

    if "controlplane.library" not in sys.modules:
        check_packages()
    return getattr(import_module("controlplane.library"), name)
