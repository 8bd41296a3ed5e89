"""What this installation is: versions and hashes that decide whether a replay can be exact."""

from __future__ import annotations

import hashlib
import platform
from importlib import metadata, resources

from agent.prompts import prompts_digest
from controlplane.journal.events import Versions

DISTRIBUTION = "grounded-control-plane"


def package_version() -> str:
    """Return the installed version, or `source` where the package was not installed."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "source"


def gates_digest() -> str:
    """Return a hash over the source of the gates."""
    digest = hashlib.sha256()
    files = (each for each in resources.files("gates").iterdir() if each.name.endswith(".py"))
    for each in sorted(files, key=lambda file: file.name):
        digest.update(each.name.encode() + b"\0" + each.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def current_versions() -> Versions:
    """Return what runs here now."""
    return Versions(
        controlplane=package_version(),
        python=platform.python_version(),
        gates=gates_digest(),
        prompts=prompts_digest(),
    )
