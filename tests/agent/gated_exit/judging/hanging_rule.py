"""A rule set as a user writes it, with a rule that never ends.

`find_verdicts(worker, submission, evidence, case, rule_sets=("ecom", HANGING))` judges by it.
"""

from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Opinion
from controlplane.gates.rules import Rule, RuleSet
from controlplane.gates.submission import Case, Submission


def hang(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Never give an opinion, as a rule with a mistake does."""
    while True:
        pass


HANGING_RULE_SET = RuleSet("hanging", (Rule("hangs", hang),))
HANGING = "tests.agent.gated_exit.judging.hanging_rule:HANGING_RULE_SET"
"""The name by which a run imports the rule set."""
