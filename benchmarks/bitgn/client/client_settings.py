"""The settings of a remote run, from `--set KEY=VALUE` and environment variables.

For example, `--set call_timeout_s=30 --set connections=8`. The key of the user comes only
from the environment (BITGN_API_KEY), so that it is in no journal and no list of processes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controlplane.benchmark import BenchmarkError, BenchmarkOption
from controlplane.benchmarks.bitgn.client.calls.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.platform_address import check_host
from controlplane.sandbox.interface import error_codes
from controlplane.score_scale import ANY_NUMBER, UNIT_SCALE, ScoreScale

INVALID: Final = error_codes.INVALID_ARGUMENT
Seconds = Annotated[float, Field(gt=0, le=86_400)]


class ClientSettings(BaseModel):
    """The options of `--set KEY=VALUE` and of the environment, without the API's key."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True
    )

    host: str = "https://api.bitgn.com"
    """Base URL of the platform; BITGN_HOST sets it too."""
    call_timeout_s: Seconds = 15.0
    """Deadline of one call of a trial's runtime, in seconds."""
    call_patience_s: Seconds = 40.0
    """Seconds for which a call of a trial's runtime is retried."""
    lifecycle_timeout_s: Seconds = 30.0
    """Deadline of one call that starts, ends or submits, in seconds."""
    lifecycle_patience_s: Seconds = 300.0
    """Seconds for which a call that starts, ends or submits is retried."""
    contact_patience_s: Seconds = 15.0
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
        raise BenchmarkError(INVALID, msg) from None
    check_host(checked.host)
    return checked
