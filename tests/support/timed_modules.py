"""The modules of the product whose patterns meet texts from outside, so that they are timed.

`timed_modules()` yields their names: `controlplane.gates.paths` and so on.
"""

import pkgutil
from collections.abc import Iterator

import controlplane

RULE_SET_MODULES = (
    "rule_set",
    "requests",
    "rules",
    "workspace.kinds",
)
"""The modules of the shop's rule set, by their names below `benchmarks/shop`. It judges answers
in the process that plays the trials, so that a slow pattern would stop them all."""


PACKAGES_NOT_TIMED = (
    "controlplane.benchmarks",
    "controlplane.sandbox.child",
    "controlplane.sandbox.face",
    "controlplane.sandbox.files",
    "controlplane.sandbox.functions",
    "controlplane.sandbox.interface",
)
"""Packages whose patterns are not timed here: they run where a time limit can end them, or meet
no texts from outside."""


def timed_modules() -> Iterator[str]:
    """Yield the names of the modules whose patterns are timed."""
    for module in pkgutil.walk_packages(controlplane.__path__, "controlplane."):
        is_program = module.name.endswith("__main__")
        if not is_program and not module.name.startswith(PACKAGES_NOT_TIMED):
            yield module.name
    for name in RULE_SET_MODULES:
        yield f"controlplane.benchmarks.shop.{name}"
