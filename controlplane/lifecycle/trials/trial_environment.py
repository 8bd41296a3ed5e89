"""The environment of a trial, as the solver's calls reach it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from controlplane.agent.evidence import Environment, Printing, Waiting
from controlplane.agent.loop import TrialClock
from controlplane.benchmark import Trial
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.trials.call_watch import CallWatch
from controlplane.lifecycle.trials.trial_reports import TrialReports
from controlplane.lifecycle.trials.watched_environment import WatchedEnvironment


@contextmanager
def open_environment(
    trial: Trial, clock: TrialClock, resources: RunResources, reports: TrialReports
) -> Iterator[Environment]:
    """Yield the trial's environment, with the tools of the user's MCP servers.

    The servers are started for this trial, and end with it.
    """
    watched = _watched(trial.environment, clock, resources, reports)
    tools = resources.spec.tools
    if tools is None:
        yield watched
        return
    from controlplane.mcp.offered_servers import with_tools

    # The user's `--reads` names tools of these servers that change nothing.
    tools = replace(tools, reads=resources.operations.reads)
    with with_tools(watched, tools, clock) as environment:
        for notice in environment.notices:
            resources.notices.show_once(notice)
        yield environment


def _watched(
    environment: Environment,
    clock: TrialClock,
    resources: RunResources,
    reports: TrialReports,
) -> WatchedEnvironment:
    """Return the benchmark's environment as one whose calls are timed and whose faults are shown.

    Two protocols are optional. A `Waiting` environment retries calls by itself and so has to know
    when the trial's time is over; a `Printing` one shows the user what its calls print.
    """
    if isinstance(environment, Waiting):
        environment.ends_at = clock.deadline
    if isinstance(environment, Printing):
        environment.show_output = reports.output
    return WatchedEnvironment(
        environment,
        resources.operations.of(environment),
        CallWatch(reports.controls, reports.fault),
    )
