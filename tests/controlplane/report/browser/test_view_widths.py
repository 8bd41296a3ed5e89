"""Every page of `controlplane view` fits its window, on a phone and on a wide screen."""

from collections.abc import Iterator

import pytest

from tests.controlplane.report.browser.page_expressions import NOTHING_SCROLLS_SIDEWAYS
from tests.controlplane.report.browser.viewed_runs import viewed_runs
from tests.controlplane.report.hostile_journal import hostile_journal
from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.controlplane.report.served_pages import RunningView
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


@pytest.fixture(scope="module")
def view(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningView]:
    """The runs a.jsonl and b.jsonl, h.jsonl, whose texts are long, and try to break pages, and two
    runs on another scale, of which most trials have no score for long reasons."""
    folder = tmp_path_factory.mktemp("runs")
    failed = ReportedTrial("alpha", score=0.0, details=("no",), rejected_answers=1)
    journal_of_trials(folder / "a.jsonl", [failed, ReportedTrial("beta")])
    journal_of_trials(
        folder / "b.jsonl", [ReportedTrial("alpha"), ReportedTrial("beta")]
    )
    hostile_journal(folder / "h.jsonl")
    unscored = [
        ReportedTrial(f"long-name-of-a-task-{number}", score=None, unscored=reason)
        for number, reason in enumerate(("x" * 300, "the score 2 is " * 20, "no"))
    ]
    for name in ("u", "v"):
        journal_of_trials(
            folder / f"{name}.jsonl",
            [*unscored, ReportedTrial("huge", score=-1e15), ReportedTrial("alpha")],
            scale=(-1e15, 123456.75),
        )
    with viewed_runs(browser, folder) as view:
        yield view


@pytest.mark.parametrize(
    "width",
    [
        pytest.param(400, id="phone"),
        pytest.param(800, id="tablet"),
        pytest.param(1600, id="wide screen"),
    ],
)
@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/", id="the list of runs"),
        pytest.param("/runs/a", id="a run"),
        pytest.param("/runs/a,b", id="two runs compared"),
        pytest.param("/runs/h", id="a run with long texts"),
        pytest.param("/runs/u", id="a run without scores on another scale"),
        pytest.param("/runs/u,v", id="two such runs compared"),
        pytest.param("/runs/h#trial-1-1", id="a trial with long texts"),
    ],
)
def test_no_page_of_the_view_is_wider_than_its_window(
    browser: Browser, view: RunningView, width: int, path: str
) -> None:
    browser.size(width)

    browser.visit(view.url(path))

    assert browser.value(NOTHING_SCROLLS_SIDEWAYS)
