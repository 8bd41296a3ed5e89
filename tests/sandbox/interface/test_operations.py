"""What an environment's declaration tells of a call."""

import pytest

from sandbox.interface import FILE_OPERATIONS, Executable, ExecutableKind, Surface

SURFACE = Surface(
    FILE_OPERATIONS,
    (Executable("/bin/id", ExecutableKind.READS), Executable("/bin/checkout", ExecutableKind.CHANGES)),
)


@pytest.mark.parametrize(
    ("operation", "path", "expected"),
    [
        ("read", "/a", False),
        ("list", "/", False),
        ("write", "/a", True),
        ("delete", "/a", True),
        ("exec", "/bin/id", False),
        ("exec", "/bin/checkout", True),
        ("exec", "/bin/unheard-of", True),
        ("unheard_of", "/a", True),
    ],
)
def test_only_what_is_declared_to_read_leaves_the_world_as_it_was(operation: str, path: str, expected: bool) -> None:
    assert SURFACE.may_change(operation, {"path": path}) is expected


@pytest.mark.parametrize(("args", "expected"), [(["--help"], False), (["--help", "c1"], True), ([], True)])
def test_only_asking_a_tool_how_it_is_used_leaves_the_world_as_it_was(args: list[str], expected: bool) -> None:
    assert SURFACE.may_change("exec", {"path": "/bin/checkout", "args": args}) is expected
