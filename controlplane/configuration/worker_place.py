"""Where the trials of a run work: `threads`, `dask:local:4` or `dask:tls://host:8786`."""

from __future__ import annotations

import contextlib
import ipaddress
from typing import Annotated, Final, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator

THREADS: Final = "threads"
"""The place of workers that are threads of this process."""
LOCAL_CLUSTER: Final = "dask:local:"
"""Begins the place of workers that are processes of this machine, such as `dask:local:4`."""
MAX_LOCAL_WORKERS: Final = 100


def check_workers(text: str) -> str:
    """Return where trials run: `threads`, `dask:local:N` or `dask:tls://HOST:PORT`.

    Raises `ValueError` for anything else, and for
    a scheduler on another machine without TLS.
    """
    if text in (THREADS, "auto"):  # Journals of earlier runs may have `auto`.
        return THREADS
    if text.startswith(LOCAL_CLUSTER) and _is_worker_count(
        text.removeprefix(LOCAL_CLUSTER)
    ):
        return text
    if text.startswith("dask:") and not text.startswith(LOCAL_CLUSTER):
        address = text.removeprefix("dask:")
        parts = urlsplit(address if "://" in address else f"tcp://{address}")
        if parts.scheme == "tcp" and parts.hostname and parts.port:
            if not _is_loopback(parts.hostname):
                msg = (
                    f"the cluster at {address} has no TLS, which only loopback may lack; "
                    f"start it with certificates and name it as dask:tls://{parts.netloc}"
                )
                raise ValueError(msg)
            return text
        if parts.scheme == "tls" and parts.hostname and parts.port:
            return text

    msg = (
        f"trials run on {THREADS}, on {LOCAL_CLUSTER}N (1 to {MAX_LOCAL_WORKERS} local processes), "
        f"or on dask:tls://HOST:PORT, not on {text!r}"
    )
    raise ValueError(msg)


def _is_worker_count(text: str) -> bool:
    """Return True for a whole number from 1 to `MAX_LOCAL_WORKERS`."""
    # Check the length first: `int` raises an error for thousands of digits.
    if not text.isdecimal() or len(text) > len(str(MAX_LOCAL_WORKERS)):
        return False
    return 1 <= int(text) <= MAX_LOCAL_WORKERS


def _is_loopback(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


WorkerPlace: TypeAlias = Annotated[str, AfterValidator(check_workers)]
