"""How long a model takes to read, and whether the price of its replies is known."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Final

from controlplane.agent.model import (
    LIST_PRICE,
    Message,
    ModelError,
    Reply,
    ReplyMode,
    public_price_source,
)
from controlplane.commands.diagnosis.diagnosis import Diagnosis, State
from controlplane.commands.diagnosis.mode_probe import bounded_settings
from controlplane.configuration.model_settings import ModelSettings
from controlplane.configuration.run_settings import RunSettings
from controlplane.lifecycle.resources.models.model_endpoints import open_endpoint

SHORT_REPLY_TOKENS: Final = 16
"""The limit of a reply of one word. Some endpoints refuse a smaller limit."""
LONG_MESSAGE_CHARS: Final = 4_000
"""The length of the message by which the speed of reading is measured."""
TYPICAL_MESSAGE_TOKENS: Final = 6_000
"""The tokens of most trials' first request, the system prompt included."""
CHARS_PER_TOKEN: Final = 4
"""The usual ratio for English text, for estimates."""
SLOW_MESSAGE_S: Final = 60.0
"""A first message that takes longer is worth knowing before a run."""


def first_message_finding(model: ModelSettings, settings: RunSettings) -> Diagnosis:
    """Return how long the first message of a trial takes, by the speed at which the model reads."""
    remedy = "lower --initial-prompt-chars, and set --model-timeout above that"
    bounded = bounded_settings(model, ReplyMode.TEXT, max_tokens=SHORT_REPLY_TOKENS)
    try:
        tokens_per_s = _reading_speed(bounded)
    except ModelError:
        seconds = bounded.model_timeout
        text = f"a message of {LONG_MESSAGE_CHARS:,} characters got no reply in {seconds:g} s"
        return Diagnosis("first message", "note", text, remedy)

    chars = settings.initial_prompt_chars
    typical_s = TYPICAL_MESSAGE_TOKENS / tokens_per_s
    longest_s = chars / CHARS_PER_TOKEN / tokens_per_s
    text = (
        f"{tokens_per_s:,.0f} tokens a second are read: a first message of "
        f"{TYPICAL_MESSAGE_TOKENS:,} tokens takes about {typical_s:.0f} s, "
        f"one of {chars:,} characters {longest_s:.0f} s"
    )
    state: State = "note" if typical_s > SLOW_MESSAGE_S else "ok"
    return Diagnosis("first message", state, text, remedy)


def _reading_speed(model: ModelSettings) -> float:
    """Return how many tokens of a long message the model reads a second. Raises `ModelError`."""
    # The number makes the text different each time: no cache of the endpoint has it.
    line = f"{time.time_ns()} is a number without meaning.\n"
    text = line * (LONG_MESSAGE_CHARS // len(line)) + "Reply with one word: ready"
    began = time.perf_counter()
    with closing(open_endpoint(model)) as endpoint:
        reply = endpoint.complete([Message(role="user", content=text)], "check")
    elapsed_s = time.perf_counter() - began
    return max(reply.usage.prompt_tokens, 1) / elapsed_s


def price_finding(
    model: ModelSettings, settings: RunSettings, reply: Reply
) -> Diagnosis:
    """Return whether the price of replies is known. Limits of cost need it."""
    if reply.cost_usd is not None:
        return Diagnosis("price", "ok", "the vendor says what each reply costs")
    prices = model.prices
    if prices:
        text = f"${prices.input:g} in, ${prices.output:g} out per million tokens, by your prices"
        return Diagnosis("price", "ok", text)
    source = public_price_source(model.model, model.base_url)
    if not source:
        return _unknown_price(model, settings)
    text = f"{model.model} is in the table of genai-prices"
    if source == LIST_PRICE:
        text = f"the list price of {model.model}; the gateway at this address may charge otherwise"
    return Diagnosis("price", "ok", text)


def _unknown_price(model: ModelSettings, settings: RunSettings) -> Diagnosis:
    is_limited = settings.run_cost is not None or settings.trial_cost is not None
    state: State = "fault" if is_limited else "note"
    form = """'{"input": USD, "output": USD}'"""
    remedy = f"give it as --prices {form} per million tokens"
    return Diagnosis("price", state, f"unknown for {model.model}", remedy)
