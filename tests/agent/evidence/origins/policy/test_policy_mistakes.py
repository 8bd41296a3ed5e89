"""A setting `--provenance` with a typo is refused: it must not leave an operation unprotected.

The setting says what happens to a call with a value of an untrusted text: `block,send=off`. Its names
are compared with the operations of the environment, and with their arguments.
"""

import pytest

from controlplane.agent.evidence import parse_policy
from controlplane.agent.evidence.origins.policy import fault_of_names

PARAMETERS_BY_OPERATION = {
    "pay": ["recipient", "amount", "subject"],
    "note": ["text"],
    "check": ["value"],
}


@pytest.mark.parametrize(
    "malformed",
    [
        pytest.param("maybe", id="unknown mode"),
        pytest.param("blok", id="misspelt mode"),
        pytest.param("send=never", id="unknown mode of an operation"),
        pytest.param("=block", id="no name of an operation"),
        pytest.param("send=only:", id="no names of arguments"),
    ],
)
def test_a_malformed_setting_is_refused(malformed: str) -> None:
    """A typo must not switch the protection off."""
    with pytest.raises(ValueError, match="is none of"):
        parse_policy(malformed)


@pytest.mark.parametrize(
    ("setting", "nearest_name"),
    [
        pytest.param("off,pya=block", "pay", id="operation with a mode"),
        pytest.param("block,pay=only:recipent", "recipient", id="argument"),
        pytest.param("block,chek=trusted", "check", id="trusted operation"),
    ],
)
def test_a_setting_with_an_unknown_name_is_refused_with_the_nearest_one(
    setting: str, nearest_name: str
) -> None:
    """A misspelt name would leave an operation unprotected."""
    policy = parse_policy(setting)

    fault = fault_of_names(policy, PARAMETERS_BY_OPERATION)

    assert f"did you mean '{nearest_name}'" in fault


def test_a_setting_with_known_names_has_no_fault() -> None:
    policy = parse_policy("block,pay=only:recipient+amount")

    assert fault_of_names(policy, PARAMETERS_BY_OPERATION) == ""
