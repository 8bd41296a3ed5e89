"""The files of the product by their dotted names."""

from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("controlplane", "agent", "sandbox", "gates", "benchmarks")


@cache
def paths() -> dict[str, Path]:
    """Return every product file by its dotted name; a package goes by the name of its folder."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = path
    return found
