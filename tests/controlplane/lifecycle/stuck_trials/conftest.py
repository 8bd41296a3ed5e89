"""A phone book whose first lookup does not return."""

import time
from collections.abc import Mapping

import pytest

from controlplane.sandbox.interface import Plain, bounds
from tests.support import phonebook


@pytest.fixture
def stuck_calls(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Plain]]:
    """Let the first lookup in the phone book not return for an hour.

    Once this call is made, the list has its arguments: `[{"name": "ada"}]`.
    """
    look_up = phonebook.look_up
    stuck_calls: list[Mapping[str, Plain]] = []

    def look_up_or_hang(arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if not stuck_calls:
            stuck_calls.append(arguments)
            time.sleep(3600)
        return look_up(arguments)

    monkeypatch.setattr(phonebook, "look_up", look_up_or_hang)
    # A trial is given up if nothing comes from it for this long after its time is over.
    monkeypatch.setattr(bounds, "TRIAL_SILENCE_S", 0.5)
    return stuck_calls
