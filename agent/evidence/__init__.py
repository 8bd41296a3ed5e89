"""The record of a trial: its environment, its calls and events, and the paths that they make citable."""

from agent.evidence.evidence_log import EvidenceLog
from agent.evidence.provenance import ProvenancePolicy
from agent.evidence.recorder import LOST, Environment, Recorder, SideBySide, Waiting
