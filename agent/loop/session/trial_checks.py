"""Tells the recorder of a trial what the request is, and whether a rule judges its calls.

A mail that anybody could write must not choose the account for `pay(account="DE12")`. So the values
of such a call are looked up in the request. Moreover, an environment may declare a rule of a rule
set that judges a call before it is sent: `support/before` is the rule `before` of the set `support`.

    --rule-sets support                                the rule judges
    --rule-sets support --gates support/before=off     it does not: the user has switched it off
    --rule-sets none                                   it does not: its rule set is not used
"""

from __future__ import annotations

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.submission import GateSettings
from controlplane.sandbox.interface import ToolSchema


def set_checks(recorder: Recorder, instruction: str, gates: GateSettings) -> None:
    """Set the checks of a trial with this request, before it makes its first call."""
    recorder.checks.environment_check.is_on = _is_pre_call_check_on(
        gates, recorder.tool_schema
    )
    # Further texts of the user, and what happens to other values, are in the `CallSettings`.
    recorder.call_origins.add_request(instruction)

    # A script might hide a text of its own in a call, and cite it when the server returns it
    # decoded. Words that the script was given, such as those of the request, hide nothing.
    recorder.evidence_log.add_given_text(instruction)


def _is_pre_call_check_on(gates: GateSettings, tool_schema: ToolSchema) -> bool:
    """Return True if a rule judges each changing call before it is made."""
    rule_name = tool_schema.pre_call_check  # empty if the environment has no such rule
    rule_set = rule_name.partition("/")[0]
    if not rule_set or rule_set not in gates.rule_sets:
        return False
    # Unless the user says otherwise, the rule asks: it stops a call, but the model may insist.
    enforcement = gates.policy.enforcement_of(rule_name, declared="ask")
    return enforcement != "off"
