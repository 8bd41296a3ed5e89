"""A text that a trial has read is a *proof* if its words are the environment's, and not the script's.

The trial may cite a file for a proof. A path has the action `read` only if a proof was read there. The
evidence log keeps each text that a call has shown, as `seen`.
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
    """`/docs/copy.md` may be a copy of `/tmp/own.md`, which the script wrote. Still, the environment
    showed the sentence first."""
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
