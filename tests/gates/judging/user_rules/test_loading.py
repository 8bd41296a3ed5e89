"""A rule set that a user chooses by its name is loaded, or refused in one line.

A rule set has the rules for one kind of benchmark. It has a name, such as `ecom`, or is a Python
object: `package.module:NAME`. "nonesuch" is refused: "no rule set is called 'nonesuch': use one of
ecom, posed".
"""

from __future__ import annotations

import pytest

from controlplane.gates.worker_judging import RuleSetError, load_rule_set


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nonesuch", "no rule set is called 'nonesuch': use one of ecom, posed"),
        ("nowhere.at:ALL", "cannot be loaded"),
        ("json:nothing", "cannot be loaded"),
        ("json:dumps", "is a function, not a controlplane.gates.rules.RuleSet"),
    ],
)
def test_a_rule_set_that_cannot_be_loaded_is_refused_in_one_line(
    name: str, message: str
) -> None:
    with pytest.raises(RuleSetError, match=message) as raised:
        load_rule_set(name)

    assert "\n" not in str(raised.value)
