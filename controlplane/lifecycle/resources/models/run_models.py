"""The models of a run, opened from its settings and closed at its end."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from controlplane.agent.limits.spending_meter import PRICE_REMEDY
from controlplane.agent.model import (
    CachedModel,
    Capabilities,
    Model,
    PricedModel,
    public_price_source,
)
from controlplane.configuration.model_settings import ModelSettings
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError, as_usage_error, nearest_name
from controlplane.lifecycle.resources.models.listed_models import (
    context_tokens_of,
    is_listed,
)
from controlplane.lifecycle.resources.models.model_endpoints import open_endpoint
from controlplane.lifecycle.resources.models.players import scripted_model

if TYPE_CHECKING:
    from controlplane.agent.endpoint import Endpoint

_SETTINGS_WITHOUT_INFLUENCE: Final = {
    # on costs, waiting and keys
    "api_key_env",
    "model_timeout",
    "model_patience",
    "prices",
    # on messages, which a request contains
    "max_context_tokens",
    "prompt",
    "hints",
}
"""Settings of a model that do not influence its reply to a given request."""


class RunModels:
    """Opens the models of one run, and closes their endpoints at the end of the run."""

    def __init__(
        self, settings: RunSettings, capabilities: Iterable[Capabilities] = ()
    ) -> None:
        """`capabilities`: what earlier requests showed, such as a parameter that is refused."""
        self._settings = settings
        self._capabilities = tuple(capabilities)
        self.endpoints: list[Endpoint] = []
        """The endpoints of the models that are open."""
        self.context_tokens: int | None = None
        """The size of the context of the solver's model, as its endpoint lists it.

        None if it is unknown, or before `check_names` has read the list."""

    def open_model(self, settings: ModelSettings) -> Model:
        """Open a model. Raises `UsageError`.

        `settings` are those of the run, or of one role such as `solve`. A model at an endpoint
        computes the cost of its replies, and takes them from the run's cache (the folder of
        `--cache`) if the same request was made before.
        """
        run_settings = self._settings
        # Each limit needs the model's price. The message names only the first one.
        if run_settings.run_cost:
            _check_price(settings, "--run-cost")
        elif run_settings.trial_cost:
            _check_price(settings, "--trial-cost")

        if settings.model.startswith("scripted:"):
            return scripted_model(settings.model)

        endpoint = open_endpoint(settings, self._capabilities)
        self.endpoints.append(endpoint)
        model = PricedModel(
            endpoint, base_url=settings.base_url, prices=settings.prices
        )
        if not run_settings.cache:
            return model

        folder = Path(run_settings.cache)
        with as_usage_error(
            f"--cache: the folder {run_settings.cache} cannot be made", OSError
        ):
            folder.mkdir(parents=True, exist_ok=True)
        return CachedModel(model, folder, _cache_key(settings))

    def check_names(self) -> None:
        """Read the endpoints' lists of models: check the models' names, and set `context_tokens`.

        Raises `UsageError` if a name looks like a misspelling of a listed one: `gpt-5-minni`.
        A name that resembles none is accepted: endpoints do not list presets,
        aliases and deployments.
        """
        # The role `solve` writes the scripts. It has the run's model, unless it has its own.
        solve_settings = self._settings.role.get("solve", self._settings)
        for endpoint in self.endpoints:
            models = endpoint.listed_models()
            if endpoint.name == solve_settings.model:
                self.context_tokens = context_tokens_of(endpoint.name, models)

            listed_names = [model.model_id for model in models]
            similar_name = nearest_name(endpoint.name, listed_names, least=0.5)
            if similar_name and not is_listed(endpoint.name, listed_names):
                msg = (
                    f"the endpoint has no model {endpoint.name!r}; did you mean {similar_name!r}?; "
                    "name one of its models with --model"
                )
                raise UsageError(msg)

    def close(self) -> None:
        """Close the connections to the endpoints."""
        for endpoint in self.endpoints:
            endpoint.close()


def _cache_key(settings: ModelSettings) -> dict[str, Any]:
    """Return the settings that influence the reply to a given request: `{"model": …, "seed": …}`.

    By them and the request, the cache finds a reply. So a changed price or time limit still finds it.
    """
    names = set(ModelSettings.model_fields) - _SETTINGS_WITHOUT_INFLUENCE
    return settings.model_dump(mode="json", include=names)


def _check_price(settings: ModelSettings, limit: str) -> None:
    """Raise `UsageError` if the price of replies is unknown, since a limit in USD needs it.

    `limit` is the option that sets the limit, such as `--run-cost`.
    """
    host = urlsplit(settings.base_url).hostname or ""
    if host.endswith("openrouter.ai"):
        return  # Its replies contain their cost.
    if settings.prices or public_price_source(settings.model, settings.base_url):
        return
    msg = f"{limit}: the price of {settings.model} is unknown, so the limit cannot be kept; {PRICE_REMEDY}"
    raise UsageError(msg)
