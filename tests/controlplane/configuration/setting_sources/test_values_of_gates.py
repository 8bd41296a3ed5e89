"""A wrong value of the setting `gates` is an error.

Gates are checks of answers, with the numbers 1 to 8. `4,6` is right for two of them, and `6=off`
for all but one. `9` "is not a gate".
"""

import pytest

from controlplane.lifecycle.resources.gate_policies import parse_gates


@pytest.mark.parametrize(
    ("text", "expected_error"),
    [
        pytest.param("9", "is not a gate", id="number of no gate"),
        pytest.param("none,4", "is not a gate", id="none, and a gate"),
        pytest.param("x", "is not a gate", id="letter"),
        pytest.param("", "is not a gate", id="nothing"),
        pytest.param("6=on", "sets no enforcement", id="unknown enforcement"),
        pytest.param("6=", "sets no enforcement", id="no enforcement"),
        pytest.param("=off", "sets no enforcement", id="enforcement of no gate"),
        pytest.param("4,all=yes", "sets no enforcement", id="enforcement of all gates"),
    ],
)
def test_a_wrong_value_of_the_option_gates_is_an_error(
    text: str, expected_error: str
) -> None:
    with pytest.raises(ValueError, match=expected_error):
        parse_gates(text)
