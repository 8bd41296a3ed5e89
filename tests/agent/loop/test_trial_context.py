"""What a trial's scripts see of it before they ask."""

from datetime import UTC, datetime

from agent.loop import TrialContext


def seed_of(trial_id: str) -> int:
    return TrialContext(trial_id, "task", "what is asked", datetime(2031, 5, 4, tzinfo=UTC)).seed


def test_the_seed_of_a_trial_is_the_one_that_older_journals_were_recorded_with() -> None:
    assert seed_of("t") == 250_386_028_798_746
    assert seed_of("t") != seed_of("u")
