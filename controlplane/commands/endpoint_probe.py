"""Small questions to a model's endpoint: what works, how fast, and at what cost."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from controlplane.agent.action import SCHEMA
from controlplane.agent.model import Message, ModelError, Reply, ReplyMode, public_price
from controlplane.agent.reply import action_call, action_of
from controlplane.agent.unusable_reply import Unusable
from controlplane.commands.diagnosis import Diagnosis, State
from controlplane.configuration.run_settings import ModelSettings, RunSettings
from controlplane.errors import UsageError
from controlplane.lifecycle.run_models import open_endpoint

MAX_PROBE_TOKENS: Final = 1_000
"""The longest reply to a small question; a small model may fill a string without
end."""
PROBE_TIMEOUT_S: Final = 60.0
"""Seconds that the reply to a small question may take."""
SHORT_REPLY_TOKENS: Final = 16
"""Enough for one word. Some endpoints refuse a smaller limit."""


@dataclass(frozen=True, slots=True)
class ModeProbe:
    """The outcome of a small question in one reply mode (the form of replies: text,
    JSON or a tool call)."""

    mode: ReplyMode
    elapsed_s: float
    reply: Reply | None = None
    """None if there was an error instead."""
    fault: str = ""
    """Why the mode does not work; empty if it works."""
    is_fatal: bool = False
    """True if the fault is that of the endpoint, so that no other mode would work
    either."""


def probe_endpoint(
    model: ModelSettings, settings: RunSettings, *, role: str = ""
) -> Iterator[Diagnosis]:
    """Yield findings on `model`, for a `role` or for the run."""
    import openai  # noqa: F401 - its import is slow, and no part of a reply

    probes = _probe_modes(model)
    replies = [probe.reply for probe in probes if probe.reply is not None]
    if not replies:
        yield _no_reply(probes[-1])
        return
    name = f"{model.model} at {model.base_url or 'OpenAI'}"
    if role:
        name += f" for the role {role}"
    yield Diagnosis("endpoint", "ok", f"{name} answers")
    # A run takes the best mode that works, so one mode is enough.
    some_mode_works = any(not probe.fault for probe in probes)
    for probe in probes:
        yield _mode_finding(probe, some_mode_works=some_mode_works)
    yield _speed(probes)
    yield _first_message(model, settings)
    yield _price(model, settings, replies[0])


def _no_reply(probe: ModeProbe) -> Diagnosis:
    remedy = (
        "correct the model's name or its settings; a slow model needs a faster machine"
    )
    if probe.is_fatal:
        remedy = "start it, or correct its address (--base-url) or its key; see docs/models.md"
    return Diagnosis("endpoint", "fault", probe.fault, remedy)


def _mode_finding(probe: ModeProbe, *, some_mode_works: bool) -> Diagnosis:
    """Return the finding on one mode: a fault only if no other mode works either."""
    if not probe.fault:
        return Diagnosis("reply mode", "ok", f"{probe.mode} works")
    text = f"{probe.mode}: {probe.fault}"
    if some_mode_works:
        return Diagnosis("reply mode", "note", text, "a run takes the best mode")
    remedy = "give it more --max-output-tokens, or take another model: it follows none of the forms"
    return Diagnosis("reply mode", "fault", text, remedy)


def _speed(probes: Sequence[ModeProbe]) -> Diagnosis:
    """Return how fast the model answered small questions."""
    tokens = 0
    times_s = []
    for probe in probes:
        if probe.reply is not None:
            tokens += probe.reply.usage.completion_tokens
            times_s.append(probe.elapsed_s)
    text = f"{min(times_s):.2f} s a short reply, {tokens / sum(times_s):.0f} tokens a second"
    return Diagnosis("speed", "ok", text)


# --- The questions ---


def _probe_modes(model: ModelSettings) -> list[ModeProbe]:
    """Ask one small question in each reply mode that a run would try, and return the
    outcomes.

    If the endpoint itself does not work, its fault is the last outcome.
    """
    modes = list(ReplyMode)
    if model.reply_mode != "auto":
        modes = [ReplyMode(model.reply_mode)]
    probes: list[ModeProbe] = []
    for mode in modes:
        probe = probe_mode(model, mode)
        probes.append(probe)
        has_answered = any(earlier.reply is not None for earlier in probes)
        if probe.is_fatal and not has_answered:
            break
    return probes


def probe_mode(model: ModelSettings, mode: ReplyMode) -> ModeProbe:
    """Ask one small question in a reply mode, within a limit of tokens and seconds."""
    bounded = bounded_settings(model, mode, max_tokens=MAX_PROBE_TOKENS)
    began = time.perf_counter()
    try:
        with closing(open_endpoint(bounded)) as endpoint:
            reply = endpoint.check(SCHEMA)
    except UsageError as error:
        return ModeProbe(mode, 0.0, fault=str(error), is_fatal=True)
    except ModelError as error:
        elapsed_s = time.perf_counter() - began
        # In another mode, a slow model may still answer in time, so a timeout is not
        # fatal.
        is_timeout = elapsed_s >= bounded.model_timeout
        is_fatal = error.affects_all and not is_timeout
        return ModeProbe(mode, elapsed_s, fault=str(error), is_fatal=is_fatal)
    return ModeProbe(mode, time.perf_counter() - began, reply, _fault_of(reply, mode))


def bounded_settings(
    model: ModelSettings, mode: ReplyMode, *, max_tokens: int
) -> ModelSettings:
    """Return the settings of a model with limits for one small question."""
    if model.max_output_tokens is not None:
        max_tokens = min(max_tokens, model.max_output_tokens)
    limits = {
        "reply_mode": str(mode),
        "max_output_tokens": max_tokens,
        "model_timeout": min(model.model_timeout, PROBE_TIMEOUT_S),
    }
    return model.model_copy(update=limits)


def _fault_of(reply: Reply, mode: ReplyMode) -> str:
    """Return why a reply mode does not work; empty if it works."""
    if reply.reply_mode != mode:
        return f"refused; the endpoint takes {reply.reply_mode}"
    # As in a trial, the action is in a tool call, or else in the text.
    call = action_call(reply)
    text = reply.text if call is None else call.arguments
    other_calls = reply.tool_calls if call is None else ()
    action = action_of(
        text, reply.finish_reason, other_calls=other_calls, reasoning=reply.reasoning
    )
    return action.reason if isinstance(action, Unusable) else ""


# --- The speed of reading, and the price ---

LONG_MESSAGE_CHARS: Final = 4_000
"""The length of the message by which the speed of reading is measured."""
TYPICAL_MESSAGE_TOKENS: Final = 6_000
"""The tokens of most trials' first request, the system prompt included."""
CHARS_PER_TOKEN: Final = 4
"""The usual ratio for English text, for estimates."""
SLOW_MESSAGE_S: Final = 60.0
"""A first message that takes longer is worth knowing before a run."""


