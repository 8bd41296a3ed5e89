"""The texts of a trial in which values are looked up take bounded memory and time.

The texts are kept up to `MOST_TRACED_BYTES`. Beyond that, a value that none of the kept texts states
may be in a text that was not kept. So it counts as a value of running text (`PROSE`), such as a
mail, and is not trusted. Otherwise it would count as made up by the script (`MADE`).
"""

from __future__ import annotations

import tracemalloc

import pytest

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.sandbox.interface import bounds
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial
from tests.support.executed_work import assert_linear


class TestKeptTexts:
    """A value that may be in a text that was not kept is not trusted.

    `MOST_TRACED_BYTES` is how many bytes of texts are kept. Each test lowers it, so that it is soon
    reached.
    """

    def test_an_unknown_value_is_untrusted_once_a_text_was_too_long_to_keep(
        self, monkeypatch: pytest.MonkeyPatch
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
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The request was kept before. It states the address."""
        long_text = "字" * 140
        monkeypatch.setattr(bounds, "MOST_TRACED_BYTES", len(long_text.encode()) - 1)
        texts = TextsOfTrial(request="Write to emma@site.com.")

        texts.add_running_text("/calls/long", long_text)

        assert texts.origin_of("emma@site.com") is Origin.ASKED

    def test_thousands_of_long_results_take_bounded_memory(
        self, monkeypatch: pytest.MonkeyPatch
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


class TestLinearWork:
    """To look a value up takes work in proportion to the length of the texts.

    `assert_linear(work, count)` counts the lines that `work(count)` and `work(2 * count)` execute.
    It fails if the second executes far more than twice as many.
    """

    @pytest.mark.parametrize(
        "piece",
        [
            pytest.param(
                "the quick brown fox jumps over the lazy dog and on\n", id="plain words"
            ),
            pytest.param(
                "On 3 May Ann wrote that INV-17 of 12.50 euros goes to ann@site.com.\n",
                id="many values",
            ),
            pytest.param("1" * 50, id="one long number"),
            pytest.param("a@", id="beginnings of addresses"),
            pytest.param("US13 30", id="beginnings of accounts"),
        ],
    )
    def test_searching_a_text_is_linear_work(self, piece: str) -> None:
        """A running text of one repeated piece is added, and values are looked up in it."""

        def search(piece_count: int) -> None:
            texts = TextsOfTrial(mail=piece * piece_count)
            texts.origins(
                {"to": "no@nowhere.example", "amount": 4711, "ids": ["1" * 30, "x-1"]}
            )

        assert_linear(search, 500)

    def test_passed_values_are_not_compared_with_each_file_of_a_result(self) -> None:
        """A search that was called with many values returns lines of as many files."""

        def look_up(count: int) -> None:
            lines: list[ResultText] = []
            for number in range(count):
                line = f"Line {number} says hello."
                lines.append(ResultText(line, is_data=False, path=f"/f/{number}.md"))
            passed_keys = [f"id-{number}" for number in range(count)]

            texts = TextsOfTrial()
            texts.provenance.add("search", lines, passed_keys=passed_keys)
            assert texts.origin_of("Ann Miller") is Origin.MADE

        assert_linear(look_up, 200)
