"""Asks a model one small question in each reply mode: what works, how fast, and what it costs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.endpoint import Endpoint
from agent.model import ModelError, Reply, ReplyMode, public_price
from agent.reply import SCHEMA, Unusable, action_of
from controlplane.configuration.run_settings import ModelSettings, RunSettings
from controlplane.doctor.diagnosis import Diagnosis
from controlplane.errors import UsageError
from controlplane.lifecycle.run_models import open_endpoint


@dataclass(frozen=True, slots=True)
class _Probe:
    mode: ReplyMode
    fault: str
    """Why the mode does not work; empty if it does."""
    reply: Reply | None = None
    elapsed_s: float = 0.0
    affects_all: bool = False
    """The endpoint is not reached, or refuses everybody."""


def probe_endpoint(
    asked: ModelSettings, settings: RunSettings, profiles: Sequence[str], *, role: str = ""
) -> Iterator[Diagnosis]:
    """Yield what is found of the model that `asked` names, for a `role` or for the run."""
    import openai  # noqa: F401 - its import is slow, and no part of a reply

    name = f"{asked.model} at {asked.base_url or 'OpenAI'}" + (f" for the role {role}" if role else "")
    probes: list[_Probe] = []
    for mode in ReplyMode if asked.reply_mode == "auto" else (ReplyMode(asked.reply_mode),):
        try:
            probes.append(_probe(asked.model_copy(update={"reply_mode": str(mode)}), mode, profiles))
        except UsageError as error:
            yield Diagnosis("endpoint", "fault", str(error), "see docs/models.md")
            return
        if probes[-1].affects_all:
            remedy = "start it, or mend its address (--base-url) or its key; see docs/models.md"
            yield Diagnosis("endpoint", "fault", probes[-1].fault, remedy)
            return
    answered = [each for each in probes if each.reply is not None]
    if not answered:
        yield Diagnosis("endpoint", "fault", probes[-1].fault, "mend the model's name or its settings")
        return
    yield Diagnosis("endpoint", "ok", f"{name} answers")
    yield from _of_modes(probes)
    yield _speed(answered)
    yield _price(asked, settings, answered[0].reply)


def _probe(asked: ModelSettings, mode: ReplyMode, profiles: Sequence[str]) -> _Probe:
    endpoint: Endpoint = open_endpoint(asked, profiles)
    try:
        began = time.perf_counter()
        try:
            reply = endpoint.check(SCHEMA)
        except ModelError as error:
            return _Probe(mode, str(error), affects_all=error.affects_all)
        elapsed_s = time.perf_counter() - began
    finally:
        endpoint.close()
    if reply.reply_mode != mode:
        return _Probe(mode, f"refused; the endpoint takes {reply.reply_mode}", reply, elapsed_s)
    action = action_of(_text_of(reply), reply.finish_reason)
    return _Probe(mode, action.reason if isinstance(action, Unusable) else "", reply, elapsed_s)


def _text_of(reply: Reply) -> str:
    return reply.tool_calls[0].arguments if reply.tool_calls else reply.text


def _of_modes(probes: Sequence[_Probe]) -> Iterator[Diagnosis]:
    works = any(not each.fault for each in probes)
    for each in probes:
        if not each.fault:
            yield Diagnosis("reply mode", "ok", f"{each.mode} works")
        else:
            remedy = "a run takes the best mode that works" if works else "give it more --max-output-tokens, or take "
            remedy += "" if works else "another model: it follows none of the forms"
            yield Diagnosis("reply mode", "note" if works else "fault", f"{each.mode}: {each.fault}", remedy)


def _speed(answered: Sequence[_Probe]) -> Diagnosis:
    quickest = min(each.elapsed_s for each in answered)
    tokens = sum(each.reply.usage.completion_tokens for each in answered if each.reply is not None)
    rate = tokens / sum(each.elapsed_s for each in answered)
    told = f"{rate:.0f} tokens a second" if tokens else "it counts no tokens"
    if not tokens:
        return Diagnosis("speed", "note", f"{quickest:.2f} s a reply, {told}", "limit the run by --run-time")
    return Diagnosis("speed", "ok", f"{quickest:.2f} s a short reply, {told}")


def _price(asked: ModelSettings, settings: RunSettings, reply: Reply | None) -> Diagnosis:
    if reply is not None and reply.cost_usd is not None:
        return Diagnosis("price", "ok", "the vendor says what each reply costs")
    if asked.prices is not None:
        prices = asked.prices
        return Diagnosis(
            "price", "ok", f"${prices.input:g} in, ${prices.output:g} out per million tokens, by your prices"
        )
    if public_price(asked.model, asked.base_url) is not None:
        return Diagnosis("price", "ok", f"{asked.model} stands in the table of genai-prices")
    is_limited = settings.run_cost is not None or settings.trial_cost is not None
    remedy = """give it as --prices '{"input": USD, "output": USD}' per million tokens"""
    return Diagnosis("price", "fault" if is_limited else "note", f"unknown for {asked.model}", remedy)
