"""How many examples Hypothesis tries for each property that a test states with `@given`."""

import hypothesis
import pytest
from hypothesis.internal.conjecture import providers


def pytest_configure(config: pytest.Config) -> None:
    """Choose how many examples Hypothesis tries for each property: 500 with `--heavy`, or 40.

    An example has no deadline, as the machine may be busy.
    """
    is_heavy = config.getoption("--heavy")
    examples = 500 if is_heavy else 40
    hypothesis.settings.register_profile("tests", deadline=None, max_examples=examples)
    hypothesis.settings.load_profile("tests")
    if not is_heavy:
        keep_hypothesis_from_reading_sources()


def keep_hypothesis_from_reading_sources() -> None:
    """Save the seconds in which Hypothesis would read all our sources for constants to try.

    Its function is replaced by one that returns the constants read so far, which are none.
    """
    providers._get_local_constants = lambda: providers._local_constants
