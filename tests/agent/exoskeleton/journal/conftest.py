"""A trial that several test modules look at."""

import pytest

from tests.agent.exoskeleton.journal.trial_with_mistakes import play_trial_with_mistakes
from tests.support.books.attempt_result import AttemptResult


@pytest.fixture(scope="session")
def trial() -> AttemptResult:
    """A trial of five steps, played to its end; see `trial_with_mistakes.py` for its steps."""
    return play_trial_with_mistakes()
