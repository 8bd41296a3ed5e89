"""The installed version of the product, and how its extras are installed.

`--version` prints the version and should be quick, so this module imports none of ours.
"""

import shlex
import sys
from functools import cache
from importlib import metadata
from typing import Final

_DISTRIBUTION: Final = "grounded-control-plane"
"""The name under which the product is installed."""


@cache  # It parses a file with the text of the README.
def package_version() -> str:
    """Return the installed version, or `source` if the package is not installed."""
    try:
        return metadata.version(_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "source"


def install_command(extra: str) -> str:
    """Return the command that installs an extra: `/usr/bin/python3 -m pip install 'uvicorn>=0.35'`.

    It names the extra's packages, as no package index has this product: that works for a
    clone and for a wheel.
    """
    requirements = " ".join(map(shlex.quote, _requirements(extra)))
    if not requirements:
        return f"in a clone, .venv/bin/pip install -e '.[{extra}]'"
    return f"{shlex.quote(sys.executable)} -m pip install {requirements}"


def _requirements(extra: str) -> list[str]:
    """Return the packages of an extra: `uvicorn>=0.35`; none if the product is not installed."""
    try:
        lines = metadata.requires(_DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return []
    requirements = []
    for line in lines:
        # Such as `uvicorn>=0.35; extra == 'view'`.
        requirement, _, condition = line.partition(";")
        if condition.replace('"', "'").strip() != f"extra == '{extra}'":
            continue
        # An extra may include another one of the product: `grounded-control-plane[documents]`.
        name, _, other_extra = requirement.rstrip("] ").partition("[")
        if name == _DISTRIBUTION:
            requirements += _requirements(other_extra)
        else:
            requirements.append(requirement.strip())
    return requirements
