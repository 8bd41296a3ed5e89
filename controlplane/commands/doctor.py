"""`controlplane doctor`: checks whether a run would work here, and what to do if not.

It checks everything that a run with these settings needs, one thing after another, and
starts no run. It asks a model one small question in each reply mode to learn what
works, how fast, and at what cost.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import click

from controlplane.agent.model import (
    LIST_PRICE,
    Message,
    ModelError,
    Reply,
    ReplyMode,
    public_price_source,
)
from controlplane.agent.reply.reply import SCHEMA, action_call, action_of
from controlplane.agent.reply.unusable_reply import Unusable
from controlplane.benchmark import (
    Benchmark,
    BenchmarkContext,
    BenchmarkError,
    OpenedBenchmark,
)
from controlplane.commands.arguments.options import AS_JSON
from controlplane.commands.arguments.setting_options import (
    given_options,
    settings_options,
)
from controlplane.configuration import named_modules
from controlplane.configuration.model_settings import ModelSettings
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import ControlPlaneError, UsageError
from controlplane.lifecycle.resources.models import (
    PLAYERS,
    model_without_endpoint,
    open_endpoint,
)
from controlplane.lifecycle.resources.run_resources import loop_settings
from controlplane.quantity_texts import count_text
from controlplane.sandbox import ForkServer, SandboxBroken, missing_layer
from controlplane.sandbox.files import check_writable
from controlplane.terminal_text import one_line, say

# A finding of `controlplane doctor`.

_State: TypeAlias = Literal["ok", "note", "unknown", "fault"]


@dataclass(frozen=True, slots=True)
class _Diagnosis:
    """The finding on one thing that a run needs. With `--json` it is printed with these fields."""

    what: str
    """The thing: isolation, disk, platform (the benchmark), model, endpoint, and so on."""
    state: _State
    """`fault`: a run would not work; `note`: a run would work, but something is worth knowing;
    `unknown`: nobody can say before a run."""
    text: str
    """What was found, in one line."""
    remedy: str = ""
    """What the user can do about it; empty if nothing has to be done."""


# Small questions to a model, one in each reply mode.

_MAX_PROBE_TOKENS: Final = 1_000
"""The longest reply to a small question. Without a limit, a small model may never end it."""
_PROBE_TIMEOUT_S: Final = 60.0
"""Seconds that the reply to a small question may take."""


@dataclass(frozen=True, slots=True)
class _ModeProbe:
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


def _probe_modes(model: ModelSettings) -> list[_ModeProbe]:
    """Ask one small question in each reply mode that a run would try, and return the outcomes.

    If the endpoint itself does not work, no further mode is asked in: the last outcome has its
    fault.
    """
    modes = list(ReplyMode)
    if model.reply_mode != "auto":
        modes = [ReplyMode(model.reply_mode)]
    probes: list[_ModeProbe] = []
    for mode in modes:
        probe = _probe_mode(model, mode)
        probes.append(probe)
        has_answered = any(earlier.reply is not None for earlier in probes)
        if probe.is_fatal and not has_answered:
            break
    return probes


def _probe_mode(model: ModelSettings, mode: ReplyMode) -> _ModeProbe:
    """Ask a model one small question in a reply mode, within a limit of tokens and seconds.

    A reply mode is the way in which the model is asked for a reply with fields: by a tool call, by a
    JSON schema, or in plain text. Returns whether it works, with the time that the reply took.
    """
    bounded = _bounded_settings(model, mode, max_tokens=_MAX_PROBE_TOKENS)
    began = time.perf_counter()
    try:
        with closing(open_endpoint(bounded)) as endpoint:
            reply = endpoint.check(SCHEMA)
    except UsageError as error:
        return _ModeProbe(mode, 0.0, fault=str(error), is_fatal=True)
    except ModelError as error:
        elapsed_s = time.perf_counter() - began
        # `affects_all`: every request would fail so. A timeout is not fatal, since a slow
        # model may answer in time in another mode.
        is_timeout = elapsed_s >= bounded.model_timeout
        is_fatal = error.affects_all and not is_timeout
        return _ModeProbe(mode, elapsed_s, fault=str(error), is_fatal=is_fatal)
    return _ModeProbe(mode, time.perf_counter() - began, reply, _fault_of(reply, mode))


def _bounded_settings(
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
        "model_timeout": min(model.model_timeout, _PROBE_TIMEOUT_S),
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


# How long a model takes to read, and whether the price of its replies is known.

_SHORT_REPLY_TOKENS: Final = 16
"""The limit of a reply of one word. Some endpoints refuse a smaller limit."""
_LONG_MESSAGE_CHARS: Final = 4_000
"""The length of the message by which the speed of reading is measured."""
_TYPICAL_MESSAGE_TOKENS: Final = 6_000
"""The tokens of most trials' first request, the system prompt included."""
_CHARS_PER_TOKEN: Final = 4
"""The usual ratio for English text, for estimates."""
_SLOW_MESSAGE_S: Final = 60.0
"""A first message that takes longer is worth knowing before a run."""


