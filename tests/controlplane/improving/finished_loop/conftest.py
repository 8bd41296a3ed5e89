"""A loop of `improve` over riddles that is over, and has found better hints."""

import json
from collections.abc import Iterator

import pytest

from tests.controlplane.improving.finished_loop.finished_loops import FinishedLoop
from tests.controlplane.improving.riddle_models import RiddleModels, riddle_loop_in


@pytest.fixture(scope="session")
def finished_loop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FinishedLoop]:
    """A loop that is over. Tests only look at it."""
    with riddle_loop_in(tmp_path_factory.mktemp("finished"), RiddleModels()) as loop:
        run = loop.improve("--json")
        yield FinishedLoop(
            folder=loop.folder,
            server=loop.server,
            code=run.code,
            result=json.loads(run.out),
        )
