"""A replay runs a recorded trial again, and notes where it goes otherwise.

It takes all results of calls, and all decisions of the user, from the record. Nothing happens because
of it: nobody is asked, nothing is paid, and no events are written. `recorded_trial` has paid to one
account, after its user had refused another payment.
"""

from tests.agent.evidence.tape.paying_trial import PayingTrial


def test_a_replay_neither_asks_nor_pays_nor_writes_events(
    recorded_trial: PayingTrial,
) -> None:
    replay = PayingTrial(recorded_trial.events, is_replay=True)

    replay.run()

    assert replay.questions == []
    assert replay.paid == []
    assert replay.events == []


def test_a_replay_of_the_same_calls_gets_their_results_and_finds_no_difference(
    recorded_trial: PayingTrial,
) -> None:
    replay = PayingTrial(recorded_trial.events, is_replay=True)

    replay.run()

    assert replay.results == recorded_trial.results
    assert replay.tape.differences == []


def test_a_replay_notes_a_call_that_is_not_the_recorded_one(
    recorded_trial: PayingTrial,
) -> None:
    """The first call in the record has a path that is too long. The replay reads the mail first."""
    replay = PayingTrial(recorded_trial.events, is_replay=True)

    replay.call("read", path="/mail/m1.md")

    (difference,) = replay.tape.differences
    assert difference.field == "calls[0]"


def test_a_replay_goes_on_after_a_difference(recorded_trial: PayingTrial) -> None:
    """It makes a call that is not in the record, and then all of the recorded ones."""
    replay = PayingTrial(recorded_trial.events, is_replay=True)
    replay.call("read", path="/mail/m1.md")

    replay.run()

    _result_of_other_call, *later_results = replay.results
    assert later_results == recorded_trial.results
