"""The data of all time zones, read in advance: the process of a script cannot read files.

After `load_time_zones`, `zoneinfo.ZoneInfo("Europe/Vienna")` finds its data in memory.
"""

from __future__ import annotations

import io
import os
import zoneinfo
from contextlib import suppress
from typing import BinaryIO


def load_time_zones() -> None:
    """Read the data of all time zones now, and let `zoneinfo` find it in memory.

    Called in the process from which children are forked, before files are given up.
    """
    zones: dict[str, bytes] = {}
    # Of several folders with the same zone, the first one counts. So it is read last,
    # and replaces what the others had.
    for folder in reversed(zoneinfo.TZPATH):
        zones.update(_zones_in(folder))

    def load_tzdata(key: str) -> BinaryIO:
        """Do as the library's function of this name, which reads a file."""
        if key not in zones:
            msg = f"No time zone found with key {key}"
            raise zoneinfo.ZoneInfoNotFoundError(msg)
        return io.BytesIO(zones[key])

    # With an empty path, the library asks its function `load_tzdata` for every zone.
    # That function is private, and is replaced here.
    zoneinfo.reset_tzpath(())
    vars(zoneinfo._common)["load_tzdata"] = load_tzdata


def _zones_in(top: str) -> dict[str, bytes]:
    """Return the data of the time zones in a folder, by key, such as `Europe/Vienna`."""
    zones = {}
    for folder, subfolders, names in os.walk(top):
        # Leave out two copies of all zones. `os.walk` goes into the folders that remain
        # in the list.
        subfolders[:] = [name for name in subfolders if name not in ("posix", "right")]
        for name in names:
            path = f"{folder}/{name}"
            data = _file_content(path)
            if data.startswith(b"TZif"):  # Other files there are lists of zones.
                zones[path.removeprefix(f"{top}/")] = data
    return zones


def _file_content(path: str) -> bytes:
    """Return the content of a file; empty if it cannot be read, for example a link to nowhere."""
    with suppress(OSError), open(path, "rb") as file:  # noqa: PTH123 - twice as fast as pathlib
        return file.read()
    return b""
