"""A script over a folder may cite only what it has opened.

`scratchpad.cite(path, reason)` keeps a path as evidence for the answer. A path may end with a
place in the file, such as `#row=1`; but `#1` may also be a part of a file's name.
"""

import pytest

from tests.sandbox.files.disk.cited_paths import paths_after_citation

pytestmark = pytest.mark.usefixtures("commands_share_servers")


@pytest.mark.parametrize(
    ("action", "path", "cited_path"),
    [
        pytest.param(
            "harness.read('/docs/a.txt')",
            "/docs/a.txt#row=1",
            "/docs/a.txt#row=1",
            id="a fragment of a file that was read",
        ),
        pytest.param(
            "harness.read('/docs/a.txt')",
            "/docs//a.txt#row=1",
            "/docs/a.txt#row=1",
            id="a fragment, with two slashes",
        ),
        pytest.param(
            "harness.exec('/bin/cat', ['/docs/a.txt'])",
            "/docs/a.txt",
            "/docs/a.txt",
            id="a file that a tool read",
        ),
        pytest.param(
            "harness.write('/docs/a.txt#1', 'x')",
            "/docs/a.txt#1",
            "/docs/a.txt#1",
            id="a file whose name has the sign of a fragment",
        ),
    ],
)
def test_a_path_that_the_script_opened_can_be_cited(folder, action, path, cited_path):
    assert paths_after_citation(folder, action, path) == [cited_path]


@pytest.mark.parametrize(
    ("action", "path"),
    [
        pytest.param(
            "harness.exec('/bin/cat', ['/docs/a.txt', '/none'])",
            "/docs/a.txt",
            id="the tool that read it failed",
        ),
        pytest.param(
            "harness.write('/docs/a.txt#1', 'x')",
            "/docs/a.txt",
            id="a file with '#1' in its name was opened instead",
        ),
        pytest.param(
            "harness.write('/docs/a.txt#1', 'x')",
            "/docs/a.txt#2",
            id="a file with '#1' in its name was opened, not '#2'",
        ),
        pytest.param(
            "harness.read('/docs/a.txt')", "/docs/b#1", id="another file was opened"
        ),
    ],
)
def test_a_path_that_the_script_did_not_open_cannot_be_cited(folder, action, path):
    """A tool that fails may have shown nothing of the file."""
    (folder / "docs/b").write_text("x")
    (folder / "docs/b#1").write_text("x")

    assert paths_after_citation(folder, action, path) == []
