"""The product's files by the names of their modules, for tests that check how they depend.

The folders `agent`, `sandbox`, `gates` and `benchmarks` stand beside `controlplane` in the
repository, and are imported as `controlplane.agent` and so on.
"""

from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The folder of the repository."""

PACKAGES = ("controlplane", "agent", "sandbox", "gates", "benchmarks")
"""The folders of the repository that have the product's modules."""


@cache
def paths() -> dict[str, Path]:
    """Return the path of every module of the product, by its dotted name.

    `{"controlplane.agent.loop": ROOT / "agent/loop/__init__.py", ...}`
    """
    path_of_module: dict[str, Path] = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if package != "controlplane":
                parts = ("controlplane", *parts)
            module = ".".join(parts).removesuffix(".__init__")
            path_of_module[module] = path
    return path_of_module


def package_of(module: str) -> str:
    """Return the folder of the repository that has a module; "" if it is not the product's.

    `controlplane.agent.loop` -> `agent`; `controlplane.errors` -> `controlplane`; `json` -> ""
    """
    first_name, _, other_names = module.partition(".")
    if first_name != "controlplane":
        return ""
    second_name = other_names.partition(".")[0]
    if second_name in PACKAGES:
        return second_name
    return "controlplane"
