"""Which texts the evidence log keeps of a trial's calls, and which of them prove something.

An answer cites files, each with a reason: `/docs/a.md`, "two signatures are needed". To check the
reason, the log keeps the text that each call has shown (`seen`).
"""

from __future__ import annotations

import pytest

from controlplane.sandbox.interface import bounds
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.gates.recorded_calls import CallsOfTrial


class TestFullLog:
    """The log has room for 12 characters, and the trial reads longer texts.

    Of the first text, the log keeps "fees: twenty", and nothing of the second one.
    """

    @pytest.fixture
    def calls(self, monkeypatch: pytest.MonkeyPatch) -> CallsOfTrial:
        monkeypatch.setattr(bounds, "MOST_EVIDENCE_BYTES", 12)
        calls = CallsOfTrial()
        calls.read_text("/fees.md", "fees: twenty euros")
        calls.read_text("/late.md", "late: twenty euros")
        return calls

    def test_the_beginning_of_a_text_is_kept_and_marked_as_cut(
        self, calls: CallsOfTrial
    ) -> None:
        (seen,) = calls.access_to("/fees.md").seen

        assert seen.text == "fees: twenty"
        assert seen.is_cut

    def test_that_a_text_was_read_is_kept_without_the_text(
        self, calls: CallsOfTrial
    ) -> None:
        (seen,) = calls.access_to("/late.md").seen

        assert seen.text == ""
        assert seen.is_cut

    @pytest.mark.parametrize(
        ("path", "reason", "is_accepted"),
        [
            pytest.param("/fees.md", "holds twenty", True, id="word of the kept text"),
            pytest.param("/fees.md", "holds moon", False, id="word of no text"),
            pytest.param("/late.md", "holds twenty", False, id="word of a lost text"),
        ],
    )
    def test_only_a_word_of_the_kept_text_justifies_a_citation(
        self, calls: CallsOfTrial, path: str, reason: str, is_accepted: bool
    ) -> None:
        scratchpad = valid_scratchpad(refs_why={path: reason})

        judgement = judge_scratchpad(scratchpad, calls)

        assert judgement.accepted is is_accepted


class TestProofs:
    """A text is a proof if it is by the environment, and not by the script.

    A path counts as read, as its `actions` say, only if a text that was read there is a proof.
    """

    def test_a_text_of_a_file_is_proof(self) -> None:
        calls = CallsOfTrial()
        calls.read_text("/docs/a.md", "Refunds over EUR 50 need two signatures.")

        access = calls.access_to("/docs/a.md")

        (seen,) = access.seen
        assert seen.shows_whole_file
        assert seen.is_proof
        assert "read" in access.actions

    def test_a_sentence_that_was_shown_before_the_script_wrote_it_is_proof(
        self,
    ) -> None:
        """`/docs/copy.md` may be a copy of the script's file, but the sentence is the
        environment's."""
        calls = CallsOfTrial()
        calls.read_text("/docs/a.md", "Refunds over EUR 50 need two signatures.")
        calls.write("/tmp/own.md", "Refunds over EUR 50 need two signatures.")
        calls.read_text("/docs/copy.md", "Refunds over EUR 50 need two signatures.")

        access = calls.access_to("/docs/copy.md")

        (seen,) = access.seen
        assert seen.is_proof
        assert "read" in access.actions

    def test_a_sentence_that_the_script_made_of_shown_words_is_its_own(self) -> None:
        """Files have shown each word of the sentence, but not the sentence."""
        calls = CallsOfTrial()
        calls.read_text("/docs/a.md", "two signatures need over 50 EUR")
        calls.read_text("/docs/b.md", "Refunds")
        calls.write("/tmp/own.md", "Refunds over EUR 50 need two signatures.")
        calls.read_text("/docs/copy.md", "Refunds over EUR 50 need two signatures.")

        access = calls.access_to("/docs/copy.md")

        (seen,) = access.seen
        assert not seen.is_proof
        assert "read" not in access.actions


def test_a_result_without_a_text_shows_the_values_of_its_fields() -> None:
    """Values of the fields `path` and `name` are left out, since they describe a file."""
    calls = CallsOfTrial()
    result = {
        "path": "/docs/a.md",
        "rows": [
            {"name": "bookkeeping", "pages": 7, "parts": ["one", {"is_whole": True}]},
            {"title": "Rows"},
        ],
    }

    calls.record("read", {"path": "/docs/a.md"}, result)

    (seen,) = calls.access_to("/docs/a.md").seen
    assert seen.text.splitlines() == ["7", "one", "True", "Rows"]
