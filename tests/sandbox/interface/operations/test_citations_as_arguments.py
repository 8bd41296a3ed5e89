"""A citation may be passed to a call instead of its path, as models do.

A script keeps citations such as `{"path": "/docs/a.md", "reason": "the page"}`.
`harness.read(citation)` reads the cited file.
"""

import pytest

from controlplane.sandbox.interface.argument_binding import bound_arguments
from tests.sandbox.interface.operations.declared_file_operations import file_operation


def test_a_call_about_a_path_takes_a_citation_instead() -> None:
    citation = {"path": "/docs/a.md", "reason": "the page"}

    arguments = bound_arguments(
        file_operation("read"), positional=(citation,), named={}
    )

    assert arguments["path"] == "/docs/a.md"


def test_a_citation_does_not_stand_for_any_other_text() -> None:
    """The script passes a citation as the content of a file."""
    citation = {"path": "/docs/a.md", "reason": "the page"}
    write = file_operation("write")

    with pytest.raises(TypeError, match="content is str, not dict"):
        bound_arguments(write, positional=("/docs/b.md", citation), named={})
