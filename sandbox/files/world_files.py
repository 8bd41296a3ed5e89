"""The files of an environment at the start of a trial, for tools that run in a worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.sandbox.interface.plain_data import Plain


@dataclass(frozen=True, slots=True)
class WorldFiles:
    """The files of an environment, and the module of the tools that work on them."""

    texts: Mapping[str, str]
    """The texts by path."""
    module: str
    """The module of the tools. It has a function `open_tools`, as `tool_world` describes."""
    directories: tuple[str, ...] = ()
    """Directories that exist even without files."""
    data: Plain = None
    """Passed to `open_tools` as its last argument."""
