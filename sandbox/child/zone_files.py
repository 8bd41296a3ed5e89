"""The data of time zones, which a child has asked from the parent: stands in for the package `tzdata`.

`zoneinfo` looks there for a zone that no folder of the system has, and a child has no folders.
"""

from __future__ import annotations

import importlib
import sys
import zoneinfo
from types import ModuleType
from typing import Any, BinaryIO, Final

from sandbox.library.current_step import STEP

_PACKAGE: Final = "tzdata.zoneinfo"


class ZoneFile:
    """One file or folder of the package, as `importlib.resources` would give it."""

    def __init__(self, key: str) -> None:
        self._key = key

    def joinpath(self, name: str) -> ZoneFile:
        """Return what `name` is in this folder."""
        return ZoneFile(f"{self._key}/{name}" if self._key else name)

    def is_dir(self) -> bool:
        """Say no: the parent tells what is no file."""
        return False

    def open(self, mode: str) -> BinaryIO:
        """Return the data of the zone. Raises `ZoneInfoNotFoundError`."""
        return STEP.zone_data(self._key)


def install() -> None:
    """Have `zoneinfo` find its data by way of the step that runs."""
    zoneinfo.reset_tzpath(())
    resources: Any = ModuleType("importlib.resources")
    resources.files = lambda package: ZoneFile(package.removeprefix(_PACKAGE).lstrip(".").replace(".", "/"))
    sys.modules[resources.__name__] = resources
    vars(importlib)["resources"] = resources
