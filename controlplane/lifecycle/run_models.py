"""The models of a run at their endpoints: one for each role with a profile, and one for the other roles."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from agent.loop import ModelRetry
from agent.model import ASKING, Capabilities, Model, ModelRequest, Reply
from agent.retry import PRICE_REMEDY
from controlplane.configuration.run_settings import VARIABLE, ModelSettings, RunSettings
from controlplane.errors import UsageError, did_you_mean, nearest_name

if TYPE_CHECKING:
    from agent.endpoint import Endpoint

_NOT_IN_KEYS: Final = (
    "api_key_env",
    "model_timeout",
    "model_patience",
    "prices",
    "max_context_tokens",
    "prompt",
    "hints",
)
"""Settings that do not change replies, so that kept replies are found under any of their values."""

TELLING_HOSTS: Final = ("openrouter.ai",)
"""Hosts whose replies state their cost."""


class RunModels:
    """The endpoints of a run. Close them when done."""

    def __init__(
        self,
        settings: RunSettings,
        *,
        roles: Collection[str],
        main: Model | None,
        known: Iterable[Capabilities] = (),
        profiles: Iterable[str] = (),
    ) -> None:
        """Open the models for the `roles` of a solver. `main` plays roles without a profile, else the settings' model.

        `known` holds capabilities learned earlier. Raises `UsageError`.
        """
        self.endpoints: list[Endpoint] = []
        self._known = {(learned.endpoint, learned.model): learned for learned in known}
        self._profiles = tuple(profiles)
        self._cache = _cache_folder(settings.cache)
        self._limit = "--run-cost" if settings.run_cost else "--trial-cost" if settings.trial_cost else ""
        try:
            first = main or self._open(settings)
            others = {role: self._open(own) for role, own in settings.role.items() if role in roles}
        except BaseException:
            self.close()
            raise
        self.model: Model = first
        if others:
            from agent.model import RoleModels

            self.model = RoleModels(first, {str(role): model for role, model in others.items()})

    def check_names(self) -> None:
        """Raise `UsageError` if an endpoint lists its models and none is like the named one."""
        for endpoint in self.endpoints:
            listed = endpoint.listed_models()
            named = endpoint.name.casefold()
            if listed and not any(named in name.casefold() or name.casefold() in named for name in listed):
                hint = did_you_mean(endpoint.name, listed, most=5)
                msg = f"the endpoint has no model {endpoint.name!r}{hint}; name one of its models with --model"
                raise UsageError(msg)

    def close(self) -> None:
        for endpoint in self.endpoints:
            endpoint.close()

    def _open(self, settings: ModelSettings) -> Model:
        from agent.model import CachedModel, PricedModel

        if self._limit:
            _check_price(settings, self._limit)
        endpoint = open_endpoint(settings, self._profiles, self._known)
        self.endpoints.append(endpoint)
        priced = PricedModel(endpoint, base_url=settings.base_url, prices=settings.prices)
        if self._cache is None:
            return priced
        shaping = set(ModelSettings.model_fields) - set(_NOT_IN_KEYS)
        return CachedModel(priced, self._cache, settings.model_dump(mode="json", include=shaping))


class RetryingModel(Model):
    """A model for solvers that are not ours: it replies to sessions alone, and retries transient failures."""

    def __init__(self, model: Model, retry: ModelRetry, on_retry: Callable[[str], None]) -> None:
        self.name = model.name
        self._model, self._retry, self._on_retry = model, retry, on_retry

    def reply_to(self, request: ModelRequest) -> Reply:
        if not ASKING.get():
            msg = "one reply is asked for with session.ask(...), which counts and records it"
            raise RuntimeError(msg)
        reply = self._retry.ask(lambda: self._model.reply_to(request), self._on_retry)
        ASKING.set(False)
        return reply


def _check_price(settings: ModelSettings, limit: str) -> None:
    """Raise `UsageError` if the price of replies is unknown, so that the limit in USD could not be kept."""
    host = urlsplit(settings.base_url).hostname or ""
    if settings.prices is not None or host.endswith(TELLING_HOSTS):
        return
    from agent.model import public_price

    if public_price(settings.model, settings.base_url) is None:
        msg = f"{limit}: the price of {settings.model} is unknown, so the limit cannot be kept; {PRICE_REMEDY}"
        raise UsageError(msg)


def open_endpoint(
    settings: ModelSettings, profiles: Iterable[str] = (), known: Mapping[tuple[str, str], Capabilities] | None = None
) -> Endpoint:
    """Return the endpoint that the settings name. `known` holds learned capabilities. Raises `UsageError`."""
    # These import an HTTP client, which is slow.
    from agent.endpoint import Api, Endpoint, EndpointSettings, ThinkingBack
    from agent.model import ReplyMode

    headers, secrets = _headers(settings.model_headers)
    endpoint_settings = EndpointSettings(
        model=settings.model,
        base_url=settings.base_url or None,
        api_key=_api_key(settings, profiles),
        api=Api(settings.api),
        reply_mode=None if settings.reply_mode == "auto" else ReplyMode(settings.reply_mode),
        max_output_tokens=settings.max_output_tokens,
        temperature=settings.temperature,
        top_p=settings.top_p,
        seed=settings.sampling_seed,
        reasoning_effort=settings.reasoning_effort,
        thinking_back=ThinkingBack(settings.thinking_back),
        timeout_s=settings.model_timeout,
        headers=headers,
        secrets=secrets,
        body=settings.model_body,
    )
    try:
        return Endpoint(endpoint_settings, (known or {}).get((endpoint_settings.shown_url, endpoint_settings.model)))
    except ValueError as error:
        raise UsageError(str(error)) from error


def _cache_folder(name: str) -> Path | None:
    """Make and return the folder of kept replies. Raises `UsageError` if it cannot be written to."""
    if not name:
        return None
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"--cache: the folder {name} cannot be made: {error.strerror}"
        raise UsageError(msg) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        msg = f"--cache: the folder {name} cannot be written to"
        raise UsageError(msg)
    return folder


def _headers(written: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return headers with variables replaced by their values, and these secret values. Raises `UsageError`."""
    headers, secrets = dict(written), []
    for name, value in written.items():
        variable = VARIABLE.fullmatch(value)
        if variable:
            headers[name] = os.environ.get(variable[1], "").strip()
            if not (headers[name] and headers[name].isascii() and headers[name].isprintable()):
                msg = f"the header {name} needs {value}: set {variable[1]} in the environment to a header's value"
                raise UsageError(msg)
            secrets.append(headers[name])
    return headers, tuple(secrets)


def _api_key(settings: ModelSettings, profiles: Iterable[str]) -> str:
    key = os.environ.get(settings.api_key_env, "").strip()
    if not (key.isascii() and key.isprintable()):
        msg = (
            f"{settings.api_key_env} holds characters that no key has (a line break, a letter beyond ASCII); "
            "set it again"
        )
        raise UsageError(msg)
    if not key and not settings.base_url:
        close = nearest_name(settings.model, ["baseline", *profiles])
        meant = f"; or did you mean {close!r}?" if close else ""
        msg = (
            f"the model {settings.model!r} needs a key in {settings.api_key_env}, "
            f"or OPENAI_BASE_URL of an endpoint without keys{meant}"
        )
        raise UsageError(msg)
    return key
