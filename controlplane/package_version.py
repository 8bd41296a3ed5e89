"""The installed version of the product.

`--version` prints it and should be quick, so this module imports none of ours.
"""

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
