"""What a gate says stays readable, and a run's policy turns gates, rules and packs on and off."""

import pytest

from gates.verdict import GatePolicy, Verdict, joined_faults, key_of, parse_gates


@pytest.mark.parametrize(("count", "last"), [(1, "0"), (8, "7"), (9, "… and 1 more of the same kind.")])
def test_eight_faults_are_named_and_the_rest_counted(count: int, last: str) -> None:
    named = joined_faults([str(number) for number in range(count)]).splitlines()
    assert named[-1] == last
    assert named[:8] == [str(number) for number in range(min(count, 8))]


@pytest.mark.parametrize(
    ("gate", "name", "key"),
    [(6, "outcome class", "6"), (6, "found-value", "6/found-value"), (0, "ecom/policy", "ecom/policy")],
)
def test_a_verdict_is_counted_under_its_gate_its_rule_or_its_pack(gate: int, name: str, key: str) -> None:
    assert key_of(gate, name) == Verdict(gate, name, "pass").key == key


@pytest.mark.parametrize(
    ("overrides", "key", "enforcement"),
    [
        ({}, "6", "block"),
        ({"6": "off"}, "6", "off"),
        ({"6": "off"}, "6/found-value", "off"),
        ({"6": "off", "6/found-value": "block"}, "6/found-value", "block"),
        ({"6/found-value": "off"}, "6", "block"),
        ({"6/found-value": "off"}, "6/wording", "ask"),
        ({"ecom": "off"}, "ecom/policy", "off"),
        ({"ecom": "block", "ecom/policy": "off"}, "ecom/policy", "off"),
        ({"ecom/policy": "off"}, "ecom/counted", "ask"),
    ],
)
def test_the_most_specific_setting_counts_and_else_the_rules_own(
    overrides: dict[str, str], key: str, enforcement: str
) -> None:
    gate, name = (6, key.removeprefix("6/")) if key.startswith("6") else (0, key)
    own = "block" if key == "6" else "ask"
    verdict = Verdict(gate, "outcome class" if key == "6" else name, "reject", "no", own)
    assert GatePolicy(overrides).enforcement(verdict) == enforcement


@pytest.mark.parametrize("text", ["9", "none,4", "x", "6=on", "=off", "", "6=", "4,all=yes"])
def test_an_enforcement_that_sets_nothing_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a gate|sets no enforcement"):
        parse_gates(text)


def test_a_pack_and_its_rules_are_set_by_name() -> None:
    assert parse_gates("ecom=ask,ecom/policy=off") == {"ecom": "ask", "ecom/policy": "off"}
