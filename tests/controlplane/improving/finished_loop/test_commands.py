"""`resume`, `show` and `report` are called for a loop of `improve` that is over.

They find it by its id, the beginning of its id, the word "last", or the path of its folder. A loop edits
hints of an agent until it scores better; a candidate is a set of edited files.
"""

import pytest

from controlplane.errors import UsageError
from tests.controlplane.improving.finished_loop.finished_loops import FinishedLoop

pytestmark = pytest.mark.second_tier


def test_a_finished_loop_is_resumed_under_any_of_its_names_without_a_request(
    finished_loop: FinishedLoop,
) -> None:
    """There is nothing left to do, so `resume` prints the recorded result."""
    requests_before = len(finished_loop.server.asked)

    for name in finished_loop.names:
        resumed = finished_loop.command("resume", name, "--json")
        assert resumed.code == 0, name
        assert resumed.json["text"] == finished_loop.result["text"], name

    assert len(finished_loop.server.asked) == requests_before


def test_show_prints_the_result_of_a_loop_under_any_of_its_names(
    finished_loop: FinishedLoop,
) -> None:
    """It is the result that the loop has printed at its end."""
    for name in finished_loop.names:
        shown = finished_loop.command("show", name, "--json").json
        # The folder may be shown as a relative path.
        expected = finished_loop.result | {"folder": shown["folder"]}
        assert shown == expected, name


def test_a_report_of_a_loop_is_a_page_with_every_candidate(
    finished_loop: FinishedLoop,
) -> None:
    """The page is one file without scripts, `loop.html`."""
    for name in finished_loop.names:
        report = finished_loop.command("report", name, "-o", "loop.html")
        assert report.code == 0, name

    page = (finished_loop.folder / "loop.html").read_text(encoding="utf-8")
    for candidate_id in finished_loop.record.checked():
        assert candidate_id in page
    assert "<script" not in page


def test_a_loop_cannot_be_resumed_with_another_model(
    finished_loop: FinishedLoop,
) -> None:
    """Its candidates were compared by the scores of one model."""
    loop_id = finished_loop.record.folder.name

    refused = finished_loop.command("resume", loop_id, "--model", "other")

    assert refused.code == UsageError.exit_code
    assert "only its limits can change" in refused.err
