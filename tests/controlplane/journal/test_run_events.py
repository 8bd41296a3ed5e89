"""What the first event of a journal says of the benchmark that was played."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from controlplane.journal.run_events import Setting
from tests.controlplane.journal.written_journal import OPENED


@pytest.mark.parametrize(
    ("options", "played"),
    [
        ({}, "b"),
        ({"profile": "hard"}, "b profile=hard"),
        ({"profile": "dev", "names": "own"}, "b names=own profile=dev"),
        ({"url": "https://127.0.0.1:9/v1", "policy": "blind"}, "b policy=blind"),
    ],
)
def test_options_that_are_words_stand_behind_the_benchmark(options: Mapping[str, str], played: str) -> None:
    settings = (Setting(name="seed", value=3, source="flag"), Setting(name="set", value=dict(options), source="flag"))
    assert OPENED.model_copy(update={"settings": settings}).played == played
