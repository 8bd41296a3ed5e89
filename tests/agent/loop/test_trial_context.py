"""What a trial's scripts see of it before they ask."""

from agent.loop.trial_context import seed_of


def test_the_seed_of_a_trial_is_the_one_that_older_journals_were_recorded_with() -> None:
    assert seed_of("t") == 250_386_028_798_746
    assert seed_of("t") != seed_of("u")
