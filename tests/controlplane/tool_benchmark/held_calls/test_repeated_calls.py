"""With `provenance="ask"`, a suspicious call is made if the agent repeats it in a later step.

The request names the account GB29..., and a mail names DE89.... A call that pays to DE89... has a value
that only a text from outside contains. It is held back, and the model is told that it may "make the
same call again".
"""

from pathlib import Path

from tests.controlplane.tool_benchmark.held_calls.bank_with_mail import DE89, pay_to
from tests.controlplane.tool_benchmark.held_calls.paying_runs import play
from tests.controlplane.tool_benchmark.played_runs import check_replay_agrees


def test_with_ask_such_a_call_is_sent_if_it_is_repeated(tmp_path: Path) -> None:
    """The model is told that it may make the same call again."""
    played = play(tmp_path, pay_to(DE89), pay_to(DE89), provenance="ask")

    assert played.paid_accounts == [DE89]
    assert played.held_calls == ["repeated and sent"]
    assert "/calls/read_mail/" in played.page
    assert "make the same call again" in played.page
    check_replay_agrees(played.report)


def test_with_ask_such_a_call_is_not_done_if_it_is_not_repeated(tmp_path: Path) -> None:
    played = play(tmp_path, pay_to(DE89), provenance="ask")

    assert played.paid_accounts == []
    assert played.held_calls == ["not done"]
