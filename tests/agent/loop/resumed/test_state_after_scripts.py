"""A trial that is resumed from its journal knows what the interrupted one knew.

    interrupted = play([CHECK_OUT], server)                  # ends when the model has no more replies
    resumed = play([], server, journal=interrupted.events)   # asks the model for nothing

The resumed trial takes from the journal what the recorded scripts did. It does not run them again.
`state_of(turns)` is all that a trial knows: the texts that it has read, used limits, the conversation.
"""

import pytest

from controlplane.agent.model import Reply
from controlplane.sandbox import ForkServer
from tests.agent.loop.resumed.interrupted_scripts import play
from tests.agent.loop.resumed.scripts_of_all_kinds import (
    ANSWER_FROM_AN_UNREAD_FILE,
    CHECK_OUT,
    PAID_CHECK_OUT,
    READ_A_MISSING_FILE,
    READ_AND_CITE,
)
from tests.agent.loop.resumed.trial_state import state_of
from tests.support.single_trial import step_reply


def test_a_resumed_trial_has_the_recorded_output_without_running_a_script_again(
    server: ForkServer,
) -> None:
    interrupted = play([CHECK_OUT], server)  # prints the count of checkouts: 1
    resumed = play([], server, journal=interrupted.events)

    assert (interrupted.checkouts, resumed.checkouts) == (1, 0)
    assert resumed.turns.conversation[-1] == {
        "role": "user",
        "content": '<output step="1">\n1\n</output>\n',
    }


@pytest.mark.parametrize(
    "replies",
    [
        pytest.param([READ_AND_CITE], id="a read text and a citation"),
        pytest.param(["no JSON"], id="an unusable reply"),
        pytest.param([PAID_CHECK_OUT], id="a change, dollars and tokens"),
        pytest.param([step_reply("import socket")], id="a refused script"),
        pytest.param([CHECK_OUT, CHECK_OUT], id="a repeated script"),
        pytest.param([ANSWER_FROM_AN_UNREAD_FILE], id="a rejected answer"),
        pytest.param([READ_A_MISSING_FILE], id="a failure"),
        pytest.param(
            [READ_A_MISSING_FILE, READ_A_MISSING_FILE], id="a repeated failure"
        ),
        pytest.param(
            [
                READ_AND_CITE,
                "no JSON",
                PAID_CHECK_OUT,
                step_reply("import socket"),
                CHECK_OUT,
                ANSWER_FROM_AN_UNREAD_FILE,
                READ_A_MISSING_FILE,
                READ_A_MISSING_FILE,
            ],
            id="all of these",
        ),
    ],
)
def test_a_resumed_trial_knows_the_same_without_a_new_step(
    replies: list[str | Reply], server: ForkServer
) -> None:
    interrupted = play(replies, server)
    resumed = play([], server, journal=interrupted.events)

    assert resumed.steps == []  # All steps are in the journal.
    assert resumed.checkouts == 0
    assert state_of(resumed.turns) == state_of(interrupted.turns)
