"""`zoneinfo.ZoneInfo` for scripts: the data of a zone lie where only the parent can read them."""

from __future__ import annotations

import zoneinfo

from sandbox.library.current_step import STEP


class ZoneInfo(zoneinfo.ZoneInfo):
    """A time zone by its key, loaded once a step."""

    __module__ = "zoneinfo"

    def __new__(cls, key: str) -> ZoneInfo:
        """Return the one zone of this key. Raises `ZoneInfoNotFoundError`."""
        if key not in STEP.zones:
            STEP.zones[key] = cls.no_cache(key)
        zone: ZoneInfo = STEP.zones[key]
        return zone

    @classmethod
    def no_cache(cls, key: str) -> ZoneInfo:
        """Return a zone of its own, which equals no other."""
        return cls.from_file(STEP.zone_data(key), key)

    @classmethod
    def clear_cache(cls, *, only_keys: object = None) -> None:
        """Have zones be loaded anew."""
        STEP.zones.clear()

    def __repr__(self) -> str:
        return f"zoneinfo.ZoneInfo(key={self.key!r})"

    def __reduce__(self) -> tuple[type[ZoneInfo], tuple[str]]:
        return ZoneInfo, (self.key,)
