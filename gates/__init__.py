"""Eight ordered, deterministic checks of a submission."""

from gates.judge import ALL_GATES, judge
from gates.rule_packs import Pack, PackError, Rule, load_pack
from gates.types.evidence import Change, Evidence, Execution, Failure, Reference, Seen, Touch, index_text
from gates.types.submission import OUTCOMES, Case, Probe, ProbeReply, Submission
from gates.types.verdict import GATE_NAMES, Judgement, Verdict

__all__ = [
    "ALL_GATES",
    "GATE_NAMES",
    "OUTCOMES",
    "Case",
    "Change",
    "Evidence",
    "Execution",
    "Failure",
    "Judgement",
    "Pack",
    "PackError",
    "Probe",
    "ProbeReply",
    "Reference",
    "Rule",
    "Seen",
    "Submission",
    "Touch",
    "Verdict",
    "index_text",
    "judge",
    "load_pack",
]
