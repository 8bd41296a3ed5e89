"""`controlplane doctor`: checks whether a run would work here, and what to do if not.

It checks everything that a run with these settings needs, one thing after another, and starts no run. It asks a model
one small question in each reply mode to learn what works, how fast, and at what cost.
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

from controlplane.agent.model import ModelError, Reply, ReplyMode, public_price
from controlplane.agent.reply import SCHEMA, Unusable, action_call, action_of
from controlplane.benchmark import BenchmarkContext, BenchmarkError, OpenedBenchmark
from controlplane.commands.options import AS_JSON, given, settings_options
from controlplane.configuration import named_modules
from controlplane.configuration.config_file import config_bytes, trust
from controlplane.configuration.run_settings import ModelSettings, RunSettings
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import ControlPlaneError, UsageError, as_usage_error
from controlplane.journal.journal_lines import CONFIG_FILE
from controlplane.lifecycle.run_resources import PLAYERS, local_model, loop_settings, open_endpoint
from controlplane.sandbox import ForkServer, SandboxBroken, missing_layer
from controlplane.terminal_text import count_text, one_line, say

State: TypeAlias = Literal["ok", "note", "fault"]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The finding on one need of a run."""

    what: str
    """isolation, disk, platform, endpoint, reply mode, speed, price."""
    state: State
    """`fault`: a run would not work; `note`: a run would work, but something is worth knowing."""
    text: str
    remedy: str = ""
    """The remedy; empty if none is needed."""


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
)
@settings_options("prices", "role", "agent", "isolation", "runs_dir", "run_cost", "trial_cost")
@AS_JSON
def doctor_command(*, as_json: bool, **options: Any) -> None:
    """Check isolation, disk, platform, endpoint, reply modes, speed and price, and name remedies.

    It asks the model one small question in each reply mode, and starts no run. Exit code 0 only if a run would work.
    """
    resolved = resolve(given(options), os.environ, Path.cwd())
    findings = []
    for finding in examine(resolved.settings):
        findings.append(finding)
        if not as_json:
            state = click.style(f"{finding.state:5}", fg=STYLES[finding.state])
            say(f"{state}  {finding.what:10}  {one_line(finding.text)}", is_styled=True)
            if finding.remedy and finding.state != "ok":
                say(f"{'':7}{'':10}  → {finding.remedy}")
    works = all(finding.state != "fault" for finding in findings)
    if as_json:
        print(
            json.dumps(
                {"works": works, "findings": [dataclasses.asdict(finding) for finding in findings]}
            )
        )
    else:
        say("a run would work" if works else "a run would not work")
    raise SystemExit(0 if works else 1)


def examine(settings: RunSettings) -> Iterator[Diagnosis]:
    """Yield findings in the order of a run's needs; asks each model once per reply mode."""
    yield _isolation(settings)
    yield _disk(settings)
    try:
        opened = named_modules.open_benchmark(settings.benchmark, settings.set, BenchmarkContext())
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
            text = str(named_modules.refused(error))
            yield Diagnosis("platform", "fault", text, "see docs/remote.md for its settings")
        yield from _models(settings, opened)


def _isolation(settings: RunSettings) -> Diagnosis:
    wanted = loop_settings(settings).isolation
    try:
        with ForkServer() as server:
            missing = missing_layer(server, wanted)
    except SandboxBroken as error:
        return Diagnosis(
            "isolation", "fault", str(error), "see `python -m controlplane.sandbox doctor`"
        )
    if not missing:
        return Diagnosis("isolation", "ok", f"{', '.join(sorted(wanted)) or 'none wanted'}")
    if settings.model in PLAYERS:
        return Diagnosis("isolation", "note", missing, "rule-based players need none")
    return Diagnosis(
        "isolation",
        "fault",
        missing,
        "see `python -m controlplane.sandbox doctor`, or name only working layers with --isolation",
    )


def _disk(settings: RunSettings) -> Diagnosis:
    folder = Path(settings.runs_dir).absolute()
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return Diagnosis(
            "disk", "fault", f"{there} cannot be written to", "name another folder with --runs-dir"
        )
    free = shutil.disk_usage(there).free
    # A run of a hundred trials writes about ten megabytes.
    state: State = "fault" if free < 50_000_000 else "note" if free < 1_000_000_000 else "ok"
    remedy = "" if state == "ok" else "free some, or name another folder with --runs-dir"
    return Diagnosis("disk", state, f"{free / 1e9:.1f} GB free for {folder}", remedy)


