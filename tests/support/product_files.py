"""The files of the product by their dotted names, and the package that a dotted name belongs to."""

from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("controlplane", "agent", "sandbox", "gates", "benchmarks")


@cache
def paths() -> dict[str, Path]:
    """Return every product file by its dotted name; a package goes by its own name."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if package != "controlplane":
                parts = ("controlplane", *parts)
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


def package_of(module: str) -> str:
    """Return the folder of the repository that a module
    belongs to; an empty string if it is not the product's."""
    first, _, rest = module.partition(".")
    if first != "controlplane":
        return ""
    second = rest.partition(".")[0]
    if second in PACKAGES:
        return second
    return first
