"""A player of single trials."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from controlplane.agent.submission import judging_modules
from controlplane.sandbox import ForkServer
from tests.controlplane.lifecycle.trials.trial_player import TrialPlayer


@pytest.fixture(scope="module")
def player() -> Iterator[TrialPlayer]:
    with ForkServer(judging_modules(())) as server:
        yield TrialPlayer(server)
