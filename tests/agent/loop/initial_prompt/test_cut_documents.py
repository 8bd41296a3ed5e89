"""Only documents that the first message shows, at least in part, can be cited.

The message has a section for each document. `initial_prompt_chars` says how many characters all sections
may have, and `SHOWN_RESULT_CHARS`, 12,000, how many one of them may have. A note behind a section says how
many characters are not shown.
"""

import pytest

from controlplane.agent.loop import LoopSettings
from controlplane.sandbox.interface import FILE_OPERATIONS, InitialCall, ToolSchema
from controlplane.sandbox.interface.bounds import SHOWN_RESULT_CHARS
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import Shop

READS_TWO_DOCUMENTS = ToolSchema(
    operations=FILE_OPERATIONS,
    initial_calls=(
        InitialCall("read", {"path": "/docs/a.md"}),
        InitialCall("read", {"path": "/docs/b.md"}),
    ),
)


def test_the_shown_beginning_of_a_cut_document_can_be_cited() -> None:
    """The document has 100 characters more than a section may have. The reason for the citation
    names a word that is shown."""
    text = "fees " + "b" * (SHOWN_RESULT_CHARS - 5 + 100)
    files = {"/docs/a.md": "short", "/docs/b.md": text}
    room_for_all = LoopSettings(initial_prompt_chars=120_000)

    trial = OpenedTrial(
        "What is in b?", Shop(READS_TWO_DOCUMENTS, files=files), settings=room_for_all
    )

    assert "b\n</section>\n(100 more characters:" in trial.message
    path = trial.check_citation("/docs/b.md", "it names the fees")
    assert path == "/docs/b.md"


def test_a_document_for_which_there_was_no_room_cannot_be_cited() -> None:
    """The section of the first document takes all room, and is cut."""
    files = {"/docs/a.md": "a" * 500, "/docs/b.md": "fees " + "b" * 495}
    room_for_a_part = LoopSettings(initial_prompt_chars=100)

    trial = OpenedTrial(
        "What is in b?",
        Shop(READS_TWO_DOCUMENTS, files=files),
        settings=room_for_a_part,
    )

    end_of_cut_section = "a\n</section>\n("
    assert end_of_cut_section in trial.message
    assert "(There was no room to open everything.)" in trial.message
    with pytest.raises(ValueError, match=r"/docs/b\.md"):
        trial.check_citation("/docs/b.md", "it names the fees")