def _first_message_finding(model: ModelSettings, settings: RunSettings) -> _Diagnosis:
    """Return how long the first message of a trial takes, by the speed at which the model reads."""
    remedy = "lower --initial-prompt-chars, and set --model-timeout above that"
    bounded = _bounded_settings(model, ReplyMode.TEXT, max_tokens=_SHORT_REPLY_TOKENS)
    try:
        tokens_per_s = _reading_speed(bounded)
    except ModelError:
        seconds = bounded.model_timeout
        text = f"a message of {_LONG_MESSAGE_CHARS:,} characters got no reply in {seconds:g} s"
        return _Diagnosis("first message", "note", text, remedy)

    chars = settings.initial_prompt_chars
    typical_s = _TYPICAL_MESSAGE_TOKENS / tokens_per_s
    longest_s = chars / _CHARS_PER_TOKEN / tokens_per_s
    text = (
        f"{tokens_per_s:,.0f} tokens a second are read: a first message of "
        f"{_TYPICAL_MESSAGE_TOKENS:,} tokens takes about {typical_s:.0f} s, "
        f"one of {chars:,} characters {longest_s:.0f} s"
    )
    state: _State = "note" if typical_s > _SLOW_MESSAGE_S else "ok"
    return _Diagnosis("first message", state, text, remedy)


