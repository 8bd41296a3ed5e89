"""What tests of the journal of calls share."""

import pytest

from tests.agent.evidence.tape.paying_trial import PayingTrial


@pytest.fixture(scope="session")
def recorded_trial() -> PayingTrial:
    """A trial after its four calls: its user has refused one payment, and approved of another one."""
    return PayingTrial().run()
