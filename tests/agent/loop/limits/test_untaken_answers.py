"""An answer that the gates accepted, and the environment did not take, counts as submitted.

The trial then ends without an answer, and the reason must not say that nothing was submitted.
"""

from controlplane.agent.events import Judged
from controlplane.agent.loop.loop_limits import RejectedSubmissions


def test_an_accepted_answer_that_the_environment_did_not_take_counts_as_submitted() -> (
    None
):
    accepted = Judged(
        accepted=True,
        answer="7",
        outcome="OUTCOME_OK",
        refs=(),
        message="",
        verdicts=(),
    )

    submissions = RejectedSubmissions().followed_by(accepted)

    assert submissions.last_fault == "the environment did not take the last submission"
