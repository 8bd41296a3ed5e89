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
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import click

from controlplane.agent.model import Message, ModelError, Reply, ReplyMode, public_price
from controlplane.agent.reply import SCHEMA, Unusable, action_call, action_of
from controlplane.benchmark import BenchmarkContext, BenchmarkError, OpenedBenchmark
from controlplane.commands.options import AS_JSON, given_options, settings_options
from controlplane.configuration import named_modules
from controlplane.configuration.config_file import config_bytes, trust
from controlplane.configuration.run_settings import ModelSettings, RunSettings
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import ControlPlaneError, UsageError, as_usage_error
from controlplane.journal.journal_files import CONFIG_FILE
from controlplane.lifecycle.run_limits import loop_settings
from controlplane.lifecycle.run_models import (
    PLAYERS,
    model_without_endpoint,
    open_endpoint,
)
from controlplane.sandbox import ForkServer, SandboxBroken, missing_layer
from controlplane.terminal_text import count_text, one_line, say

State: TypeAlias = Literal["ok", "note", "fault"]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The finding on one thing that a run needs. With `--json` it is printed with these
    fields."""

    what: str
    """The thing: isolation, disk, platform (the benchmark), model, endpoint, reply
    mode, speed, first message, price."""
    state: State
    """`fault`: a run would not work; `note`: a run would work, but something is worth
    knowing."""
    text: str
    """What was found, in one line."""
    remedy: str = ""
    """What the user can do about it; empty if nothing has to be done."""


STYLES: Final = {"ok": "green", "note": "yellow", "fault": "red"}


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
    characters, and starts no run. Exit code 0 only if a run would work.
    """
    resolved = resolve(given_options(options), os.environ, Path.cwd())
    findings = []
    for finding in examine(resolved.settings):
        findings.append(finding)
        if not as_json:
            state = click.style(f"{finding.state:5}", fg=STYLES[finding.state])
            say(f"{state}  {finding.what:13}  {one_line(finding.text)}", is_styled=True)
            if finding.remedy and finding.state != "ok":
                say(f"{'':7}{'':13}  → {finding.remedy}")
    works = all(finding.state != "fault" for finding in findings)
    if as_json:
        shown = [dataclasses.asdict(finding) for finding in findings]
        print(json.dumps({"works": works, "findings": shown}))
    else:
        say("a run would work" if works else "a run would not work")
    raise SystemExit(0 if works else 1)


def examine(settings: RunSettings) -> Iterator[Diagnosis]:
    """Yield findings in the order in which a run needs things.

    Each model is asked once per reply mode (the form of its replies: text, JSON or a
    tool call).
    """
    yield _isolation(settings)
    yield _disk(settings)
    try:
        opened = named_modules.open_benchmark(
            settings.benchmark, settings.set, BenchmarkContext()
        )
    except ControlPlaneError as error:
        yield Diagnosis(
            "platform",
            "fault",
            str(error),
            "name a benchmark that `controlplane benchmarks list` shows",
        )
        return
    with closing(opened.benchmark) as benchmark:
        try:
            text = f"{settings.benchmark}: {count_text(len(benchmark.describe().tasks), 'task')}"
            yield Diagnosis("platform", "ok", text)
        except BenchmarkError as error:
            text = str(named_modules.as_command_error(error))
            yield Diagnosis(
                "platform", "fault", text, "see docs/remote.md for its settings"
            )
        yield from _models(settings, opened)


def _isolation(settings: RunSettings) -> Diagnosis:
    """Return whether scripts can be isolated here by all layers that the settings
    want."""
    wanted = loop_settings(settings).isolation
    try:
        with ForkServer() as server:
            missing = missing_layer(server, wanted)
    except SandboxBroken as error:
        remedy = "see `python -m controlplane.sandbox doctor`"
        return Diagnosis("isolation", "fault", str(error), remedy)
    if not missing:
        return Diagnosis("isolation", "ok", ", ".join(sorted(wanted)) or "none wanted")
    if settings.model in PLAYERS:
        return Diagnosis("isolation", "note", missing, "rule-based players need none")
    remedy = "see `python -m controlplane.sandbox doctor`, or name only working layers with --isolation"
    return Diagnosis("isolation", "fault", missing, remedy)


