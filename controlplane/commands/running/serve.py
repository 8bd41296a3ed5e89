"""`controlplane serve`: a benchmark, served over the wire that agents of the remote platform speak."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any

import click
from pydantic import ValidationError

from controlplane.benchmark import BenchmarkContext, BenchmarkError
from controlplane.commands.setting_options import SET, pairs_of
from controlplane.commands.shell_words import complete_benchmark, complete_task
from controlplane.configuration.named_modules import open_benchmark, refused, wire_server
from controlplane.configuration.setting_sources import fault_text
from controlplane.errors import UsageError, did_you_mean
from controlplane.task_selection import TaskSelection

KEY_VARIABLE = "CONTROLPLANE_SERVE_KEY"


@click.command("serve")
@click.argument("tasks", nargs=-1, metavar="[TASK]...", shell_complete=complete_task)
@click.option(
    "--benchmark", default="ecom", shell_complete=complete_benchmark, help="The benchmark to serve.  [default: ecom]"
)
@click.option("--host", default="127.0.0.1", help="The address to listen on.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port; 0 for a free one.  [default: 0]")
@click.option("--policy", type=click.Choice(["open", "blind"]), default="open", help="Whether scores are shown.")
@click.option(
    "--api-key", default="", help=f"The key that clients must send; better set {KEY_VARIABLE}, which no list shows."
)
@click.option("--seed", type=int, default=0, help="The seed of every run.  [default: 0]")
@click.option("--repeats", type=click.IntRange(1), default=1, help="Tries of each task in a run.  [default: 1]")
@click.option("--limit", type=click.IntRange(1), default=None, help="At most so many tasks a run.")
@click.option("--reveal-after", type=float, default=None, help="Seconds until a submitted run's scores are out.")
@click.option(
    "--failing-start", type=click.IntRange(0), multiple=True, help="A trial that cannot start, by its number from 0."
)
@click.option("--outage", multiple=True, metavar="METHOD=SECONDS", help="A method that answers 503 for a while.")
@click.option("--fault", "faults", multiple=True, metavar="NAME=VALUE", help="A fault to make, as unavailable=0.01.")
@SET
def command(
    tasks: tuple[str, ...], benchmark: str, faults: tuple[str, ...], pairs: tuple[str, ...], **options: Any
) -> None:
    """Serve a benchmark until a signal ends it; runs consist of the TASKs (or families) named, of all by default."""
    server = wire_server()
    settings = pairs_of(pairs)
    choices = _choices(server, tasks, faults, options)
    opened = open_benchmark(benchmark, settings, BenchmarkContext())
    served = opened.benchmark
    try:
        choices.selection.task_ids(served.describe())
        choices = dataclasses.replace(choices, aide_modules=opened.aide_modules)
        server.serve(served, choices, on_listening=lambda url: click.echo(f"listening on {url}"))
    except BenchmarkError as error:
        raise refused(error) from error
    finally:
        served.close()


def _choices(server: Any, tasks: tuple[str, ...], faults: tuple[str, ...], options: Mapping[str, Any]) -> Any:
    """Return the server's options. Raises `UsageError` for an impossible share or time."""
    shares = pairs_of(faults, "--fault NAME=NUMBER")
    outages = pairs_of(options["outage"], "--outage METHOD=SECONDS")
    try:
        return server.ServerOptions(
            host=options["host"],
            port=options["port"],
            policy=options["policy"],
            api_key=options["api_key"] or os.environ.get(KEY_VARIABLE, ""),
            selection=TaskSelection(tasks, options["limit"], options["repeats"]),
            seed=options["seed"],
            reveal_after_s=options["reveal_after"],
            faults=server.Faults(
                **shares,
                failing_starts=frozenset(options["failing_start"]),
                outages=tuple(server.Outage(method=method, duration_s=seconds) for method, seconds in outages.items()),
            ),
        )
    except ValidationError as error:
        fault = error.errors()[0]
        name = str(fault["loc"][-1]) if fault["loc"] else ""
        msg = f"{name}: {fault_text(fault)}" if name else fault_text(fault)
        if fault["type"] == "unexpected_keyword_argument":
            known = [each.name for each in dataclasses.fields(server.Faults)]
            msg = f"--fault knows no {name!r}{did_you_mean(name, known)}"
        raise UsageError(msg) from error
