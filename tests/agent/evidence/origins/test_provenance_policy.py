"""The text of the setting `--provenance`, and the misspelt names that are found in it.

The setting says what happens to a call with a value of an untrusted text, such as a mail. It is a
list with commas between: `approve,send=block` asks the user about such calls, except for those of
the operation `send`, which are never sent.
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence import parse_policy
from controlplane.agent.evidence.origins.policy.policy_names import fault_of_names


class TestParts:
    """Each part of the setting says one thing, about all operations or about one.

    `parse_policy(text)` returns what the setting says, or raises `ValueError`.
    """

    def test_the_first_word_is_the_mode_of_all_operations(self) -> None:
        policy = parse_policy("approve,send=block")

        assert policy.mode_of("pay") == "approve"

    def test_an_operation_may_have_a_mode_of_its_own(self) -> None:
        policy = parse_policy("approve,send=block,find=off")

        assert policy.mode_of("send") == "block"
        assert policy.mode_of("find") == "off"

    def test_results_of_an_operation_may_be_trusted(self) -> None:
        policy = parse_policy("approve,read_calendar=trusted")

        assert policy.trusted == {"read_calendar"}

    def test_only_some_arguments_of_an_operation_may_matter(self) -> None:
        """Here they are the recipient and the amount, and not, for example, the subject."""
        policy = parse_policy("approve,send=only:to+amount")

        assert policy.deciding_arguments == {"send": ("to", "amount")}

    def test_an_operation_may_find_records_by_an_argument(self) -> None:
        """If `get_user(id="u7")` finds a user, the value `u7` is trusted from then on."""
        policy = parse_policy("approve,get_user=keys:id")

        assert policy.lookup_arguments == {"get_user": ("id",)}

    def test_all_parts_may_stand_in_one_setting(self) -> None:
        policy = parse_policy(
            "approve,send=block,read_calendar=trusted,send=only:to+amount,get_user=keys:id"
        )

        assert policy.mode_of("pay") == "approve"
        assert policy.mode_of("send") == "block"
        assert policy.trusted == {"read_calendar"}
        assert policy.deciding_arguments == {"send": ("to", "amount")}
        assert policy.lookup_arguments == {"get_user": ("id",)}


class TestDefaults:
    """Calls with untrusted values are held, unless the setting says otherwise."""

    def test_the_default_setting_is_ask(self) -> None:
        """With `ask`, the call is held until the model makes it again."""
        assert parse_policy("").mode_of("pay") == "ask"

    def test_the_setting_may_be_off(self) -> None:
        assert parse_policy("off").mode_of("pay") == "off"


PARAMETERS_BY_OPERATION = {
    "pay": ["recipient", "amount", "subject"],
    "note": ["text"],
    "check": ["value"],
}


class TestMistakes:
    """A setting with a typo is refused: it must not leave an operation unprotected.

    Its names are compared with the operations of the environment, and with their arguments.
    """

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
    def test_a_malformed_setting_is_refused(self, malformed: str) -> None:
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
        self, setting: str, nearest_name: str
    ) -> None:
        """A misspelt name would leave an operation unprotected."""
        policy = parse_policy(setting)

        fault = fault_of_names(policy, PARAMETERS_BY_OPERATION)

        assert f"did you mean '{nearest_name}'" in fault

    def test_a_setting_with_known_names_has_no_fault(self) -> None:
        policy = parse_policy("block,pay=only:recipient+amount")

        assert fault_of_names(policy, PARAMETERS_BY_OPERATION) == ""
