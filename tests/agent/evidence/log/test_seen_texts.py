"""Which texts the evidence log keeps of a trial's calls, and which of them prove something.

An answer cites files, each with a reason: `/docs/a.md`, "two signatures are needed". To check the
reason, the log keeps the text that each call has shown. A text is a proof if it is by the
environment. If the script wrote it and then reads it somewhere, it is not.
"""

from __future__ import annotations

import pytest

from controlplane.sandbox.interface import bounds
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.gates.recorded_calls import CallsOfTrial


def read_text(calls: CallsOfTrial, path: str, content: str) -> None:
    """Read a file that has this content."""
    calls.record("read", {"path": path}, {"path": path, "content": content})


@pytest.fixture
def calls_beyond_limit(monkeypatch: pytest.MonkeyPatch) -> CallsOfTrial:
    """Return the calls of a trial that has read more than the log can keep.

    | file      | text                   | what is kept           |
    | --------- | ---------------------- | ---------------------- |
    | `/first`  | "twenty characters fi" | "twenty characters fi" |
    | `/second` | "twenty characters se" | "twenty cha"           |
    | `/third`  | "twenty characters th" | nothing                |
    | `/first`  | the same once more     | nothing new            |
    """
    room = len("twenty characters fi") + len("twenty cha")
    room += 500  # what the log counts for the first text beside its characters
    monkeypatch.setattr(bounds, "MOST_EVIDENCE_BYTES", room)

    calls = CallsOfTrial()
    read_text(calls, "/first", "twenty characters fi")
    read_text(calls, "/second", "twenty characters se")
    read_text(calls, "/third", "twenty characters th")
    read_text(calls, "/first", "twenty characters fi")
    return calls


class TestFullLog:
    """A log that has no more room keeps the beginning of a text, or nothing of it.

    A trial has read three texts of twenty characters. The log has room for the first text, and for
    the first ten characters of the second one: "twenty cha". `access.seen` are the texts that the
    log keeps of what was read at a path, each with `is_cut` and `is_proof`.
    """

    @pytest.mark.parametrize(
        ("path", "kept_text"),
        [
            pytest.param("/first", "twenty characters fi", id="read twice, kept once"),
            pytest.param("/second", "twenty cha", id="half of it"),
            pytest.param("/third", "", id="nothing of it"),
        ],
    )
    def test_texts_are_kept_up_to_a_limit(
        self, calls_beyond_limit: CallsOfTrial, path: str, kept_text: str
    ) -> None:
        (seen,) = calls_beyond_limit.access_to(path).seen

        assert seen.text == kept_text

    @pytest.mark.parametrize(
        ("path", "is_cut"),
        [
            pytest.param("/first", False, id="kept as a whole"),
            pytest.param("/second", True, id="kept by half"),
            pytest.param("/third", True, id="not kept"),
        ],
    )
    def test_a_text_that_was_cut_is_marked_as_cut(
        self, calls_beyond_limit: CallsOfTrial, path: str, is_cut: bool
    ) -> None:
        """A word that is not in the kept part may be in the rest. So nobody may conclude that the
        file does not have it."""
        (seen,) = calls_beyond_limit.access_to(path).seen

        assert seen.is_cut is is_cut

    @pytest.mark.parametrize(
        ("path", "reason", "is_accepted"),
        [
            pytest.param("/first", "holds twenty", True, id="word of the kept text"),
            pytest.param("/first", "holds moon", False, id="word of no text"),
            pytest.param("/third", "holds twenty", False, id="word of the cut text"),
        ],
    )
    def test_only_a_word_of_the_kept_text_justifies_a_citation(
        self,
        calls_beyond_limit: CallsOfTrial,
        path: str,
        reason: str,
        is_accepted: bool,
    ) -> None:
        """All files have the word "twenty", but nothing is kept of the text of `/third`."""
        scratchpad = valid_scratchpad(refs_why={path: reason})

        judgement = judge_scratchpad(scratchpad, calls_beyond_limit)

        assert judgement.accepted is is_accepted


class TestProofs:
    """A text is a proof if it is by the environment, and not by the script.

    For each path, the log has the texts that were read there (`access.seen`) and what was done
    (`access.actions`). The action "read" is among these only if one of the texts is a proof.
    """

    def test_a_sentence_that_was_shown_before_the_script_wrote_it_is_proof(
        self,
    ) -> None:
        """1. A file shows the sentence, so it is the environment's.
        2. The script writes the sentence into a file of its own.
        3. It reads the sentence at another path."""
        calls = CallsOfTrial()
        read_text(calls, "/docs/a.md", "Refunds over EUR 50 need two signatures.")
        calls.write("/tmp/own.md", "Refunds over EUR 50 need two signatures.")
        read_text(calls, "/docs/copy.md", "Refunds over EUR 50 need two signatures.")

        access = calls.access_to("/docs/copy.md")
        (seen,) = access.seen
        assert seen.is_proof
        assert "read" in access.actions

    def test_a_sentence_that_the_script_made_of_shown_words_is_its_own(self) -> None:
        """1. Files show each word of the sentence, but not the sentence.
        2. The script writes the sentence into a file of its own.
        3. It reads the sentence at another path, where a copy of its file may be."""
        calls = CallsOfTrial()
        read_text(calls, "/docs/a.md", "two signatures need over 50 EUR")
        read_text(calls, "/docs/b.md", "Refunds")
        calls.write("/tmp/own.md", "Refunds over EUR 50 need two signatures.")
        read_text(calls, "/docs/copy.md", "Refunds over EUR 50 need two signatures.")

        access = calls.access_to("/docs/copy.md")
        (seen,) = access.seen
        assert not seen.is_proof
        assert "read" not in access.actions


class TestTextsOfFields:
    """A result without a text counts as the text of the values in its fields."""

    def test_a_result_without_a_text_shows_the_values_of_its_fields(self) -> None:
        """The text is made of all values in the result, one in a line. Values of the fields `path`
        and `name` are left out, since they describe a file."""
        calls = CallsOfTrial()
        first_row = {
            "name": "bookkeeping",
            "pages": 7,
            "parts": ["one", {"is_whole": True}],
        }
        second_row = {"title": "Rows"}
        result = {"path": "/docs/a.md", "rows": [first_row, second_row]}

        calls.record("read", {"path": "/docs/a.md"}, result)

        (seen,) = calls.access_to("/docs/a.md").seen
        assert seen.text.splitlines() == ["7", "one", "True", "Rows"]
