"""What configures the client: the benchmark's id, the `--set` options, and the environment's two variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.endpoint import SHORTEST_SECRET
from benchmarks.bitgn.wire.remote_runtimes import RUNTIMES
from controlplane import BenchmarkError
from sandbox.interface import error_codes

PUBLIC_HOST: Final = "https://api.bitgn.com"

Seconds = Annotated[float, Field(gt=0, le=86_400)]


class ClientSettings(BaseModel):
    """The options of `--set KEY=VALUE` and of the environment, without the API's key."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    host: str = PUBLIC_HOST
    """Base URL of the platform; BITGN_HOST sets it too."""
    runtime: str = "ecom"
    """The runtime that the benchmark's trials have."""
    call_timeout_s: Seconds = 15.0
    """Deadline of one call of a trial's runtime, in seconds."""
    call_patience_s: Seconds = 40.0
    """How long a call of a trial's runtime is retried, in seconds."""
    lifecycle_timeout_s: Seconds = 30.0
    """Deadline of one call that starts, ends or submits, in seconds."""
    lifecycle_patience_s: Seconds = 300.0
    """How long a call that starts, ends or submits is retried, in seconds."""
    contact_patience_s: Seconds = 15.0
    """How long a platform that does not answer is asked before a run, in seconds."""
    connections: Annotated[int, Field(ge=1, le=2_000)] = 256
    """The most connections, and so calls, at once; a trial needs one at a time."""


def read_settings(settings: Mapping[str, str]) -> ClientSettings:
    """Return the settings, checked. Raises `BenchmarkError` for a value that does not fit."""
    given: dict[str, str] = dict(settings)
    if "host" not in given and os.environ.get("BITGN_HOST"):
        given["host"] = os.environ["BITGN_HOST"]
    try:
        checked = ClientSettings.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        msg = f"setting {first['loc'][0]}={first['input']!r}: {first['msg']}"
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg) from None
    if checked.runtime not in RUNTIMES:
        msg = f"no runtime {checked.runtime!r}; there is {', '.join(RUNTIMES)}"
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
    _check_host(checked.host)
    return checked


def _check_host(host: str) -> None:
    """Raise `BenchmarkError` for an invalid address, or one that may hold a key."""
    key = os.environ.get("BITGN_API_KEY", "")
    if len(key) >= SHORTEST_SECRET and key in host:
        msg = "the host holds the key, and is written into the journal; give the key in BITGN_API_KEY alone"
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
    try:
        parts = urlsplit(host)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or not host.isprintable() or " " in host:
        shown = "" if "@" in host or "?" in host else f" {host!r}"
        msg = f"host{shown} is no URL of a platform; set BITGN_HOST to one that begins with https://"
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
    if parts.username is not None or parts.query or parts.fragment:
        msg = (
            "a host with a user, a password or a query is not taken, because it is written into the journal; "
            "give the key in BITGN_API_KEY"
        )
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)


def read_benchmark_id(argument: str) -> str:
    """Return the benchmark's id: what follows the colon, else BENCH_ID. Raises `BenchmarkError` if there is none."""
    benchmark_id = argument or os.environ.get("BENCH_ID", "")
    if not benchmark_id:
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, "name the benchmark: bitgn:<benchmark id>, or set BENCH_ID")
    return benchmark_id
