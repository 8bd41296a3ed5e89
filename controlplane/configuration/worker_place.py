"""Where the trials of a run work, the setting `--workers`.

- `threads`: in threads of this process.
- `dask:local:4`: in four processes of this machine, a cluster of Dask.
- `dask:tls://host:8786`: on a cluster of Dask, which has a scheduler at this address.
"""

from __future__ import annotations

import contextlib
import ipaddress
from typing import Annotated, Final, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator

from controlplane.sandbox.interface import bounds

# The name that a user gives a run: `run --name monday`, and then `show monday`.

LAST: Final = "last"
"""The word by which commands mean the latest run."""


def _check_run_name(name: str) -> str:
    """Return the name of a run without surrounding spaces.

    Raises `ValueError` for a name that lists cannot show.
    """
    name = name.strip()
    if len(name) > bounds.MOST_NAME_CHARS:
        msg = (
            f"a run's name has at most {bounds.MOST_NAME_CHARS} characters; "
            f"this one has {len(name):,}"
        )
        raise ValueError(msg)
    if not name.isprintable():
        msg = "a run's name must not contain line breaks or control characters"
        raise ValueError(msg)
    if name == LAST:
        msg = (
            f"a run cannot be named {LAST!r}: commands use that word for the latest run"
        )
        raise ValueError(msg)
    return name


RunName: TypeAlias = Annotated[str, AfterValidator(_check_run_name)]


THREADS: Final = "threads"
"""The place of workers that are threads of this process."""
LOCAL_CLUSTER: Final = "dask:local:"
"""Begins the place of workers that are processes of this machine, such as `dask:local:4`."""
_MAX_LOCAL_WORKERS: Final = 100


def _check_workers(text: str) -> str:
    """Return the place if it is one of those above.

    Raises `ValueError` for anything else, and for a scheduler on another machine
    without TLS.
    """
    if text in (THREADS, "auto"):  # Journals of earlier runs may have `auto`.
        return THREADS
    if text.startswith(LOCAL_CLUSTER):
        is_place = _is_worker_count(text.removeprefix(LOCAL_CLUSTER))
    elif text.startswith("dask:"):
        is_place = _is_scheduler(text.removeprefix("dask:"))
    else:
        is_place = False
    if is_place:
        return text

    msg = (
        f"trials run on {THREADS}, on {LOCAL_CLUSTER}N (1 to {_MAX_LOCAL_WORKERS} local processes), "
        f"or on dask:tls://HOST:PORT, not on {text!r}"
    )
    raise ValueError(msg)


def _is_scheduler(address: str) -> bool:
    """Return True for the address of a scheduler: `tls://host:8786`, or `localhost:8786`.

    Without a scheme, it is one without TLS (`tcp://`). Raises `ValueError` for such a
    scheduler on another machine, whose connections anybody could read and change.
    """
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    if parts.scheme not in ("tcp", "tls") or not parts.hostname or not parts.port:
        return False
    if parts.scheme == "tcp" and not _is_loopback(parts.hostname):
        msg = (
            f"the cluster at {address} has no TLS, which only loopback may lack; "
            f"start it with certificates and name it as dask:tls://{parts.netloc}"
        )
        raise ValueError(msg)
    return True


def _is_worker_count(text: str) -> bool:
    """Return True for a whole number from 1 to `_MAX_LOCAL_WORKERS`."""
    # Check the length first: `int` raises an error for thousands of digits.
    if not text.isdecimal() or len(text) > len(str(_MAX_LOCAL_WORKERS)):
        return False
    return 1 <= int(text) <= _MAX_LOCAL_WORKERS


def _is_loopback(host: str) -> bool:
    """Return True if a host is this machine: `localhost` or `127.0.0.1`."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


WorkerPlace: TypeAlias = Annotated[str, AfterValidator(_check_workers)]
