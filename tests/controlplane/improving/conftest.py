"""The loop of riddles that most tests of `improve` run."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controlplane.improving.riddle_models import (
    RiddleLoop,
    RiddleModels,
    riddle_loop_in,
)


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[RiddleLoop]:
    """A folder with the first hints and a server of both models, for a loop that a test runs."""
    with riddle_loop_in(tmp_path, RiddleModels()) as loop:
        yield loop
