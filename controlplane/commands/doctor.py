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
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import click

from controlplane.benchmark import (
    Benchmark,
    BenchmarkContext,
    BenchmarkError,
    OpenedBenchmark,
)
from controlplane.commands.arguments.options import (
    AS_JSON,
    given_options,
    settings_options,
)
from controlplane.commands.diagnosis.diagnosis import Diagnosis
from controlplane.commands.diagnosis.endpoint_probe import probe_endpoint
from controlplane.configuration import named_modules
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import ControlPlaneError
from controlplane.lifecycle.resources.players import PLAYERS, model_without_endpoint
from controlplane.lifecycle.resources.run_limits import loop_settings
from controlplane.quantity_texts import count_text
from controlplane.sandbox import ForkServer, SandboxBroken, missing_layer
from controlplane.terminal_text import one_line, say

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
            _say_finding(finding)
    works = all(finding.state != "fault" for finding in findings)
    if as_json:
        shown = [dataclasses.asdict(finding) for finding in findings]
        print(json.dumps({"works": works, "findings": shown}))
    else:
        say("a run would work" if works else "a run would not work")
    raise SystemExit(0 if works else 1)


def _say_finding(finding: Diagnosis) -> None:
    state = click.style(f"{finding.state:5}", fg=STYLES[finding.state])
    say(f"{state}  {finding.what:13}  {one_line(finding.text)}", is_styled=True)
    if finding.remedy and finding.state != "ok":
        say(f"{'':7}{'':13}  → {finding.remedy}")


def examine(settings: RunSettings) -> Iterator[Diagnosis]:
    """Yield a finding for each thing that a run needs, in the order in which it needs them."""
    yield _isolation(settings)
    yield _disk(settings)
    try:
        opened = named_modules.open_benchmark(
            settings.benchmark, settings.set, BenchmarkContext()
        )
    except ControlPlaneError as error:
        remedy = "name a benchmark that `controlplane benchmarks list` shows"
        yield Diagnosis("platform", "fault", str(error), remedy)
        return
    with closing(opened.benchmark) as benchmark:
        yield _platform(settings, benchmark)
        yield from _models(settings, opened)


def _platform(settings: RunSettings, benchmark: Benchmark) -> Diagnosis:
    """Return whether the benchmark can list its tasks."""
    try:
        tasks = count_text(len(benchmark.describe().tasks), "task")
    except BenchmarkError as error:
        text = str(named_modules.as_command_error(error))
        remedy = "see docs/remote.md for its settings"
        return Diagnosis("platform", "fault", text, remedy)
    return Diagnosis("platform", "ok", f"{settings.benchmark}: {tasks}")


def _isolation(settings: RunSettings) -> Diagnosis:
    """Return whether the layers that isolate scripts, as far as the settings want them, work."""
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
"""With less free space, the finding is a note."""


def _disk(settings: RunSettings) -> Diagnosis:
    """Return whether journals can be written to the folder of runs, and the free space."""
    folder = Path(settings.runs_dir).absolute()
    existing = folder  # A run makes the folders that are missing below this one.
    while not existing.exists():
        existing = existing.parent
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        text = f"{existing} cannot be written to"
        return Diagnosis("disk", "fault", text, "name another folder with --runs-dir")

    free_bytes = shutil.disk_usage(existing).free
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

    if not solver.roles:
        # For example, a program of the user that has models of its own.
        yield Diagnosis("model", "ok", f"the solver {settings.agent} asks none")
        return
    if local_model is None:
        yield from probe_endpoint(settings, settings)
    else:
        yield Diagnosis("model", "ok", f"{local_model.name}, without an endpoint")
    for role, model in settings.role.items():
        if role in solver.roles:
            yield from probe_endpoint(model, settings, role=role)
