"""The eight gates: ordered, deterministic checks of a submission."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gates.ordered_gates import ALL_GATES as ALL_GATES
    from gates.ordered_gates import Findings as Findings
    from gates.ordered_gates import conclude as conclude
    from gates.ordered_gates import find_faults as find_faults
    from gates.ordered_gates import judge as judge
    from gates.rule_packs import REGISTERED as REGISTERED
    from gates.rule_packs import Pack as Pack
    from gates.rule_packs import PackError as PackError
    from gates.rule_packs import Recomputation as Recomputation
    from gates.rule_packs import Rule as Rule
    from gates.rule_packs import load_pack as load_pack
    from gates.types.submission import OUTCOMES as OUTCOMES
    from gates.types.submission import Case as Case
    from gates.types.submission import Probe as Probe
    from gates.types.submission import ProbeReply as ProbeReply
    from gates.types.submission import Submission as Submission
    from gates.types.verdict import GATE_NAMES as GATE_NAMES
    from gates.types.verdict import Judgement as Judgement
    from gates.types.verdict import Verdict as Verdict

_HOMES = {
    "ordered_gates": (
        "ALL_GATES",
        "Findings",
        "conclude",
        "find_faults",
        "judge",
    ),
    "rule_packs": (
        "REGISTERED",
        "Pack",
        "PackError",
        "Recomputation",
        "Rule",
        "load_pack",
    ),
    "types.submission": (
        "OUTCOMES",
        "Case",
        "Probe",
        "ProbeReply",
        "Submission",
    ),
    "types.verdict": (
        "GATE_NAMES",
        "Judgement",
        "Verdict",
    ),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
