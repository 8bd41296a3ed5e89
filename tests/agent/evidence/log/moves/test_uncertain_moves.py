"""A file may have been moved although the call failed, or named the file in another case.

A move that timed out may have been made. In many environments, `/Drafts` and `/drafts` are the same
folder. In both cases, the new path may have a text that the script wrote before the move, so the file
there does not count as read.
"""

import pytest

from tests.agent.evidence.log.moves.moving_trial import MovingTrial


def test_a_file_does_not_count_as_read_after_a_move_that_may_have_been_made() -> None:
    """The move has timed out. If it was made, `/out/b.md` has the text of `/in/b.md`, which nobody
    has read before."""
    trial = MovingTrial()
    trial.move_with_timeout("/in/b.md", "/out/b.md")

    trial.read_text("/out/b.md", "approved by the board")

    assert not trial.counts_as_read("/out/b.md")


def test_a_written_file_does_not_count_as_read_if_another_spelling_was_moved() -> None:
    """The script writes into `/Drafts/Old`, and moves `/drafts/old`. In many environments, this
    is the same folder."""
    trial = MovingTrial()
    trial.write("/Drafts/Old/c.md", "the request is\napproved by the board")
    trial.move("/drafts/old", "/moved")

    trial.read_second_line("/moved/c.md", "approved by the board")

    assert not trial.counts_as_read("/moved/c.md")


@pytest.mark.parametrize(
    "path_of_file",
    [
        pytest.param("/moved/c.md", id="moved by a name in another case"),
        pytest.param("/late/c.md", id="moved by a call that may have been made"),
    ],
)
def test_a_written_file_does_not_count_as_read_wherever_it_may_be(
    path_of_file: str,
) -> None:
    """The script moves the folder twice. The first call spells its path in lower case, and the
    second one times out. So the file that it wrote may be at either place."""
    trial = MovingTrial()
    trial.write("/Drafts/Old/c.md", "the request is\napproved by the board")
    trial.move("/drafts/old", "/moved")
    trial.move_with_timeout("/Drafts/Old", "/late")

    trial.read_second_line(path_of_file, "approved by the board")

    assert not trial.counts_as_read(path_of_file)
