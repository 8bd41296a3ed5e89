"""Models around other models: one model per role, replies with their price, replies kept in a folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pydantic import BaseModel, Field

from agent.model.model_protocol import TRY, Frozen, Model, ModelError, ModelRequest, Reply, Usage
from sandbox.files import read_whole, write_whole

OPENAI_URL: Final = "https://api.openai.com/v1"


class RoleModels(Model):
    """Hands each request to the model of its role; roles without a model use the main model."""

    def __init__(self, main: Model, by_role: Mapping[str, Model]) -> None:
        self.name = main.name
        self._main = main
        self._by_role = dict(by_role)

    def reply_to(self, request: ModelRequest) -> Reply:
        """Ask the model of the request's role. Raises `ModelError`."""
        return self._by_role.get(request.role, self._main).reply_to(request)


class Prices(Frozen, allow_inf_nan=False):
    """Prices of a model's tokens, in USD per million."""

    input: float = Field(ge=0)
    """Tokens of requests."""
    output: float = Field(ge=0)
    """Tokens of replies, reasoning included."""
    cached: float | None = Field(None, ge=0)
    """Tokens of requests that the provider's prompt cache held; the same as `input` if not given."""


class PricedModel(Model):
    """A model whose replies state their cost, if it is known."""

    def __init__(self, model: Model, *, base_url: str = "", prices: Prices | None = None) -> None:
        """`base_url` is the endpoint's, which identifies the vendor; empty for OpenAI's own."""
        self.name = model.name
        self._model = model
        self._base_url = base_url or OPENAI_URL
        self._prices = prices

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the model's reply with its cost. Raises `ModelError`."""
        try:
            return self._priced(self._model.reply_to(request))
        except ModelError as error:
            error.paid = error.paid and self._priced(error.paid)
            raise

    def _priced(self, reply: Reply) -> Reply:
        cost_usd, source = self.cost_of(reply)
        return reply.model_copy(update={"cost_usd": cost_usd, "cost_source": source})

    def cost_of(self, reply: Reply) -> tuple[float | None, str]:
        """Return the cost of a reply in USD, None if it is unknown, and the source of the cost."""
        usage, prices = reply.usage, self._prices
        is_counted = usage.prompt_tokens + usage.completion_tokens > 0
        if prices is not None and is_counted:  # Whoever is paid does not count.
            cached = min(usage.cached_tokens, usage.prompt_tokens)
            cached_price = prices.input if prices.cached is None else prices.cached
            dollars = (usage.prompt_tokens - cached) * prices.input + cached * cached_price
            return (dollars + usage.completion_tokens * prices.output) / 1e6, "profile"
        if reply.cost_usd is not None:
            return reply.cost_usd, "vendor"
        if not is_counted:
            return None, ""
        cost_usd = _public_cost(usage, self.name, self._base_url)
        return cost_usd, "" if cost_usd is None else "genai-prices"


def public_price(model: str, base_url: str = "") -> float | None:
    """Return the USD of a million tokens in and a million out by `genai-prices`; None if it does not know the model."""
    million = Usage(prompt_tokens=1_000_000, completion_tokens=1_000_000)
    return _public_cost(million, model, base_url or OPENAI_URL)


def _public_cost(usage: Usage, model: str, base_url: str) -> float | None:
    with suppress(ValueError):  # raised for a name, which may be a provider's
        if not ip_address(urlsplit(base_url).hostname or "").is_global:
            return None  # a machine of one's own, for which the table need not be loaded (4 MB)
    import genai_prices  # a large table, which only some runs need

    counted = genai_prices.Usage(
        input_tokens=usage.prompt_tokens,
        cache_read_tokens=min(usage.cached_tokens, usage.prompt_tokens),
        output_tokens=usage.completion_tokens,
    )
    try:
        price = genai_prices.calc_price(counted, model, provider_api_url=base_url)
    except (LookupError, ValueError):
        return None
    return float(price.total_price)


MOST_KEPT_BYTES: Final = 64_000_000


class CachedModel(Model):
    """A model whose replies are kept. Called from many threads and processes at once."""

    def __init__(self, model: Model, folder: Path, settings: Mapping[str, object]) -> None:
        """`settings` holds all that shapes a reply beside the request: model, address, parameters; never a secret."""
        self.name = model.name
        self._model = model
        self._folder = folder
        self._settings = dict(settings)

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the kept reply, which costs nothing, or ask the model and keep its reply. Raises `ModelError`."""
        # JSON escapes can express lone surrogates, which UTF-8 cannot encode. The number is the version of the form.
        key_parts = request.messages, request.role, request.schema, request.tools, request.tool_choice
        text = json.dumps([1, self._settings, TRY.get(), *key_parts], sort_keys=True, default=_plain)
        key = hashlib.sha256(text.encode()).hexdigest()
        path = self._folder / key[:2] / f"{key}.json"
        with suppress(OSError, ValueError, RecursionError):
            found = read_whole(path, self._folder, MOST_KEPT_BYTES)  # nothing that waits, as a pipe
            kept = Reply.model_validate(json.loads(found[0] if found else b""))
            free: dict[str, object] = {"cached": True, "cost_usd": 0.0, "cost_source": "", "usage": Usage()}
            return kept.model_copy(update=free)
        reply = self._model.reply_to(request)
        if not (reply.text.strip() or reply.tool_calls):
            return reply  # An empty reply is a mishap that the next try need not meet.
        try:
            held = reply.model_copy(update={"notices": (), "learned": None})
            write_whole(path, json.dumps(held.model_dump(mode="json")).encode(), mode=0o600)
        except OSError as error:
            notice = f"a reply could not be kept in the cache {self._folder}: {error.strerror}"
            return reply.model_copy(update={"notices": (*reply.notices, notice)})
        return reply


def _plain(value: object) -> object:
    return value.model_dump() if isinstance(value, BaseModel) else str(value)
