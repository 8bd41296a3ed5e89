"""Looks at everything that a run with these settings needs, one thing after the other, and starts no run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from controlplane.benchmark import BenchmarkContext, BenchmarkError, OpenedBenchmark
from controlplane.configuration import named_modules
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.trial_settings import loop_settings
from controlplane.doctor.diagnosis import Diagnosis
from controlplane.doctor.endpoint_probes import probe_endpoint
from controlplane.errors import ControlPlaneError
from controlplane.lifecycle.run_resources import PLAYERS, local_model
from sandbox import ForkServer, SandboxBroken, missing_wall

LEAST_BYTES: Final = 50_000_000
FEW_BYTES: Final = 1_000_000_000
"""A run of a hundred trials writes some ten megabytes."""


def examine(settings: RunSettings, profiles: Sequence[str]) -> Iterator[Diagnosis]:
    """Yield what is found, in the order in which a run would meet it; asks each model once per reply mode."""
    yield _walls(settings)
    yield _disk(settings)
    try:
        opened = named_modules.open_benchmark(settings.benchmark, settings.set, BenchmarkContext())
    except ControlPlaneError as error:
        yield Diagnosis("platform", "fault", str(error), "name a benchmark that `controlplane benchmarks list` shows")
        return
    try:
        yield _platform(settings, opened)
        yield from _models(settings, opened, profiles)
    finally:
        opened.benchmark.close()


def _walls(settings: RunSettings) -> Diagnosis:
    wanted = loop_settings(settings).walls
    try:
        with ForkServer() as server:
            missing = missing_wall(server, wanted)
    except SandboxBroken as error:
        return Diagnosis("walls", "fault", str(error), "see `python -m sandbox doctor`")
    if not missing:
        return Diagnosis("walls", "ok", f"{', '.join(sorted(wanted)) or 'none wanted'}")
    if settings.model in PLAYERS:
        return Diagnosis("walls", "note", missing, "a player by rules needs none")
    return Diagnosis("walls", "fault", missing, "raise it, or name the walls that stand with --walls")


def _disk(settings: RunSettings) -> Diagnosis:
    folder = Path(settings.runs_dir).absolute()
    there = next(each for each in (folder, *folder.parents) if each.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return Diagnosis("disk", "fault", f"{there} cannot be written to", "name another folder with --runs-dir")
    free = shutil.disk_usage(there).free
    text = f"{free / 1e9:.1f} GB free for {folder}"
    if free < FEW_BYTES:
        state: Final = "fault" if free < LEAST_BYTES else "note"
        return Diagnosis("disk", state, text, "free some, or name another folder with --runs-dir")
    return Diagnosis("disk", "ok", text)


def _platform(settings: RunSettings, opened: OpenedBenchmark) -> Diagnosis:
    try:
        described = opened.benchmark.describe()
    except BenchmarkError as error:
        return Diagnosis("platform", "fault", str(named_modules.refused(error)), "see docs/remote.md for its settings")
    return Diagnosis("platform", "ok", f"{settings.benchmark}: {len(described.tasks)} tasks")


def _models(settings: RunSettings, opened: OpenedBenchmark, profiles: Sequence[str]) -> Iterator[Diagnosis]:
    try:
        solver = named_modules.find_solver(settings.agent)
        scripts = solver.plays_scripts
        local = local_model(settings, opened.benchmark, plays_scripts=scripts) if solver.needs_model else None
    except ControlPlaneError as error:
        yield Diagnosis("model", "fault", str(error), "name one with --model")
        return
    if not solver.needs_model:
        yield Diagnosis("model", "ok", f"the solver {settings.agent} asks none")
        return
    if local is None:
        yield from probe_endpoint(settings, settings, profiles)
    else:
        yield Diagnosis("model", "ok", f"{local.name}, without an endpoint")
    for role, asked in settings.role.items():
        if role in solver.roles:
            yield from probe_endpoint(asked, settings, profiles, role=role)
