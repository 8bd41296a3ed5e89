"""The setting `--provenance` says what happens to a call with a value of an untrusted text.

Such a text is a mail, say. The setting is a list with commas between: `approve,send=block` asks the user
about such calls, except for those of the operation `send`, which are never sent.
"""

from controlplane.agent.evidence import parse_policy


def test_the_first_word_is_the_mode_of_all_operations() -> None:
    policy = parse_policy("approve,send=block")

    assert policy.mode_of("pay") == "approve"


def test_an_operation_may_have_a_mode_of_its_own() -> None:
    policy = parse_policy("approve,send=block,find=off")

    assert policy.mode_of("send") == "block"
    assert policy.mode_of("find") == "off"


def test_results_of_an_operation_may_be_trusted() -> None:
    policy = parse_policy("approve,read_calendar=trusted")

    assert policy.trusted == {"read_calendar"}


def test_only_some_arguments_of_an_operation_may_matter() -> None:
    """Here they are the recipient and the amount, and not, for example, the subject."""
    policy = parse_policy("approve,send=only:to+amount")

    assert policy.deciding_arguments == {"send": ("to", "amount")}


def test_an_operation_may_find_records_by_an_argument() -> None:
    """If `get_user(id="u7")` finds a user, the value `u7` is trusted from then on."""
    policy = parse_policy("approve,get_user=keys:id")

    assert policy.lookup_arguments == {"get_user": ("id",)}


def test_all_parts_may_stand_in_one_setting() -> None:
    policy = parse_policy(
        "approve,send=block,read_calendar=trusted,send=only:to+amount,get_user=keys:id"
    )

    assert policy.mode_of("pay") == "approve"
    assert policy.mode_of("send") == "block"
    assert policy.trusted == {"read_calendar"}
    assert policy.deciding_arguments == {"send": ("to", "amount")}
    assert policy.lookup_arguments == {"get_user": ("id",)}


def test_the_default_setting_is_ask() -> None:
    """With `ask`, the call is held until the model makes it again."""
    assert parse_policy("").mode_of("pay") == "ask"


def test_the_setting_may_be_off() -> None:
    assert parse_policy("off").mode_of("pay") == "off"
