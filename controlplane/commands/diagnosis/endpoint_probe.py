"""The findings of `doctor` on a model's endpoint.

A run wants replies in a certain form, its *reply mode*: a tool call, JSON, or text. A *probe* asks
a small question in one mode, and shows whether the endpoint and the model can do that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from controlplane.commands.diagnosis.diagnosis import Diagnosis
from controlplane.commands.diagnosis.mode_probe import ModeProbe, probe_modes
from controlplane.commands.diagnosis.model_costs import (
    first_message_finding,
    price_finding,
)
from controlplane.configuration.model_settings import ModelSettings
from controlplane.configuration.run_settings import RunSettings


def probe_endpoint(
    model: ModelSettings, settings: RunSettings, *, role: str = ""
) -> Iterator[Diagnosis]:
    """Yield findings on the endpoint of the run's model, or of the model for one `role`."""
    import openai  # noqa: F401 - slow to import, which must not count as time of the first reply

    probes = probe_modes(model)
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
    yield first_message_finding(model, settings)
    yield price_finding(model, settings, replies[0])


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
