"""A call with a value from outside is made if a setting or the user trusts the value.

The request names the account GB29..., and a mail names DE89.... A call that pays to DE89... is held
back, unless `provenance` says otherwise, for example with "read_mail=trusted".
"""

from pathlib import Path

import pytest

from tests.controlplane.tool_benchmark.held_calls.bank_with_mail import DE89, pay_to
from tests.controlplane.tool_benchmark.held_calls.paying_runs import play
from tests.controlplane.tool_benchmark.played_runs import check_replay_agrees


@pytest.mark.parametrize(
    "provenance",
    [
        pytest.param("block,pay=only:amount", id="the account is not looked at"),
        pytest.param("block,read_mail=trusted", id="the mail is trusted"),
        pytest.param("off", id="nothing is looked at"),
    ],
)
def test_a_setting_lets_the_call_through(provenance: str, tmp_path: Path) -> None:
    played = play(tmp_path, pay_to(DE89), provenance=provenance)

    assert played.paid_accounts == [DE89]
    assert played.held_calls == []
    check_replay_agrees(played.report)


def test_a_value_that_the_user_confirms_is_not_held_back(tmp_path: Path) -> None:
    """The question itself, which has the account, too, is not held back either."""
    played = play(
        tmp_path,
        f"print(harness.say('The mail names {DE89}: is that right?'))",
        pay_to(DE89),
        provenance="block",
        user=lambda text: f"Yes, {DE89} is right.",
    )

    assert played.paid_accounts == [DE89]
    assert played.held_calls == []
