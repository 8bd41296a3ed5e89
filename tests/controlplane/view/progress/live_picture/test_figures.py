"""The picture of a run that a terminal shows while it plays: a few lines, drawn again and again.

    ━━━────────────── 1 of 10 · 0:05 · about 1 min left
    mean score 0.500 · 3 running · 45.2k tokens · $0.2500 · 1 retry
      some-task.0      step  3   0:05  running

It is drawn from the summary of a run, which is made of the events of its journal.
"""

from collections import Counter

import pytest

from controlplane.journal.totals.run_summary import RunSummary
from tests.controlplane.view.progress.live_picture.drawn_runs import drawn_text


@pytest.mark.parametrize(
    "expected_part",
    [
        pytest.param("1 of 10", id="progress"),
        pytest.param("0:05", id="time since the start"),
        pytest.param("left", id="time to the end"),
        pytest.param("mean score 0.500", id="score"),
        pytest.param("3 running", id="running trials"),
        pytest.param("45.2k tokens", id="tokens"),
        pytest.param("$0.2500", id="cost"),
        pytest.param("1 retry", id="retries"),
        pytest.param("step  3   0:05  running", id="step of a running trial"),
        pytest.param("asking again in 1.0 s", id="notice of a waiting trial"),
    ],
)
def test_the_picture_tells_how_far_the_run_is(
    expected_part: str, half_played_run: RunSummary
) -> None:
    """The run has played for 5 s. One of its ten trials is over, with the score 0.5."""
    assert expected_part in drawn_text(half_played_run)


def test_the_picture_counts_answers_that_were_sent_back(
    half_played_run: RunSummary,
) -> None:
    """A *gate* is a check of an answer. If it objects, the answer goes back to the model.

    The line has the names of as many gates as there is room for, each with a count.
    """
    half_played_run.rejections = Counter({"4": 2, "8": 1, "ecom/checklist": 3})

    assert (
        "sent back by gate 4 (citations were read) ×2, gate 8 (literal tokens) ×"
        in drawn_text(half_played_run)
    )