def _models(settings: RunSettings, opened: OpenedBenchmark) -> Iterator[Diagnosis]:
    try:
        solver = named_modules.find_solver(settings.agent)
        scripts = solver.plays_scripts
        local = (
            local_model(settings, opened.benchmark, plays_scripts=scripts, players=opened.players)
            if solver.roles
            else None
        )
    except ControlPlaneError as error:
        yield Diagnosis("model", "fault", str(error), "name one with --model")
        return
    if not solver.roles:
        yield Diagnosis("model", "ok", f"the solver {settings.agent} asks none")
        return
    if local is None:
        yield from probe_endpoint(settings, settings)
    else:
        yield Diagnosis("model", "ok", f"{local.name}, without an endpoint")
    for role, model in settings.role.items():
        if role in solver.roles:
            yield from probe_endpoint(model, settings, role=role)


def probe_endpoint(
    model: ModelSettings, settings: RunSettings, *, role: str = ""
) -> Iterator[Diagnosis]:
    """Yield findings on `model`, for a `role` or for the run."""
    import openai  # noqa: F401 - its import is slow, and no part of a reply

    name = f"{model.model} at {model.base_url or 'OpenAI'}" + (
        f" for the role {role}" if role else ""
    )
    faults: dict[ReplyMode, str] = {}
    replies: list[tuple[Reply, float]] = []
    for mode in ReplyMode if model.reply_mode == "auto" else (ReplyMode(model.reply_mode),):
        try:
            with closing(
                open_endpoint(model.model_copy(update={"reply_mode": str(mode)}))
            ) as endpoint:
                began = time.perf_counter()
                reply = endpoint.check(SCHEMA)
                replies.append((reply, time.perf_counter() - began))
        except (UsageError, ModelError) as error:
            faults[mode] = str(error)
            if isinstance(error, UsageError) or error.affects_all:
                remedy = (
                    "start it, or correct its address (--base-url) or its key; see docs/models.md"
                )
                yield Diagnosis("endpoint", "fault", faults[mode], remedy)
                return
        else:
            faults[mode] = _fault_of(reply, mode)
    if not replies:
        yield Diagnosis(
            "endpoint", "fault", faults.popitem()[1], "correct the model's name or its settings"
        )
        return
    yield Diagnosis("endpoint", "ok", f"{name} answers")
    state: State = "fault" if all(faults.values()) else "note"
    remedy = "give it more --max-output-tokens, or take another model: it follows none of the forms"
    for mode, fault in faults.items():
        if fault:
            text = f"{mode}: {fault}"
            yield Diagnosis(
                "reply mode",
                state,
                text,
                remedy if state == "fault" else "a run takes the best mode",
            )
        else:
            yield Diagnosis("reply mode", "ok", f"{mode} works")
    times_s = [elapsed_s for _, elapsed_s in replies]
    rate = sum(reply.usage.completion_tokens for reply, _ in replies) / sum(times_s)
    yield Diagnosis(
        "speed", "ok", f"{min(times_s):.2f} s a short reply, {rate:.0f} tokens a second"
    )
    yield _price(model, settings, replies[0][0])


def _fault_of(reply: Reply, mode: ReplyMode) -> str:
    """Return why a reply mode does not work; empty if it works."""
    if reply.reply_mode != mode:
        return f"refused; the endpoint takes {reply.reply_mode}"
    call = action_call(reply)
    action = action_of(call.arguments if call else reply.text, reply.finish_reason)
    return action.reason if isinstance(action, Unusable) else ""


def _price(model: ModelSettings, settings: RunSettings, reply: Reply) -> Diagnosis:
    if reply.cost_usd is not None:
        return Diagnosis("price", "ok", "the vendor says what each reply costs")
    if prices := model.prices:
        text = f"${prices.input:g} in, ${prices.output:g} out per million tokens, by your prices"
        return Diagnosis("price", "ok", text)
    price = public_price(model.model, model.base_url)
    if price is not None and price.is_gateway:
        text = f"the list price of {model.model}; the gateway at this address may charge otherwise"
        return Diagnosis("price", "ok", text)
    if price is not None:
        return Diagnosis("price", "ok", f"{model.model} is in the table of genai-prices")
    is_limited = settings.run_cost is not None or settings.trial_cost is not None
    remedy = """give it as --prices '{"input": USD, "output": USD}' per million tokens"""
    return Diagnosis(
        "price", "fault" if is_limited else "note", f"unknown for {model.model}", remedy
    )


@click.command("trust")
@click.argument("file", type=click.Path(path_type=Path), default=CONFIG_FILE)
def trust_command(file: Path) -> None:
    """Trust FILE, by default the controlplane.toml of the working folder, as it is now.

    Until then a configuration in a folder sets only limits, seeds and names: it starts no program, imports no module,
    and names no address, key, price, isolation or place to write. After a change of
    the file, or of a module beside it that it or such a module names, it has to be trusted again.
    """
    with as_usage_error(f"cannot read {file}", OSError):
        content = config_bytes(file)
    with as_usage_error(
        f"cannot remember the trust; name the file in each call by --config {file}", OSError
    ):
        trust(file, content)
    say(f"trusted as it is now: {file}")
