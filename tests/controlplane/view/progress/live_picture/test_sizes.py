"""The picture of a run fits its window, however many trials play, and however long the texts are.

A picture of more lines than the window could not be drawn again in its place. At the end of the last
line there is room for "^C", which a terminal prints when the user presses Ctrl-C.
"""

import pytest
from rich.console import ConsoleDimensions

from controlplane.agent.events import CallEvent, Noticed
from controlplane.journal.totals.run_folding import fold_event
from controlplane.view.progress.live_display import picture
from controlplane.view.progress.run_phase import RunPhase
from tests.controlplane.view.progress.live_picture.drawn_runs import LONG_TRIAL_IDS
from tests.support.run_summaries import STARTED_AT_MS, run_with_trials


def long_call(trial_id: str) -> CallEvent:
    """Return a call with a long path, whose Chinese letters take two columns each."""
    return CallEvent(
        trial_id=trial_id,
        step=1,
        number=0,
        operation="read",
        arguments={"path": "/a/very/long/path/漢字" * 9},
        state="under_way",
    )


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("height", [3, 10, 24, 60])
@pytest.mark.parametrize("running_trials", [0, 1, 50])
def test_the_picture_is_never_wider_or_higher_than_its_window(
    width: int, height: int, running_trials: int
) -> None:
    """Names, paths and notices are long.

    At the end of the last line there is room for "^C", which a terminal prints when the user
    presses Ctrl-C.
    """
    summary = run_with_trials(LONG_TRIAL_IDS, started=running_trials)
    for trial_id in LONG_TRIAL_IDS[:running_trials]:
        fold_event(summary, long_call(trial_id))
    notice = Noticed(
        trial_id=LONG_TRIAL_IDS[0], text="the model is away\n" * 20, retry=True
    )
    fold_event(summary, notice)

    for phase in RunPhase:
        window = ConsoleDimensions(width, height)
        lines = picture(summary, phase, STARTED_AT_MS, window)
        assert len(lines) < height
        for line in lines:
            assert line.cell_len < width
            assert "\n" not in line.plain
        assert lines[-1].cell_len + len("^C") < width
