"""What the player earns in whole runs: loop, sandbox, gates, grader."""

from pathlib import Path

import pytest

from benchmarks.ecom.player.turns import MAX_LOOKUP_TURNS, MOST_TIMES
from tests.support.in_process_command import inside

LEAST = 0.45
"""The mean score of a default run: the player has no rule for some families, and the gates do not tell it answers."""


@pytest.mark.parametrize(
    ("seed", "trials"), [(11, 12), *(pytest.param(number, 100, marks=pytest.mark.heavy) for number in (11, 3))]
)
def test_most_is_played_well_and_every_trial_ends_with_an_answer_of_its_own(
    seed: int, trials: int, tmp_path: Path
) -> None:
    flags = ("--seed", str(seed), "--limit", str(trials), "--concurrency", "2", "--json")
    result = inside("run", *flags, cwd=tmp_path)
    assert len(result.json["trials"]) == trials
    assert result.code == 0, result.err
    assert [trial for trial in result.json["trials"] if trial["state"] != "answered"] == []
    assert all(trial["steps"] <= MAX_LOOKUP_TURNS + MOST_TIMES for trial in result.json["trials"])
    assert result.json["score"] >= LEAST


@pytest.mark.parametrize("chars", [0])
def test_what_turn_one_has_no_room_for_is_read(chars: int, tmp_path: Path) -> None:
    flags = ("--limit", "8", "--concurrency", "2", "--opening-chars", str(chars), "--json")
    result = inside("run", *flags, cwd=tmp_path)
    assert result.code == 0, result.err
    assert [trial for trial in result.json["trials"] if trial["state"] != "answered"] == []
    assert result.json["score"] >= LEAST


@pytest.mark.heavy
def test_the_player_does_as_well_in_hundreds_of_worlds(tmp_path: Path) -> None:
    result = inside("run", "--seed", "100", "--repeats", "10", "--concurrency", "2", "--json", cwd=tmp_path)
    assert result.code == 0, result.err
    assert result.json["score"] >= LEAST
