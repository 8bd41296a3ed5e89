"""The tables of rules on the pages name every rule of the code, with what it objects to.

A rule objects to an answer. Its enforcement says what then happens: "ask" (the model is asked to
think again) or "block" (the answer is not accepted).
"""

from controlplane.benchmarks.shop.rule_set import RULE_SET
from controlplane.gates.verdicts import ENFORCEMENTS
from tests.documentation.rule_tables import (
    PAGES_OF_RULES,
    documented_rules,
    enforcement_of_general_rules,
    enforcement_of_shop_rules,
)


def test_every_rule_is_documented_once() -> None:
    """A rule has a row in one of the tables, and no row is about a rule that does not exist."""
    documented_keys = [row.key for row in documented_rules()]
    all_keys = {*enforcement_of_general_rules(), *enforcement_of_shop_rules()}

    assert sorted(documented_keys) == sorted(all_keys)


def test_the_enforcement_of_general_rules_is_documented_as_in_the_code() -> None:
    """General rules are those of the gates themselves; their keys begin with a digit."""
    documented: dict[str, str] = {}
    for row in documented_rules():
        if row.key[0].isdigit():
            documented[row.key] = row.enforcement

    assert documented == enforcement_of_general_rules()


def test_every_shop_rule_that_blocks_is_documented_as_such_with_its_reason() -> None:
    """A rule that may be wrong should only ask, so a row says why a rule may block."""
    enforcements = enforcement_of_shop_rules()
    blocking_keys: set[str] = set()
    for key, enforcement in enforcements.items():
        assert enforcement in ENFORCEMENTS
        if enforcement == "block":
            blocking_keys.add(key)

    documented_reasons: dict[str, str] = {}
    for row in documented_rules():
        if row.key in enforcements and row.enforcement == "block":
            documented_reasons[row.key] = row.objection

    assert documented_reasons.keys() == blocking_keys
    for key, reason in documented_reasons.items():
        assert reason != "", key


def test_the_page_says_that_all_shop_rules_ask_if_none_blocks() -> None:
    """The tables of the shop's rules have a column of enforcements only if one of them blocks."""
    if "block" not in enforcement_of_shop_rules().values():
        assert f"All rules of the rule set `{RULE_SET.name}` ask" in PAGES_OF_RULES


def test_every_row_says_what_a_rule_objects_to() -> None:
    """A row with a key and an enforcement alone would not help a reader."""
    for row in documented_rules():
        assert row.objection != "", row.key
