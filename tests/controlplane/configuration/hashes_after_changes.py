"""A program that changes one package of the product after the other, and prints the new hashes.

    hashes_after_changes.py agent gates
    {"": {"source": "3f9a...", "gates": "91bc..."}, "agent": {"source": ...}, "gates": {...}}

The key is the changed package, or empty for the product without a change. The program runs in a
copy of the product, and imports from there.
"""

import json
import sys
from pathlib import Path

from controlplane.configuration.installed_versions import (
    current_versions,
    playing_digest,
)


def current_hashes() -> dict[str, str]:
    """Return the hash of all source, and that of the gates: `{"source": "3f9a...", "gates": ...}`.

    A run of the benchmark "ecom" records both. Its own rules judge answers together with the gates.
    """
    return {
        "source": playing_digest(benchmark="ecom"),
        "gates": current_versions(rule_sets=("ecom",)).gates,
    }


def print_hashes(packages: list[str]) -> None:
    """Add a comment to one package after the other, and print the hashes with each."""
    hashes = {"": current_hashes()}
    for package in packages:
        file = Path(package, "__init__.py")
        text = file.read_text(encoding="utf-8")
        file.write_text(text + "# another version", encoding="utf-8")
        hashes[package] = current_hashes()
        file.write_text(text, encoding="utf-8")
    print(json.dumps(hashes))


if __name__ == "__main__":
    print_hashes(sys.argv[1:])
