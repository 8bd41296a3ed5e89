"""A text that a trial has read is a proof if it is by the environment, and not by the script.

A path counts as read, as its `actions` say, only if a text that was read there is a proof. The evidence
log keeps each text that a call has shown, as `seen`.
"""

from tests.gates.recorded_calls import CallsOfTrial


def test_a_text_of_a_file_is_proof() -> None:
    calls = CallsOfTrial()
    calls.read_text("/docs/a.md", "Refunds over EUR 50 need two signatures.")

    access = calls.access_to("/docs/a.md")

    (seen,) = access.seen
    assert seen.shows_whole_file
    assert seen.is_proof
    assert "read" in access.actions


def test_a_sentence_that_was_shown_before_the_script_wrote_it_is_proof() -> None:
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


def test_a_sentence_that_the_script_made_of_shown_words_is_its_own() -> None:
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
