"""Runs a test with each kind of foreign journal, which the fixture `foreign_journal` then is.

@each_forgery
def test_show(foreign_journal: Path) -> None: ...
"""

import pytest

from tests.controlplane.journal.foreign.forgeries import ALL_FORGERIES

each_forgery = pytest.mark.parametrize("foreign_journal", ALL_FORGERIES, indirect=True)
"""Runs a test with five foreign journals: all lines without marks or with those of another key, a
changed score, another model for the rest of the run, and a harmless line at the end."""
