"""The parts that every HTML page has, whether `view` serves it or `report` writes it to a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PackedTrial:
    """The data of a trial's page, packed for a file."""

    anchor: str
    data: str
    """JSON, deflated and in base64."""


@dataclass(frozen=True, slots=True)
class PageFrame:
    """The parts of a page. It is either served by `view`, or written to a file."""

    title: str

    # Only if it is served

    source: str = ""
    """The page's path on the server."""
    events: str = ""
    """The path of its event stream on the server."""
    version: str = ""
    """The versions of its runs, as JSON. The page reloads when the event stream sends others."""

    # Only in a file, which has to contain everything

    policy: str = ""
    """The Content-Security-Policy, which a server sends as a header."""
    style: str = ""
    script: str = ""
    blocks: Iterable[PackedTrial] = ()
    """The data of each trial, which is read from its journal while the file is written."""
