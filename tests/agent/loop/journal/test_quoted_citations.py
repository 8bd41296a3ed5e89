"""A script cites a file with the words in it that support the answer.

`scratchpad.cite("/note.txt", reason, quote="the word is heron")` is refused if the words are not in
what the script has read of the file. The journal has each citation, with the line of its quotation.
"""

from controlplane.sandbox import ForkServer
from tests.agent.loop.journal.note_script import step_on_note


def test_a_wrong_quotation_is_refused_and_journalled_without_a_line(
    server: ForkServer,
) -> None:
    step = step_on_note(
        server,
        """
harness.read("/note.txt")
try:
    scratchpad.cite("/note.txt", "it says so", quote="the word is crane")
except CitationError as error:
    print(error)
""",
        note="the word is heron\n",
    )

    assert "`the word is crane` is not in what was read of `/note.txt`" in step.output
    (citation,) = step.citations
    assert citation.quote == "the word is crane"
    assert citation.line == 0
    assert citation.error != ""


def test_a_right_quotation_is_journalled_with_the_line_in_which_it_begins(
    server: ForkServer,
) -> None:
    """It may have other capital letters, blanks and line breaks than the file."""
    step = step_on_note(
        server,
        """
harness.read("/note.txt")
scratchpad.cite("/note.txt", "it says so", quote="WORD  is heron")
""",
        note="a note\n\nthe word\nis heron\n",
    )

    (citation,) = step.citations
    assert citation.quote == "WORD  is heron"
    assert citation.line == 3
    assert citation.error == ""
