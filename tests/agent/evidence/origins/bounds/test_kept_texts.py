"""A value that may be in a text that was too long to keep is not trusted.

The texts that a trial has read are kept up to `MOST_TRACED_BYTES`, to tell where a value comes from. A
value that no kept text states counts as made up by the script (`MADE`), or, if a text was not kept, as
one of running text (`PROSE`), such as a mail.
"""

import tracemalloc

import pytest

from controlplane.agent.evidence.origins.texts import Origin
from controlplane.sandbox.interface import bounds
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


def test_an_unknown_value_is_untrusted_once_a_text_was_too_long_to_keep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The text is one byte longer than what may be kept, so it is not kept. It could state the
    account, which no other text does."""
    long_text = "字" * 140
    monkeypatch.setattr(bounds, "MOST_TRACED_BYTES", len(long_text.encode()) - 1)
    texts = TextsOfTrial()
    assert texts.origin_of("GB00000000000000000000") is Origin.MADE

    texts.add_running_text("/calls/long", long_text)

    assert texts.origin_of("GB00000000000000000000") is Origin.PROSE


def test_a_value_of_a_kept_text_keeps_its_origin_beside_a_text_that_is_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The request was kept before. It states the address."""
    long_text = "字" * 140
    monkeypatch.setattr(bounds, "MOST_TRACED_BYTES", len(long_text.encode()) - 1)
    texts = TextsOfTrial(request="Write to emma@site.com.")

    texts.add_running_text("/calls/long", long_text)

    assert texts.origin_of("emma@site.com") is Origin.ASKED


def test_thousands_of_long_results_take_bounded_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The 4,000 texts have 12,000 bytes each, together 48 MB. At most 1 MB of them is kept. So
    the unknown account may be in a text that was not kept."""
    kept_bytes = 1_000_000
    monkeypatch.setattr(bounds, "MOST_TRACED_BYTES", kept_bytes)
    texts = TextsOfTrial()
    tracemalloc.start()
    try:
        for number in range(4_000):
            text = f"{number} " + "字" * 4_000  # three bytes a character
            texts.add_running_text(f"/calls/{number}", text)
        allocated_bytes, _peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert allocated_bytes < 4 * kept_bytes
    assert texts.origin_of("GB00000000000000000000") is Origin.PROSE
