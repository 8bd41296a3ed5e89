"""The eight gates: ordered, deterministic checks of a submission."""

from gates.judge import ALL_GATES as ALL_GATES
from gates.judge import Findings as Findings
from gates.judge import conclude as conclude
from gates.judge import find_faults as find_faults
from gates.judge import judge as judge
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
