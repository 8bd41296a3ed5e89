"""A rule as a user writes it, which judges submissions beside the product's own rules.

A submission is an answer with the files that it cites. This rule wants `/AGENTS.MD` to be cited:

    find_verdicts(worker, submission_with(answer="8"), evidence, CASE, rule_sets=(OWN,))
    -> the last verdict is "reject": "`/AGENTS.MD` is not cited."
"""

from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Objection, Opinion
from controlplane.gates.rules import Rule, RuleSet
from controlplane.gates.submission import Case, Submission


def fault_of_uncited_rules(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Object to an answer that does not cite the workspace's rules, the file `/AGENTS.MD`."""
    return Objection(
        demands=(case.rules_path,), missing_message="{paths} is not cited."
    )


OWN_RULE_SET = RuleSet("own", (Rule("rules", fault_of_uncited_rules),))
OWN = "tests.agent.gated_exit.judging.own_rule:OWN_RULE_SET"
"""The name by which a run imports the rule set."""
