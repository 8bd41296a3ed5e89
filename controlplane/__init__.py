"""Runs benchmarks: the lifecycle of a run, its journal, its replay, its configuration and the command line."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlplane.face import *  # noqa: F403 - what the function below gives


def check_packages() -> None:
    """Raise `HiddenPackage` if another package or module is found under the name of one of ours."""
    import importlib.util
    from pathlib import Path

    ours = Path(__file__).resolve().parents[1]
    for name in ("agent", "sandbox", "gates", "benchmarks"):
        spec = sys.modules[name].__spec__ if name in sys.modules else importlib.util.find_spec(name)
        places = [spec.origin] if spec and spec.origin else [*(spec.submodule_search_locations or ())] if spec else []
        place = Path(places[0] or "").resolve() if places else None
        if place is None or not place.is_relative_to(ours / name):
            msg = (
                f"another package named {name!r} hides that of the control plane: {place}; rename it or take its "
                "folder out of the module path, or uninstall what it belongs to"
                if place
                else f"the control plane's own package {name!r} is missing in {ours}: install it again"
            )
            raise HiddenPackage(msg)


class HiddenPackage(ImportError):
    """Something else is found under the name of a package of ours. The message says where, and what to do."""

    exit_code = 2


def __getattr__(name: str) -> object:
    """Import the public names at first use: at the start, modules of the working folder may still hide ours."""
    from importlib import import_module

    if "controlplane.face" not in sys.modules:
        check_packages()
    return getattr(import_module("controlplane.face"), name)