def _first_message(model: ModelSettings, settings: RunSettings) -> Diagnosis:
    """Return how long the first message of a trial takes, by the speed at which the
    model reads."""
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
    """Return how many tokens of a long message the model reads a second. Raises
    `ModelError`."""
    # The number makes the text different each time: no cache of the endpoint has it.
    line = f"{time.time_ns()} is a number without meaning.\n"
    text = line * (LONG_MESSAGE_CHARS // len(line)) + "Reply with one word: ready"
    began = time.perf_counter()
    with closing(open_endpoint(model)) as endpoint:
        reply = endpoint.complete([Message(role="user", content=text)], "check")
    elapsed_s = time.perf_counter() - began
    return max(reply.usage.prompt_tokens, 1) / elapsed_s


def _price(model: ModelSettings, settings: RunSettings, reply: Reply) -> Diagnosis:
    """Return whether the price of replies is known, which limits of cost need."""
    if reply.cost_usd is not None:
        return Diagnosis("price", "ok", "the vendor says what each reply costs")
    prices = model.prices
    if prices:
        text = f"${prices.input:g} in, ${prices.output:g} out per million tokens, by your prices"
        return Diagnosis("price", "ok", text)
    price = public_price(model.model, model.base_url)
    if price is None:
        return _unknown_price(model, settings)
    text = f"{model.model} is in the table of genai-prices"
    if price.is_gateway:
        text = f"the list price of {model.model}; the gateway at this address may charge otherwise"
    return Diagnosis("price", "ok", text)


def _unknown_price(model: ModelSettings, settings: RunSettings) -> Diagnosis:
    is_limited = settings.run_cost is not None or settings.trial_cost is not None
    state: State = "fault" if is_limited else "note"
    form = """'{"input": USD, "output": USD}'"""
    remedy = f"give it as --prices {form} per million tokens"
    return Diagnosis("price", state, f"unknown for {model.model}", remedy)
