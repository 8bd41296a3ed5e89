"""The record of a trial: its environment, its calls
and events, and the paths that they make citable."""

from controlplane.agent.evidence.environment import (
    Environment,
    Printing,
    SideBySide,
    Waiting,
)
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.provenance_policy import ProvenancePolicy
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape import (
    Difference,
    RecordDiverged,
    Tape,
    TapedModels,
    TapedSideReplies,
)
