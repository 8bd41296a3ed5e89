"""The page "/runs/a" of `controlplane view` shows a recorded run, and "/runs/a,b" compares two.

The run a has the tasks alpha.1 (score 0), beta.1 and beta.2 (score 1), and the run b has alpha.1 and
beta.1. The page of a trial is loaded as JSON when the user opens it.
"""

from tests.controlplane.report.served_pages import RunningView


def test_the_page_of_a_run_has_the_scores_of_families_worst_first(
    view: RunningView,
) -> None:
    """Tasks such as beta.1 and beta.2 are a family."""
    _, _, families = view.text("/runs/a").partition('id="h-families"')

    assert families.index(">alpha<") < families.index(">beta<")


def test_the_page_of_a_run_has_commands_to_copy(view: RunningView) -> None:
    """Such as one that plays the failed trial, of the task alpha.1, again."""
    page = view.text("/runs/a")

    assert "rerun" in page
    assert "--trials alpha.1" in page
    assert 'data-source="/runs/a"' in page


def test_a_trial_is_served_as_json(view: RunningView) -> None:
    """The page of the run loads it when the user opens the trial."""
    trial = view.json("/runs/a/trial-1-1.json")

    assert trial["task"] == "alpha.1"
    assert trial["score"] == 0.0
    # The opening, two steps with a submission each, and the end.
    assert len(trial["pages"]) == 4
    # A command to which the page adds the number of the step that is shown.
    assert trial["fork"].endswith("--step ")


def test_the_requests_of_a_trial_are_served_as_json(view: RunningView) -> None:
    """The journals of these tests have no requests to a model."""
    assert view.json("/runs/a/trial-1-1/requests.json") == []


def test_the_page_of_two_runs_compares_them_and_pairs_their_trials(
    view: RunningView,
) -> None:
    """Both runs have trials of alpha.1 and beta.1."""
    page = view.text("/runs/a,b")

    assert "The second run against the first" in page
    link_to_both_trials_of_alpha = 'href="#trial-1-1~trial-2-1"'
    assert link_to_both_trials_of_alpha in page
