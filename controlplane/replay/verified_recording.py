"""What a rerun needs of a recorded trial, and how the rerun is isolated."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from controlplane.agent.evidence import ProvenancePolicy, parse_policy
from controlplane.agent.judging import GateSettings
from controlplane.agent.limits.trial_limits import DEFAULT_LIMITS, TrialLimits
from controlplane.agent.loop import TrialContext
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.configuration.recorded_settings import replay_settings_here
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import UsageError
from controlplane.journal.journal_reader import Journal
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.lifecycle.resources.gate_policies import gate_policy
from controlplane.lifecycle.resources.opening_resources import (
    loop_settings,
    trial_limits,
)
from controlplane.lifecycle.resources.run_sandbox import check_isolation
from controlplane.sandbox import ALL_LAYERS, Ending, ForkServer, Layer, Limits
from controlplane.sandbox.interface import ToolSchema

# A recorded trial, and the settings of a rerun of it.

ENDED_BY_SANDBOX: Final = (Ending.LIMIT, Ending.KILLED)
"""The sandbox ended these steps. They are not run again: the machine decides how far they get."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded trial, with everything that the results of its scripts and gates depend on."""

    trial: TrialContext
    tool_schema: ToolSchema
    record: TrialRecord
    provenance: ProvenancePolicy = field(default_factory=ProvenancePolicy)
    """The policy about calls that would change something by a value from untrusted text."""


@dataclass(frozen=True, slots=True)
class RerunSettings:
    """The settings of a rerun."""

    gates: GateSettings = field(default_factory=GateSettings)
    limits: Limits = field(default_factory=Limits)
    isolation: frozenset[Layer] = ALL_LAYERS
    compare_errors: bool = True
    """False under another minor version of Python, whose error messages may differ."""


def recording_of(
    trial: RecordedTrial, server: ForkServer, isolation: frozenset[Layer]
) -> Recording | None:
    """Return what is needed to run a trial again; None if the trial never started.

    Raises `UsageError` if it has scripts, and a layer of `isolation` does not work here.
    """
    record = trial.record
    started = record.started
    if started is None:
        return None
    if any(step.code for step in record.step_summaries):
        check_isolation(server, isolation)
    context = TrialContext(
        trial.trial_id,
        started.task_id,
        started.instruction,
        record.start_time,
        origin=record.origin,
        limits=_recorded_limits(trial.journal),
    )
    tool_schema = tool_schema_from_text(started.tool_schema)
    return Recording(context, tool_schema, record, _recorded_provenance(trial.journal))


def _recorded_limits(journal: Journal) -> TrialLimits:
    """Return the limits of a trial; the defaults if the journal's settings are not valid.

    Calls that the journal has go by it, so these limits refuse only what a script does beyond.
    """
    with suppress(UsageError):
        return trial_limits(replay_settings_here(journal))
    return DEFAULT_LIMITS


def _recorded_provenance(journal: Journal) -> ProvenancePolicy:
    """Return the provenance policy of the run; `off` if the journal does not tell.

    It decides about calls that would change something by a value from untrusted text.
    """
    setting = journal.setting("provenance")
    with suppress(ValueError):
        return parse_policy(str(setting or "off"))
    return ProvenancePolicy()


def replay_isolation(isolation: str | None = None) -> frozenset[Layer]:
    """Return the layers of the sandbox that isolate replayed scripts.

    The text `isolation` names them or, without it, the setting of this name in the
    environment or controlplane.toml. By default all layers are used. Raises `UsageError`.
    """
    values = {} if isolation is None else {"isolation": isolation}
    resolved = resolve(values, os.environ, Path.cwd())
    return loop_settings(resolved.settings).isolation


def rerun_settings(
    journal: Journal,
    rule_sets: tuple[str, ...],
    isolation: frozenset[Layer],
    *,
    compare_errors: bool,
) -> RerunSettings:
    """Return the settings of a rerun with these `rule_sets` and this `isolation`."""
    settings = replay_settings_here(journal)
    loop = loop_settings(settings)
    policy = gate_policy(settings.gates, settings.rule_sets, rule_sets)
    if journal.is_own:
        # Only the language layer influences the results of scripts. So it is on or off
        # as in the run. In a journal of somebody else it is not switched off.
        isolation = isolation - {Layer.LANGUAGE}
        if Layer.LANGUAGE in loop.isolation:
            isolation = isolation | {Layer.LANGUAGE}
    return RerunSettings(
        GateSettings(policy, rule_sets), loop.limits, isolation, compare_errors
    )
