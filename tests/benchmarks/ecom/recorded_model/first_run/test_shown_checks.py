"""The first run shows by an example of each what the checks of answers and of calls do.

`./start` plays recorded replies of a model to tasks of the shop. A gate checks each answer, and may
send it back. The pre-call check looks at each call that changes something, and may hold it.
"""

from tests.benchmarks.ecom.recorded_model.first_run.first_run import FirstRun


def test_the_first_run_shows_the_answer_that_a_gate_sent_back(
    first_run: FirstRun,
) -> None:
    """Below it are the gate's objection, in three lines, and what both answers score."""
    answer, objection, _, _, scores, *_ = first_run.lines_from("stock-count.1")

    assert answer == "stock-count.1 answered <COUNT:5>, which was sent back:"
    assert objection.startswith("  gate 4 (citations were read): ")
    assert scores == "  score 1.00; without gates the first answer goes out: 0.00"


def test_the_first_run_shows_the_call_that_was_held(first_run: FirstRun) -> None:
    """Below the call are why it was held, and what became of it."""
    call, _why, end, *_ = first_run.lines_from("discount-limit.1")

    assert call.startswith("discount-limit.1: a call was held: /bin/discount ")
    assert end == "  then: not done; score 1.00; without gates the call is sent: 0.00"
