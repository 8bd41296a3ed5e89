"""Whether a rule of the environment judges the calls of a trial before they are sent.

An environment may declare such a rule for calls that change something: `support/before` is the
rule `before` of the rule set `support`. The user decides whether it judges:

    --rule-sets support                                it judges
    --rule-sets support --gates support/before=off     it does not: it is switched off
    --rule-sets none                                   it does not: its rule set is not used
"""

from __future__ import annotations

from controlplane.agent.judging import GateSettings


def is_pre_call_rule_on(rule_name: str, gates: GateSettings) -> bool:
    """Return True if a rule, such as `support/before`, judges calls; False if there is none, ``."""
    if not rule_name:
        return False
    rule_set = rule_name.partition("/")[0]
    if rule_set not in gates.rule_sets:
        return False
    # Unless the user says otherwise, the rule asks: it stops a call, but the model may insist.
    enforcement = gates.policy.enforcement_of(rule_name, declared="ask")
    return enforcement != "off"
