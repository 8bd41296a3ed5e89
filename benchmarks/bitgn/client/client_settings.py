"""The settings of a remote run, from `--set KEY=VALUE` and environment variables.

For example, `--set call_timeout_s=30 --set connections=8`. The key of the user comes only
from the environment (BITGN_API_KEY), so that it is in no journal and no list of processes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Final, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controlplane.benchmark import BenchmarkError, BenchmarkOption
from controlplane.benchmarks.bitgn.client.calls import CallPolicy
from controlplane.benchmarks.bitgn.client.connection import MIN_SECRET_CHARS
from controlplane.sandbox.interface import error_codes
from controlplane.score_scale import ANY_NUMBER, UNIT_SCALE, ScoreScale

# The address of the platform, which a user sets and the run's journal records.
#
# A journal is a file that is often shared, so an address that may have a secret is refused:
# `https://user:password@api.example` or `https://api.example?key=...`. The key belongs in an
# environment variable of its own.


def _check_host(host: str) -> None:
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


_INVALID: Final = error_codes.INVALID_ARGUMENT
_Seconds = Annotated[float, Field(gt=0, le=86_400)]


class ClientSettings(BaseModel):
    """The options of `--set KEY=VALUE` and of the environment, without the API's key."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True
    )

    host: str = "https://api.bitgn.com"
    """Base URL of the platform; BITGN_HOST sets it too."""
    call_timeout_s: _Seconds = 15.0
    """Deadline of one call of a trial's runtime, in seconds."""
    call_patience_s: _Seconds = 40.0
    """Seconds for which a call of a trial's runtime is retried."""
    lifecycle_timeout_s: _Seconds = 30.0
    """Deadline of one call that starts, ends or submits, in seconds."""
    lifecycle_patience_s: _Seconds = 300.0
    """Seconds for which a call that starts, ends or submits is retried."""
    contact_patience_s: _Seconds = 15.0
    """Seconds for which a platform that does not answer is tried before a run."""
    connections: Annotated[int, Field(ge=1, le=2_000)] = 256
    """Most connections, and so calls, at once; a trial needs one at a time."""
    scale: Literal["unit", "any"] = "unit"
    """The platform's scores: from 0 to 1 (unit), or any finite number."""

    @property
    def score_scale(self) -> ScoreScale:
        """Which numbers of the platform are scores."""
        return ANY_NUMBER if self.scale == "any" else UNIT_SCALE

    @property
    def call_policy(self) -> CallPolicy:
        """How calls of a trial's runtime are retried."""
        return CallPolicy(self.call_timeout_s, self.call_patience_s)


def benchmark_options() -> tuple[BenchmarkOption, ...]:
    """Return the settings as options of the benchmark, for its help."""
    options = []
    for name, field in ClientSettings.model_fields.items():
        options.append(BenchmarkOption(name, field.description or ""))
    options.append(BenchmarkOption("api_key", secret_variable="BITGN_API_KEY"))
    return tuple(options)


def read_settings(settings: Mapping[str, str]) -> ClientSettings:
    """Read and check the settings.

    Raises `BenchmarkError` if a value is invalid, or if the platform's address may
    contain a key. The run's journal, a file that is often shared, records the address.
    """
    values = dict(settings)
    host_variable = os.environ.get("BITGN_HOST")
    if host_variable:
        values.setdefault("host", host_variable)
    try:
        checked = ClientSettings.model_validate(values)
    except ValidationError as error:
        fault = error.errors()[0]
        msg = f"setting {fault['loc'][0]}={fault['input']!r}: {fault['msg']}"
        raise BenchmarkError(_INVALID, msg) from None
    _check_host(checked.host)
    return checked
