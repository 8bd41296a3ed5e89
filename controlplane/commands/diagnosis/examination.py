"""Examines whether a run would work: this machine, the benchmark, and the models.

`doctor` prints each finding as soon as it is there, since an endpoint may take a minute.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from controlplane.benchmark import (
    Benchmark,
    BenchmarkContext,
    BenchmarkError,
    MachineFinding,
    OpenedBenchmark,
)
from controlplane.commands.diagnosis.diagnosis import Diagnosis, State
from controlplane.commands.diagnosis.endpoint_probe import probe_endpoint
from controlplane.commands.diagnosis.machine_checks import (
    disk_finding,
    isolation_finding,
)
from controlplane.configuration import named_modules
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import ControlPlaneError
from controlplane.lifecycle.resources.models.players import model_without_endpoint
from controlplane.quantity_texts import count_text


def examine(settings: RunSettings) -> Iterator[Diagnosis]:
    """Yield a finding for each thing that a run needs, in the order in which it needs them."""
    yield isolation_finding(settings)
    yield disk_finding(settings)
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
        if opened.machine_check is not None:
            yield _machine(opened.machine_check())
        yield from _models(settings, opened)


def _platform(settings: RunSettings, benchmark: Benchmark) -> Diagnosis:
    """Return whether the benchmark can be reached: it is asked for the list of its tasks."""
    try:
        tasks = count_text(len(benchmark.describe().tasks), "task")
    except BenchmarkError as error:
        text = str(named_modules.as_command_error(error))
        remedy = "see docs/remote.md for its settings"
        return Diagnosis("platform", "fault", text, remedy)
    return Diagnosis("platform", "ok", f"{settings.benchmark}: {tasks}")


def _machine(finding: MachineFinding) -> Diagnosis:
    """Return whether this machine can start what the benchmark's trials need."""
    state: State = "ok" if finding.works else "fault"
    if finding.works is None:
        state = "unknown"
    return Diagnosis("containers", state, finding.text, finding.remedy)


def _models(settings: RunSettings, opened: OpenedBenchmark) -> Iterator[Diagnosis]:
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
