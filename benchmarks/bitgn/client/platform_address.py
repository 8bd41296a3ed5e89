"""The address of the platform, which a user sets and the run's journal records.

A journal is a file that is often shared, so an address that may have a secret is refused:
`https://user:password@api.example` or `https://api.example?key=...`. The key belongs in an
environment variable of its own.
"""

from __future__ import annotations

import os
from urllib.parse import SplitResult, urlsplit

from controlplane.benchmark import BenchmarkError
from controlplane.benchmarks.bitgn.client.connection.platform_client import (
    MIN_SECRET_CHARS,
)
from controlplane.sandbox.interface import error_codes


def check_host(host: str) -> None:
    """Raise `BenchmarkError` if an address is invalid or may contain a secret."""
    key = os.environ.get("BITGN_API_KEY", "")
    if len(key) >= MIN_SECRET_CHARS and key in host:
        msg = (
            "the host holds the key, and is written into the journal; "
            "give the key in BITGN_API_KEY alone"
        )
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
    parts = _parts_of_address(host)
    if parts is None:
        # The address cannot be split into its parts. If it may have a user or a query,
        # which may be secret, do not show it at all.
        may_hold_secret = "@" in host or "?" in host
        shown_host = "" if may_hold_secret else f" {host!r}"
        msg = (
            f"host{shown_host} is not the URL of a platform; "
            "set BITGN_HOST to one that begins with https://"
        )
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
    if parts.username is not None or parts.query or parts.fragment:
        msg = (
            "a host with a user, a password or a query is not taken, because it is written into "
            "the journal; give the key in BITGN_API_KEY"
        )
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)


def _parts_of_address(host: str) -> SplitResult | None:
    """Return the parts of an HTTP address; None if it is not one."""
    if not host.isprintable() or " " in host:
        return None
    try:
        parts = urlsplit(host)
        port = parts.port  # None if the address has no port
    except ValueError:  # The port is not a number up to 65535.
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        return None
    return parts
