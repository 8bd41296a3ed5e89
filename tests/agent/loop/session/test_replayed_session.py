"""A replay runs the steps of a recorded trial again, and finds where they differ from the record.

Calls get their recorded results. Verdicts of the gates, which check answers, and checks of citations are
made anew, and compared with the record. Here, the record of a step was changed by hand.
"""

from controlplane.sandbox import ForkServer
from tests.agent.loop.session.replayed_step import recorded_step, replay


def test_a_record_that_nobody_changed_has_no_difference(server: ForkServer) -> None:
    assert replay(recorded_step(), server) is None


def test_another_verdict_than_the_recorded_one_is_a_difference(
    server: ForkServer,
) -> None:
    """The gates accept the submission. The record says that they rejected it."""
    step = recorded_step()
    (verdict,) = step.verdicts
    rejection = verdict.model_copy(update={"accepted": False})
    altered_step = step.model_copy(update={"verdicts": (rejection,)})

    difference = replay(altered_step, server)

    assert difference is not None
    assert difference.field == "verdicts"
    assert difference.recorded == rejection
    assert difference.now == verdict


def test_another_citation_than_the_recorded_one_is_a_difference(
    server: ForkServer,
) -> None:
    """The draft was not read. The record says that it could be cited."""
    step = recorded_step()
    (refused,) = step.citations
    accepted = refused.model_copy(update={"error": "", "spelling": "/draft.txt"})
    altered_step = step.model_copy(update={"citations": (accepted,)})

    difference = replay(altered_step, server)

    assert difference is not None
    assert difference.field == "citations[0]"
    assert difference.recorded == accepted
    assert difference.now == refused
