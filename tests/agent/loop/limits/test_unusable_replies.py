"""A model that replies without a script again and again ends its trial.

After 3 replies with the same fault, the next request asks in another form, if the endpoint has one: by a
schema, by the call of a tool, as text. Two limits end the trial:

    10 unusable replies, in whatever form
    5 unusable replies with the same fault in one form
"""

from controlplane.agent.model import Reply
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.sandbox import ForkServer
from tests.agent.loop.phonebook_trials import record_after_steps, solve_for_ada
from tests.support.single_trial import SolvedTrial

REPLY_TO_SCHEMA = Reply(text="no JSON", reply_mode="schema")
"""The model was asked for JSON by a schema. An endpoint with schemas has other forms, too."""


def play_same_reply(
    server: ForkServer, reply: Reply | str, *, record: TrialRecord | None = None
) -> SolvedTrial:
    """Play or resume a trial whose model gives the same reply in each step, at most 12 times."""
    return solve_for_ada(server, *[reply] * 12, record=record)


def test_a_trial_ends_after_ten_unusable_replies_in_a_row(server: ForkServer) -> None:
    """The form changes after each three, so no form has the five for the other limit."""
    trial = play_same_reply(server, REPLY_TO_SCHEMA)

    assert trial.reason == "every reply held no JSON object"
    assert len(trial.steps) == 10


def test_a_resumed_trial_counts_the_unusable_replies_before_it(
    server: ForkServer,
) -> None:
    """The process is killed after seven unusable replies, so three more end the trial."""
    whole = play_same_reply(server, REPLY_TO_SCHEMA)

    resumed = play_same_reply(
        server, REPLY_TO_SCHEMA, record=record_after_steps(7, whole)
    )

    assert resumed.reason == "every reply held no JSON object"
    assert len(resumed.steps) == 3


def test_a_trial_ends_when_replies_have_the_same_fault_five_times(
    server: ForkServer,
) -> None:
    """The endpoint does not say in which form it asks, so there is no other form."""
    trial = play_same_reply(server, "I cannot do it.")

    assert len(trial.model.requests) == 5
