"""Small questions to a model, one in each reply mode."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from controlplane.agent.model import ModelError, Reply, ReplyMode
from controlplane.agent.reply.action_call import action_call
from controlplane.agent.reply.action_schema import SCHEMA
from controlplane.agent.reply.reply import action_of
from controlplane.agent.reply.unusable_reply import Unusable
from controlplane.configuration.model_settings import ModelSettings
from controlplane.errors import UsageError
from controlplane.lifecycle.resources.models.model_endpoints import open_endpoint

MAX_PROBE_TOKENS: Final = 1_000
"""The longest reply to a small question. Without a limit, a small model may never end it."""
PROBE_TIMEOUT_S: Final = 60.0
"""Seconds that the reply to a small question may take."""


@dataclass(frozen=True, slots=True)
class ModeProbe:
    """The outcome of a small question in one reply mode.

    A reply mode is the form of replies: text, JSON or a tool call.
    """

    mode: ReplyMode
    elapsed_s: float
    reply: Reply | None = None
    """None if there was an error instead."""
    fault: str = ""
    """Why the mode does not work; empty if it works."""
    is_fatal: bool = False
    """True if the fault is that of the endpoint, so that no other mode would work either."""


def probe_modes(model: ModelSettings) -> list[ModeProbe]:
    """Ask one small question in each reply mode that a run would try, and return the outcomes.

    If the endpoint itself does not work, no further mode is asked in: the last outcome has its
    fault.
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
    """Ask a model one small question in a reply mode, within a limit of tokens and seconds.

    A reply mode is the way in which the model is asked for a reply with fields: by a tool call, by a
    JSON schema, or in plain text. Returns whether it works, with the time that the reply took.
    """
    bounded = bounded_settings(model, mode, max_tokens=MAX_PROBE_TOKENS)
    began = time.perf_counter()
    try:
        with closing(open_endpoint(bounded)) as endpoint:
            reply = endpoint.check(SCHEMA)
    except UsageError as error:
        return ModeProbe(mode, 0.0, fault=str(error), is_fatal=True)
    except ModelError as error:
        elapsed_s = time.perf_counter() - began
        # `affects_all`: every request would fail so. A timeout is not fatal, since a slow
        # model may answer in time in another mode.
        is_timeout = elapsed_s >= bounded.model_timeout
        is_fatal = error.affects_all and not is_timeout
        return ModeProbe(mode, elapsed_s, fault=str(error), is_fatal=is_fatal)
    return ModeProbe(mode, time.perf_counter() - began, reply, _fault_of(reply, mode))


def bounded_settings(
    model: ModelSettings, mode: ReplyMode, *, max_tokens: int
) -> ModelSettings:
    """Return the settings of a model with limits for one small question in a reply mode.

    The user's own limits hold if they are lower.
    """
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
    # As in a trial, the action (a reply's plan and script) is in a tool call or in the text.
    call = action_call(reply)
    text = reply.text if call is None else call.arguments
    other_calls = reply.tool_calls if call is None else ()
    action = action_of(
        text, reply.finish_reason, other_calls=other_calls, reasoning=reply.reasoning
    )
    return action.reason if isinstance(action, Unusable) else ""
