"""With `provenance="ask"`, a suspicious call is sent if the model repeats it in a later step.

The request names the account GB29..., and a mail names DE89.... A call that pays to DE89... has a
value that only a text from outside contains. So the call is held back, and the script gets an
error, which says where the value comes from, and that the model may "make the same call again".
"""

from pathlib import Path

from tests.controlplane.tool_benchmark.held_calls.bank_with_mail import DE89, pay_to
from tests.controlplane.tool_benchmark.held_calls.paying_runs import play
from tests.controlplane.tool_benchmark.played_runs import check_replay_agrees


def test_with_ask_such_a_call_is_sent_if_it_is_repeated(tmp_path: Path) -> None:
    played = play(tmp_path, pay_to(DE89), pay_to(DE89), provenance="ask")

    assert played.paid_accounts == [DE89]
    assert played.held_calls == ["repeated and sent"]
    check_replay_agrees(played.report)


def test_with_ask_the_model_is_told_why_such_a_call_is_held_back(
    tmp_path: Path,
) -> None:
    """The page of the trial, which `replay` prints, has what the script printed: the error."""
    played = play(tmp_path, pay_to(DE89), pay_to(DE89), provenance="ask")

    assert "/calls/read_mail/" in played.page  # the call whose result has the value
    assert "make the same call again" in played.page


def test_with_ask_such_a_call_is_not_done_if_it_is_not_repeated(tmp_path: Path) -> None:
    played = play(tmp_path, pay_to(DE89), provenance="ask")

    assert played.paid_accounts == []
    assert played.held_calls == ["not done"]
