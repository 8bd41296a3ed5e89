"""The error of a wrong call of a file tree says what there is instead, and has a code of its kind.

A script can tell by the code whether to look elsewhere or to correct its call.
"""

import pytest

from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import CallError


@pytest.fixture
def tree():
    """A tree with two files and the folder of one of them, `/docs`."""
    return FileTree({"/AGENTS.MD": "one\ntwo\nthree\n", "/docs/a.md": "alpha\n"})


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/agents.md", "there is no /agents.md; there is /AGENTS.MD"),
        ("/docs/b.md", "there is no /docs/b.md; there is /docs/a.md"),
        ("/docs/zzzz", "there is no /docs/zzzz"),
        ("/nowhere/a.md", "there is no /nowhere/a.md"),
    ],
)
def test_the_error_of_a_missing_path_names_a_similar_one_beside_it(tree, path, message):
    """Models often misspell a path by a letter or in its case."""
    with pytest.raises(CallError) as refused:
        tree.read(path)

    assert refused.value.message == message


@pytest.mark.parametrize(
    ("operation", "arguments", "code"),
    [
        # There is no such file or folder.
        ("read", {"path": "/none"}, "not_found"),
        ("list", {"path": "/none"}, "not_found"),
        ("find", {"name": "x", "root": "/none"}, "not_found"),
        ("stat", {"path": "/none"}, "not_found"),
        ("delete", {"path": "/none"}, "not_found"),
        # The path is that of a folder, or of a file, where the other is needed.
        ("read", {"path": "/docs"}, "invalid_argument"),
        ("list", {"path": "/AGENTS.MD"}, "invalid_argument"),
        ("write", {"path": "/docs", "content": "x"}, "failed_precondition"),
        ("write", {"path": "/AGENTS.MD/x", "content": "x"}, "failed_precondition"),
        ("delete", {"path": "/docs"}, "failed_precondition"),
        # An argument is wrong whatever files there are.
        ("read", {"path": "/a\x00b"}, "invalid_argument"),
        (
            "read",
            {"path": "/AGENTS.MD", "start_line": 3, "end_line": 2},
            "invalid_argument",
        ),
        ("read", {"path": "/AGENTS.MD", "start_line": -1}, "invalid_argument"),
        ("tree", {"root": "/", "level": -1}, "invalid_argument"),
        ("find", {"name": "x", "kind": "links"}, "invalid_argument"),
        ("search", {"pattern": "("}, "invalid_argument"),
    ],
)
def test_a_wrong_call_fails_with_the_code_of_its_kind(tree, operation, arguments, code):
    call = getattr(tree, operation)

    with pytest.raises(CallError) as refused:
        call(**arguments)

    assert refused.value.code == code


@pytest.mark.parametrize("number", [2**63, 2**64 - 1, int(1e300)])
def test_numbers_beyond_those_of_the_machine_mean_all_there_is(tree, number):
    assert tree.read("/AGENTS.MD", 2, number)["content"] == "two\nthree\n"
    assert tree.read("/AGENTS.MD", number)["content"] == ""
    assert tree.find("*.md", limit=number) == {
        "paths": ["/docs/a.md"],
        "truncated": False,
    }
