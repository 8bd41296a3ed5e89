"""Opens the endpoint of a model, with its headers and its key."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from controlplane.agent.model import (
    Capabilities,
    Model,
    PricedModel,
    ReplyMode,
)
from controlplane.configuration.model_settings import ModelSettings
from controlplane.configuration.request_values import variable_in
from controlplane.errors import UsageError, nearest_name
from controlplane.lifecycle.resources.models.players import BASELINE, scripted_model

if TYPE_CHECKING:
    from controlplane.agent.endpoint import Endpoint


@contextlib.contextmanager
def opened_model(settings: ModelSettings) -> Iterator[Model]:
    """Open the model that the settings name, for requests outside of trials.

    Raises `UsageError`.
    """
    if settings.model.startswith("scripted:"):
        yield scripted_model(settings.model)
        return
    with contextlib.closing(open_endpoint(settings)) as endpoint:
        yield PricedModel(endpoint, base_url=settings.base_url, prices=settings.prices)


def open_endpoint(
    settings: ModelSettings, capabilities: Iterable[Capabilities] = ()
) -> Endpoint:
    """Return the endpoint that the settings name, with its key, which is in the environment.

    `capabilities` is what earlier requests showed about this and other endpoints, such as a
    parameter that is refused. Raises `UsageError` for a missing key, or an invalid setting.
    """
    # Imported here because the HTTP client that they need is slow to import.
    from controlplane.agent.endpoint import Endpoint, EndpointSettings

    headers = _resolve_headers(settings.model_headers)
    reply_mode = None
    if settings.reply_mode != "auto":
        reply_mode = ReplyMode(settings.reply_mode)
    endpoint_settings = EndpointSettings(
        model=settings.model,
        base_url=settings.base_url or None,
        api_key=_api_key(settings),
        api=settings.api,
        reply_mode=reply_mode,
        max_output_tokens=settings.max_output_tokens,
        temperature=settings.temperature,
        top_p=settings.top_p,
        seed=settings.sampling_seed,
        reasoning_effort=settings.reasoning_effort,
        thinking_back=settings.thinking_back,
        timeout_s=settings.model_timeout,
        headers=headers.values,
        secrets=headers.secrets,
        body=settings.model_body,
    )
    url = endpoint_settings.shown_url
    learned: Capabilities | None = None
    for known in capabilities:  # what was learned last counts
        if known.endpoint == url and known.model == endpoint_settings.model:
            learned = known
    try:
        return Endpoint(endpoint_settings, learned)
    except ValueError as error:
        raise UsageError(str(error)) from error


@dataclass(frozen=True, slots=True)
class _Headers:
    """The headers of requests to an endpoint."""

    values: Mapping[str, str]
    """The values by name, with variables replaced."""
    secrets: tuple[str, ...]
    """The values that came from environment variables. They must not appear in any output."""


def _resolve_headers(written: Mapping[str, str]) -> _Headers:
    """Return headers with each variable replaced by its value: `{"X-Key": "$TOKEN"}` -> `{"X-Key": "s3"}`.

    Raises `UsageError` if the variable is not set, or a header cannot have its value.
    """
    values = dict(written)
    secrets: list[str] = []
    for name, value in written.items():
        variable = variable_in(value)
        if not variable:
            continue
        secret = os.environ.get(variable, "").strip()
        if not (secret and secret.isascii() and secret.isprintable()):
            msg = f"the header {name} needs {value}: set {variable} in the environment to a header's value"
            raise UsageError(msg)
        values[name] = secret
        secrets.append(secret)
    return _Headers(values, tuple(secrets))


def _api_key(settings: ModelSettings) -> str:
    """Return the endpoint's key from the environment; empty if there is none and none is needed.

    Raises `UsageError`.
    """
    key = os.environ.get(settings.api_key_env, "").strip()
    if not (key.isascii() and key.isprintable()):
        msg = (
            f"{settings.api_key_env} holds characters that no key has (a line break, a letter beyond ASCII); "
            "set it again"
        )
        raise UsageError(msg)
    if not key and not settings.base_url:
        hint = ""
        if nearest_name(settings.model, [BASELINE]):
            hint = "; or did you mean 'baseline'?"
        msg = (
            f"the model {settings.model!r} needs a key in {settings.api_key_env}, "
            f"or OPENAI_BASE_URL of an endpoint without keys{hint}"
        )
        raise UsageError(msg)
    return key
