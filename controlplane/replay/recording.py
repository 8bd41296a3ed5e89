"""A recorded trial, and the settings of a rerun of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.evidence import ProvenancePolicy
from controlplane.agent.loop import TrialContext
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.submission import GateSettings
from controlplane.sandbox import (
    ALL_LAYERS,
    Ending,
    Layer,
    Limits,
)
from controlplane.sandbox.interface import ToolSchema

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