FREE_BYTES_NEEDED: Final = 50_000_000
"""A run of a hundred trials writes about ten megabytes."""
FREE_BYTES_COMFORTABLE: Final = 1_000_000_000
"""With less, the user is told."""


def _disk(settings: RunSettings) -> Diagnosis:
    """Return whether journals can be written to the folder of runs, which a run makes
    if needed."""
    folder = Path(settings.runs_dir).absolute()
    existing_folder = folder
    while not existing_folder.exists():
        existing_folder = existing_folder.parent
    if not existing_folder.is_dir() or not os.access(
        existing_folder, os.W_OK | os.X_OK
    ):
        text = f"{existing_folder} cannot be written to"
        return Diagnosis("disk", "fault", text, "name another folder with --runs-dir")
    free_bytes = shutil.disk_usage(existing_folder).free
    text = f"{free_bytes / 1e9:.1f} GB free for {folder}"
    remedy = "free some, or name another folder with --runs-dir"
    if free_bytes < FREE_BYTES_NEEDED:
        return Diagnosis("disk", "fault", text, remedy)
    if free_bytes < FREE_BYTES_COMFORTABLE:
        return Diagnosis("disk", "note", text, remedy)
    return Diagnosis("disk", "ok", text)


def _models(settings: RunSettings, opened: OpenedBenchmark) -> Iterator[Diagnosis]:
    """Yield findings on the model that the solver asks, and on those of its roles."""
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
        yield Diagnosis("model", "fault", str(error), "name one with --model")
        return

    if (
        not solver.roles
    ):  # For example, a program of the user that has models of its own.
        yield Diagnosis("model", "ok", f"the solver {settings.agent} asks none")
        return
    if local_model is None:
        yield from probe_endpoint(settings, settings)
    else:
        yield Diagnosis("model", "ok", f"{local_model.name}, without an endpoint")
    for role, model in settings.role.items():
        if role in solver.roles:
            yield from probe_endpoint(model, settings, role=role)


MAX_PROBE_TOKENS: Final = 1_000
"""The longest reply to a small question; a small model may fill a string without
end."""
PROBE_TIMEOUT_S: Final = 60.0
"""Seconds that the reply to a small question may take."""
LONG_MESSAGE_CHARS: Final = 4_000
"""The length of the message by which the speed of reading is measured."""
SHORT_REPLY_TOKENS: Final = 16
"""Enough for one word. Some endpoints refuse a smaller limit."""
TYPICAL_MESSAGE_TOKENS: Final = 6_000
"""The tokens of most trials' first request, the system prompt included."""
CHARS_PER_TOKEN: Final = 4
"""The usual ratio for English text, for estimates."""
SLOW_MESSAGE_S: Final = 60.0
"""A first message that takes longer is worth knowing before a run."""


@dataclass(frozen=True, slots=True)
class ModeProbe:
    """The outcome of a small question in one reply mode."""

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
        last_probe = probes[-1]
        remedy = "correct the model's name or its settings; a slow model needs a faster machine"
        if last_probe.is_fatal:
            remedy = "start it, or correct its address (--base-url) or its key; see docs/models.md"
        yield Diagnosis("endpoint", "fault", last_probe.fault, remedy)
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


def _probe_modes(model: ModelSettings) -> list[ModeProbe]:
    """Ask one small question in each reply mode that a run would try, and return the
    outcomes.

    If the endpoint itself does not work, its fault is the last outcome.
    """
    modes = (
        list(ReplyMode) if model.reply_mode == "auto" else [ReplyMode(model.reply_mode)]
    )
    probes: list[ModeProbe] = []
    for mode in modes:
        probe = probe_mode(model, mode)
        probes.append(probe)
        has_answered = any(earlier.reply is not None for earlier in probes)
        if probe.is_fatal and not has_answered:
            break
    return probes


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


def _mode_finding(probe: ModeProbe, *, some_mode_works: bool) -> Diagnosis:
    """Return the finding on one mode: a fault only if no other mode works either."""
    if not probe.fault:
        return Diagnosis("reply mode", "ok", f"{probe.mode} works")
    text = f"{probe.mode}: {probe.fault}"
    if some_mode_works:
        return Diagnosis("reply mode", "note", text, "a run takes the best mode")
    remedy = "give it more --max-output-tokens, or take another model: it follows none of the forms"
    return Diagnosis("reply mode", "fault", text, remedy)


