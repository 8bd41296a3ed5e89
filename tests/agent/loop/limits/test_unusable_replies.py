"""A model that replies without a script again and again ends its trial.

Ten unusable replies in a row end it, and so do five with the same fault. After three with the same
fault, the model is asked in another form, if there is one, and the count of five starts again.
"""

from controlplane.agent.model import Reply
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.sandbox import ForkServer
from tests.support.journals.read_events import trial_records_of
from tests.support.phonebook import Phonebook
from tests.support.single_trial import SolvedTrial, solve_trial


def play_same_reply(
    server: ForkServer,
    reply: Reply | str,
    *,
    times: int,
    record: TrialRecord | None = None,
) -> SolvedTrial:
    """Play a trial whose model gives the same reply in each step, at most so many times."""
    replies = [reply] * times
    return solve_trial(Phonebook(0.0), "ada-0", replies, server, record=record)


def test_a_trial_ends_after_ten_unusable_replies_in_a_row(server: ForkServer) -> None:
    """The model was asked for a JSON object by a schema, and replies with something else."""
    without_json = Reply(text="no JSON", reply_mode="schema")

    trial = play_same_reply(server, without_json, times=12)

    assert trial.reason == "every reply held no JSON object"
    assert len(trial.steps) == 10


def test_a_resumed_trial_counts_the_unusable_replies_before_it(
    server: ForkServer,
) -> None:
    """The trial is cut off after seven unusable replies, so that three more end it."""
    without_json = Reply(text="no JSON", reply_mode="schema")
    whole = play_same_reply(server, without_json, times=12)
    end_of_step_7 = whole.events.index(whole.steps[6])
    record = trial_records_of(whole.events[: end_of_step_7 + 1])["ada-0"]

    resumed = play_same_reply(server, without_json, times=12, record=record)

    assert resumed.reason == "every reply held no JSON object"
    assert len(resumed.steps) == 3


def test_a_trial_ends_when_replies_have_the_same_fault_five_times(
    server: ForkServer,
) -> None:
    """The model replies with the same sentence, without a script."""
    trial = play_same_reply(server, "I cannot do it.", times=8)

    assert len(trial.model.requests) == 5
