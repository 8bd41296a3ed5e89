"""The calls of a trial, and what they make citable: its evidence.

A script works in an environment of files and tools. Its calls are checked, sent and recorded
by a `Recorder`, which learns from the results. If the trial is resumed or replayed, the
recorded outcomes come from a `Tape`. The gates judge an answer by the `EvidenceLog`.
"""

from controlplane.agent.evidence.environment import (
    Environment,
    Printing,
    SideBySide,
    Waiting,
)
from controlplane.agent.evidence.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.policy import (
    ApproveCall,
    ProvenancePolicy,
    parse_policy,
)
from controlplane.agent.evidence.recorder import Recorder, new_recorder
from controlplane.agent.evidence.tape import (
    Difference,
    RecordDiverged,
    Tape,
)
