"""Whether a rule of the environment judges calls before they are sent, by the user's settings.

The rule `support/before` judges calls if the run uses the rule set `support`, and the user has not
switched the rule off.
"""

import pytest

from controlplane.agent.judging import GateSettings
from controlplane.agent.pre_call_rule import is_pre_call_rule_on
from controlplane.gates.gate_policy import GatePolicy


@pytest.mark.parametrize(
    ("rule_name", "gates", "is_on"),
    [
        pytest.param(
            "support/before", GateSettings(rule_sets=("support",)), True, id="used"
        ),
        pytest.param(
            "support/before",
            GateSettings(GatePolicy({"support/before": "off"}), rule_sets=("support",)),
            False,
            id="switched off",
        ),
        pytest.param(
            "support/before", GateSettings(rule_sets=()), False, id="no rule set"
        ),
        pytest.param(
            "support/before",
            GateSettings(rule_sets=("files",)),
            False,
            id="another rule set",
        ),
        pytest.param("", GateSettings(rule_sets=("support",)), False, id="no rule"),
    ],
)
def test_a_rule_judges_calls_if_its_rule_set_is_used_and_it_is_not_switched_off(
    rule_name: str, gates: GateSettings, is_on: bool
) -> None:
    assert is_pre_call_rule_on(rule_name, gates) is is_on
