"""What the player earns in whole runs: loop, sandbox, gates, grader."""

from pathlib import Path

import pytest

from tests.support.in_process_command import inside

LEAST = 0.5
"""The mean score of a default run, some of whose families the player has no rule for."""
MOST_STEPS = 12
MOST_GIVEN_UP = {12: 4, 50: 12, 100: 23}
"""In how many of so many trials the exit may stop the player until its steps are used up."""


@pytest.mark.parametrize(
    ("seed", "trials"), [(11, 50), *(pytest.param(each, 100, marks=pytest.mark.heavy) for each in (11, 3))]
)
def test_most_is_played_well_and_nearly_every_trial_ends_with_an_answer_of_its_own(
    seed: int, trials: int, tmp_path: Path
) -> None:
    flags = ("--seed", str(seed), "--limit", str(trials), "--concurrency", "2", "--json")
    result = inside("run", *flags, cwd=tmp_path)
    assert len(result.json["trials"]) == trials
    given_up = [trial for trial in result.json["trials"] if trial["state"] != "answered"]
    assert result.code == bool(given_up), result.err
    assert len(given_up) <= MOST_GIVEN_UP[trials], given_up
    assert all(trial["steps"] <= MOST_STEPS for trial in result.json["trials"] if trial not in given_up)
    assert result.json["score"] >= LEAST


@pytest.mark.parametrize("chars", [0, 3000])
def test_what_turn_one_has_no_room_for_is_read(chars: int, tmp_path: Path) -> None:
    flags = ("--limit", "12", "--concurrency", "2", "--opening-chars", str(chars), "--json")
    result = inside("run", *flags, cwd=tmp_path)
    given_up = [trial for trial in result.json["trials"] if trial["state"] != "answered"]
    assert result.code == bool(given_up), result.err
    assert len(given_up) <= MOST_GIVEN_UP[12], given_up
    assert result.json["score"] >= LEAST


@pytest.mark.heavy
def test_the_player_does_as_well_in_hundreds_of_worlds(tmp_path: Path) -> None:
    result = inside("run", "--seed", "100", "--repeats", "10", "--concurrency", "2", "--json", cwd=tmp_path)
    assert result.code in (0, 1), result.err
    assert result.json["score"] >= LEAST