def _fault_of(reply: Reply, mode: ReplyMode) -> str:
    """Return why a reply mode does not work; empty if it works."""
    if reply.reply_mode != mode:
        return f"refused; the endpoint takes {reply.reply_mode}"

    # Read the reply as a trial would: its action is in a tool call, or else in its
    # text.
    call = action_call(reply)
    if call is not None:
        action = action_of(
            call.arguments, reply.finish_reason, reasoning=reply.reasoning
        )
    else:
        action = action_of(
            reply.text,
            reply.finish_reason,
            other_calls=reply.tool_calls,
            reasoning=reply.reasoning,
        )
    if isinstance(action, Unusable):
        return action.reason
    return ""


def _first_message(model: ModelSettings, settings: RunSettings) -> Diagnosis:
    """Measure how fast the model reads, and return how long the first message of a
    trial takes."""
    remedy = "lower --initial-prompt-chars, and set --model-timeout above that"
    bounded = bounded_settings(model, ReplyMode.TEXT, max_tokens=SHORT_REPLY_TOKENS)
    # The number makes the text different each time, so that it is in no cache of the
    # endpoint.
    line = f"{time.time_ns()} is a number without meaning.\n"
    text = line * (LONG_MESSAGE_CHARS // len(line)) + "Reply with one word: ready"
    began = time.perf_counter()
    try:
        with closing(open_endpoint(bounded)) as endpoint:
            reply = endpoint.complete([Message(role="user", content=text)], "check")
    except ModelError:
        seconds = bounded.model_timeout
        finding = f"a message of {LONG_MESSAGE_CHARS:,} characters got no reply in {seconds:g} s"
        return Diagnosis("first message", "note", finding, remedy)
    elapsed_s = time.perf_counter() - began

    tokens_per_s = max(reply.usage.prompt_tokens, 1) / elapsed_s
    typical_s = TYPICAL_MESSAGE_TOKENS / tokens_per_s
    longest_tokens = settings.initial_prompt_chars / CHARS_PER_TOKEN
    longest_s = longest_tokens / tokens_per_s
    finding = (
        f"{tokens_per_s:,.0f} tokens a second are read: a first message of "
        f"{TYPICAL_MESSAGE_TOKENS:,} tokens takes about {typical_s:.0f} s, "
        f"one of {settings.initial_prompt_chars:,} characters {longest_s:.0f} s"
    )
    is_slow = typical_s > SLOW_MESSAGE_S
    return Diagnosis("first message", "note" if is_slow else "ok", finding, remedy)


def _price(model: ModelSettings, settings: RunSettings, reply: Reply) -> Diagnosis:
    """Return whether the price of replies is known, which limits of cost need."""
    if reply.cost_usd is not None:
        return Diagnosis("price", "ok", "the vendor says what each reply costs")
    prices = model.prices
    if prices:
        text = f"${prices.input:g} in, ${prices.output:g} out per million tokens, by your prices"
        return Diagnosis("price", "ok", text)
    price = public_price(model.model, model.base_url)
    if price is not None and price.is_gateway:
        text = f"the list price of {model.model}; the gateway at this address may charge otherwise"
        return Diagnosis("price", "ok", text)
    if price is not None:
        return Diagnosis(
            "price", "ok", f"{model.model} is in the table of genai-prices"
        )
    is_limited = settings.run_cost is not None or settings.trial_cost is not None
    remedy = (
        """give it as --prices '{"input": USD, "output": USD}' per million tokens"""
    )
    state: State = "fault" if is_limited else "note"
    return Diagnosis("price", state, f"unknown for {model.model}", remedy)


@click.command("trust")
@click.argument("file", type=click.Path(path_type=Path), default=CONFIG_FILE)
def trust_command(file: Path) -> None:
    """Trust FILE, by default the controlplane.toml of the working folder, as it is now.

    Until then a configuration in a folder sets only limits, seeds and names: it starts
    no program, imports no module, and names no address, key, price, isolation or place
    to write. After a change of the file, or of a module beside it that it or such a
    module names, it has to be trusted again.
    """
    with as_usage_error(f"cannot read {file}", OSError):
        content = config_bytes(file)
    with as_usage_error(
        f"cannot remember the trust; name the file in each call by --config {file}",
        OSError,
    ):
        trust(file, content)
    say(f"trusted as it is now: {file}")
