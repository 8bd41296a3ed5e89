"""Only documents that the first message shows, at least in part, can be cited.

The setting `initial_prompt_chars` says how many characters of results the message may show.
"""

import pytest

from controlplane.agent.loop import LoopSettings
from controlplane.sandbox.interface import FILE_OPERATIONS, InitialCall, ToolSchema
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
    """At most 12,000 characters of a document are shown, and this one has 100 more."""
    files = {"/docs/a.md": "short", "/docs/b.md": "b" * 12_100}
    settings = LoopSettings(initial_prompt_chars=120_000)

    trial = OpenedTrial(
        "What is in b?", Shop(READS_TWO_DOCUMENTS, files=files), settings=settings
    )

    assert "b\n</section>\n(100 more characters:" in trial.message
    path = trial.check_citation("/docs/b.md", "the bbbbbb rule")
    assert path == "/docs/b.md"


def test_a_document_for_which_there_was_no_room_cannot_be_cited() -> None:
    """The first document has more characters than the message may show of both."""
    files = {"/docs/a.md": "a" * 500, "/docs/b.md": "b" * 500}
    settings = LoopSettings(initial_prompt_chars=100)

    trial = OpenedTrial(
        "What is in b?", Shop(READS_TWO_DOCUMENTS, files=files), settings=settings
    )

    assert "a\n</section>\n(" in trial.message
    assert "(There was no room to open everything.)" in trial.message
    with pytest.raises(ValueError, match=r"/docs/b\.md"):
        trial.check_citation("/docs/b.md", "the bbbbbb rule")