def _reading_speed(model: ModelSettings) -> float:
    """Return how many tokens of a long message the model reads a second. Raises `ModelError`."""
    # The number makes the text different each time: no cache of the endpoint has it.
    line = f"{time.time_ns()} is a number without meaning.\n"
    text = line * (_LONG_MESSAGE_CHARS // len(line)) + "Reply with one word: ready"
    began = time.perf_counter()
    with closing(open_endpoint(model)) as endpoint:
        reply = endpoint.complete([Message(role="user", content=text)], "check")
    elapsed_s = time.perf_counter() - began
    return max(reply.usage.prompt_tokens, 1) / elapsed_s


def _price_finding(
    model: ModelSettings, settings: RunSettings, reply: Reply
) -> _Diagnosis:
    """Return whether the price of replies is known. Limits of cost need it."""
    if reply.cost_usd is not None:
        return _Diagnosis("price", "ok", "the vendor says what each reply costs")
    prices = model.prices
    if prices:
        text = f"${prices.input:g} in, ${prices.output:g} out per million tokens, by your prices"
        return _Diagnosis("price", "ok", text)
    source = public_price_source(model.model, model.base_url)
    if not source:
        is_limited = settings.run_cost is not None or settings.trial_cost is not None
        form = """'{"input": USD, "output": USD}'"""
        return _Diagnosis(
            "price",
            "fault" if is_limited else "note",
            f"unknown for {model.model}",
            f"give it as --prices {form} per million tokens",
        )
    text = f"{model.model} is in the table of genai-prices"
    if source == LIST_PRICE:
        text = f"the list price of {model.model}; the gateway at this address may charge otherwise"
    return _Diagnosis("price", "ok", text)


# The findings of `doctor` on a model's endpoint.
#
# A run wants replies in a certain form, its *reply mode*: a tool call, JSON, or text. A *probe* asks
# a small question in one mode, and shows whether the endpoint and the model can do that.


def _probe_endpoint(
    model: ModelSettings, settings: RunSettings, *, role: str = ""
) -> Iterator[_Diagnosis]:
    """Yield findings on the endpoint of the run's model, or of the model for one `role`."""
    import openai  # noqa: F401 - slow to import, which must not count as time of the first reply

    probes = _probe_modes(model)
    replies = [probe.reply for probe in probes if probe.reply is not None]
    if not replies:
        remedy = "correct the model's name or its settings; a slow model needs a faster machine"
        if probes[-1].is_fatal:
            remedy = "see docs/models.md"  # The fault itself says what to do.
        yield _Diagnosis("endpoint", "fault", probes[-1].fault, remedy)
        return
    name = f"{model.model} at {model.base_url or 'OpenAI'}"
    if role:
        name += f" for the role {role}"
    yield _Diagnosis("endpoint", "ok", f"{name} answers")
    # A run takes the best mode that works, so one mode is enough.
    some_mode_works = any(not probe.fault for probe in probes)
    for probe in probes:
        yield _mode_finding(probe, some_mode_works=some_mode_works)
    tokens = 0
    times_s = []
    for timed in probes:
        if timed.reply is not None:
            tokens += timed.reply.usage.completion_tokens
            times_s.append(timed.elapsed_s)
    text = f"{min(times_s):.2f} s a short reply, {tokens / sum(times_s):.0f} tokens a second"
    yield _Diagnosis("speed", "ok", text)
    yield _first_message_finding(model, settings)
    yield _price_finding(model, settings, replies[0])


def _mode_finding(probe: _ModeProbe, *, some_mode_works: bool) -> _Diagnosis:
    """Return the finding on one mode: a fault only if no other mode works either."""
    if not probe.fault:
        return _Diagnosis("reply mode", "ok", f"{probe.mode} works")
    text = f"{probe.mode}: {probe.fault}"
    if some_mode_works:
        return _Diagnosis("reply mode", "note", text, "a run takes the best mode")
    remedy = "give it more --max-output-tokens, or take another model: it follows none of the forms"
    return _Diagnosis("reply mode", "fault", text, remedy)


# What `doctor` says of this machine: whether scripts can be isolated, and journals written.
#
# Each function returns one finding: "ok", a "note", or a "fault" with a remedy. It starts no run.


def _isolation_finding(settings: RunSettings) -> _Diagnosis:
    """Return whether the wanted layers of isolation (`kernel` and others) work on this machine."""
    wanted = loop_settings(settings).isolation
    try:
        with ForkServer() as server:
            missing = missing_layer(server, wanted)
    except SandboxBroken as error:
        remedy = "see `python -m controlplane.sandbox doctor`"
        return _Diagnosis("isolation", "fault", str(error), remedy)
    if not missing:
        return _Diagnosis("isolation", "ok", ", ".join(sorted(wanted)) or "none wanted")
    if settings.model in PLAYERS:
        return _Diagnosis("isolation", "note", missing, "rule-based players need none")
    remedy = "see `python -m controlplane.sandbox doctor`, or name only working layers with --isolation"
    return _Diagnosis("isolation", "fault", missing, remedy)


_FREE_BYTES_NEEDED: Final = 50_000_000
"""A run of a hundred trials writes about ten megabytes."""
_FREE_BYTES_COMFORTABLE: Final = 1_000_000_000
"""With less free space, the finding is a note."""


def _disk_finding(settings: RunSettings) -> _Diagnosis:
    """Return whether journals can be written to the folder of runs, and the free space."""
    folder = Path(settings.runs_dir).absolute()
    try:
        check_writable(folder / "journal")
    except OSError as error:
        text = f"{folder} cannot be written to: {error.strerror}"
        return _Diagnosis("disk", "fault", text, "name another folder with --runs-dir")

    existing = folder  # A run makes the folders that are missing below this one.
    while not existing.exists():
        existing = existing.parent
    free_bytes = shutil.disk_usage(existing).free
    text = f"{free_bytes / 1e9:.1f} GB free for {folder}"
    remedy = "free some, or name another folder with --runs-dir"
    if free_bytes < _FREE_BYTES_NEEDED:
        return _Diagnosis("disk", "fault", text, remedy)
    if free_bytes < _FREE_BYTES_COMFORTABLE:
        return _Diagnosis("disk", "note", text, remedy)
    return _Diagnosis("disk", "ok", text)


# Examines whether a run would work: this machine, the benchmark, and the models.
#
# `doctor` prints each finding as soon as it is there, since an endpoint may take a minute.


def _examine(settings: RunSettings) -> Iterator[_Diagnosis]:
    """Yield a finding for each thing that a run needs, in the order in which it needs them."""
    yield _isolation_finding(settings)
    yield _disk_finding(settings)
    try:
        opened = named_modules.open_benchmark(
            settings.benchmark, settings.set, BenchmarkContext()
        )
    except ControlPlaneError as error:
        remedy = "name a benchmark that `controlplane benchmarks list` shows"
        yield _Diagnosis("platform", "fault", str(error), remedy)
        return
    with closing(opened.benchmark) as benchmark:
        yield _platform(settings, benchmark)
        if opened.machine_check is not None:
            finding = opened.machine_check()
            state: _State = "ok" if finding.works else "fault"
            if finding.works is None:
                state = "unknown"
            yield _Diagnosis("containers", state, finding.text, finding.remedy)
        yield from _models(settings, opened)


def _platform(settings: RunSettings, benchmark: Benchmark) -> _Diagnosis:
    """Return whether the benchmark can be reached: it is asked for the list of its tasks."""
    try:
        tasks = count_text(len(benchmark.describe().tasks), "task")
    except BenchmarkError as error:
        text = str(named_modules.as_command_error(error))
        remedy = "see docs/remote.md for its settings"
        return _Diagnosis("platform", "fault", text, remedy)
    return _Diagnosis("platform", "ok", f"{settings.benchmark}: {tasks}")


def _models(settings: RunSettings, opened: OpenedBenchmark) -> Iterator[_Diagnosis]:
    """Yield findings on the model that the solver asks, and on those of its roles.

    A role is a kind of request for which the user has named another model. Each model at an endpoint
    is asked small questions. A player or a recording needs no endpoint.
    """
    local_model = None  # A player or a recording, which needs no endpoint.
    try:
        solver = named_modules.find_solver(settings.agent)
        if solver.roles:
            local_model = model_without_endpoint(
                settings,
                opened.benchmark,
                plays_scripts=solver.plays_scripts,
                players=opened.players,
            )
    except ControlPlaneError as error:
        yield _Diagnosis("model", "fault", str(error), "name one with --model")
        return

    if not solver.roles:
        # For example, a program of the user that has models of its own.
        yield _Diagnosis("model", "ok", f"the solver {settings.agent} asks none")
        return
    if local_model is None:
        yield from _probe_endpoint(settings, settings)
    else:
        yield _Diagnosis("model", "ok", f"{local_model.name}, without an endpoint")
    for role, model in settings.role.items():
        if role in solver.roles:
            yield from _probe_endpoint(model, settings, role=role)


_STYLES: Final = {"ok": "green", "note": "yellow", "unknown": "yellow", "fault": "red"}
_CONCLUSIONS: Final = {
    True: "a run would work",
    False: "a run would not work",
    None: "whether a run would work cannot be known",
}


@click.command("doctor")
@settings_options(
    "benchmark",
    "set",
    "model",
    "base_url",
    "api",
    "reply_mode",
    "max_output_tokens",
    "model_timeout",
    "initial_prompt_chars",
    "prices",
    "role",
    "agent",
    "isolation",
    "runs_dir",
    "run_cost",
    "trial_cost",
)
@AS_JSON
def doctor_command(*, as_json: bool, **options: Any) -> None:
    """Check isolation, disk, platform, endpoint, reply modes, speed and price, and name
    remedies.

    It asks the model one small question in each reply mode, and one of 4,000
    characters, and starts no run. A benchmark with containers starts one. Exit code 0 only
    if a run would work.
    """
    resolved = resolve(given_options(options), os.environ, Path.cwd())
    findings = []
    for finding in _examine(resolved.settings):
        findings.append(finding)
        if not as_json:
            state = click.style(f"{finding.state:5}", fg=_STYLES[finding.state])
            say(f"{state}  {finding.what:13}  {one_line(finding.text)}", is_styled=True)
            if finding.remedy and finding.state != "ok":
                say(f"{'':7}{'':13}  → {finding.remedy}")
    states = {finding.state for finding in findings}
    works: bool | None = "fault" not in states
    if works and "unknown" in states:
        works = None
    if as_json:
        shown = [dataclasses.asdict(finding) for finding in findings]
        print(json.dumps({"works": works, "findings": shown}))
    else:
        say(_CONCLUSIONS[works])
    raise SystemExit(0 if works else 1)
