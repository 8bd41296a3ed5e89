"""Whether a rule of the environment judges calls before they are sent, by the user's settings."""

import pytest

from controlplane.agent.submission import GateSettings
from controlplane.agent.submission.pre_call_rule import is_pre_call_rule_on
from controlplane.gates.gate_policy import GatePolicy

SWITCHED_OFF = GatePolicy({"support/before": "off"})


@pytest.mark.parametrize(
    ("rule_name", "gates", "is_on"),
    [
        ("support/before", GateSettings(rule_sets=("support",)), True),
        ("support/before", GateSettings(SWITCHED_OFF, rule_sets=("support",)), False),
        ("support/before", GateSettings(rule_sets=()), False),
        ("support/before", GateSettings(rule_sets=("files",)), False),
        ("", GateSettings(rule_sets=("support",)), False),
    ],
    ids=["used", "switched off", "no rule set", "another rule set", "no rule"],
)
def test_a_rule_judges_calls_if_its_rule_set_is_used_and_it_is_not_switched_off(
    rule_name: str, gates: GateSettings, is_on: bool
) -> None:
    assert is_pre_call_rule_on(rule_name, gates) is is_on
