"""Starts what the aides of a run are forked from while the run's own modules are still imported.

Both take as long, and a machine has more than one core.
"""

from __future__ import annotations

from importlib import import_module

from agent.submission import JUDGING_MODULE
from controlplane.configuration.named_modules import BENCHMARKS
from controlplane.configuration.run_settings import AUTOMATIC, RunSettings
from sandbox import ForkServer, Wall, parse_walls


def early_server(settings: RunSettings) -> ForkServer | None:
    """Return a server that starts, if a run with these settings is sure to need it: a player by rules plays here.

    What the benchmark's module names in `EARLY_MODULES` is imported for aides before the benchmark is opened.
    """
    if settings.model or settings.workers != AUTOMATIC or settings.benchmark not in BENCHMARKS:
        return None
    meanwhile = getattr(import_module(BENCHMARKS[settings.benchmark]), "EARLY_MODULES", ())
    try:
        walls = parse_walls(settings.walls)
    except ValueError:
        return None
    if not meanwhile:
        return None
    server = ForkServer()
    server.launch_early((JUDGING_MODULE, *meanwhile), with_kernel=Wall.KERNEL in walls)
    return server
