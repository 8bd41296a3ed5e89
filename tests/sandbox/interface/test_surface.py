"""A surface says which calls may change the world."""

import pytest

from sandbox.interface import FILE_OPERATIONS, Executable, ExecutableKind, FileArguments, Surface

SURFACE = Surface(
    operations=FILE_OPERATIONS,
    executables=(Executable("/bin/id", ExecutableKind.READS), Executable("/bin/ship", ExecutableKind.CHANGES)),
)


@pytest.mark.parametrize(
    ("operation", "arguments", "may_change"),
    [
        ("read", {"path": "/a"}, False),
        ("search", {"pattern": "a"}, False),
        ("write", {"path": "/a", "content": ""}, True),
        ("delete", {"path": "/a"}, True),
        ("exec", {"path": "/bin/id"}, False),
        ("exec", {"path": "/bin/ship"}, True),
        ("exec", {"path": "/bin/ship", "args": ["--help"]}, False),
        ("exec", {"path": "/bin/ship", "args": ["--help", "b7"]}, True),
        ("exec", {"path": "/bin/unknown"}, True),
        ("teleport", {}, True),
    ],
)
def test_a_call_may_change_the_world_unless_it_is_declared_to_read(
    operation: str, arguments: dict[str, object], may_change: bool
) -> None:
    assert SURFACE.may_change(operation, arguments) is may_change


def test_what_is_not_declared_is_none_or_unknown() -> None:
    assert SURFACE.operation("teleport") is None
    found = SURFACE.operation("read")
    assert found is not None
    assert found.name == "read"
    assert SURFACE.executable_kind("/bin/ship") is ExecutableKind.CHANGES
    assert SURFACE.executable_kind("/bin/unknown") is ExecutableKind.UNKNOWN


@pytest.mark.parametrize(
    ("declared", "words", "parts"),
    [
        (FileArguments(), ["/a", "-", "/b"], ((), ("/a", "-", "/b"), ())),
        (FileArguments(first=1), [".x", "/a"], ((".x",), ("/a",), ())),
        (FileArguments(first=1), ["/a"], (("/a",), (), ())),
        (FileArguments(count=1), ["/a", "x", "/b"], ((), ("/a",), ("x", "/b"))),
        (FileArguments(first=1, options=("-r",)), [".x", "-r", "/a"], ((".x",), ("/a",), ())),
        (FileArguments(options=("-n",)), ["-r", "/a"], None),
        (FileArguments(options=("-n",)), ["-nr", "/a"], None),
    ],
)
def test_a_declaration_tells_which_arguments_are_files(
    declared: FileArguments, words: list[str], parts: tuple[tuple[str, ...], ...] | None
) -> None:
    assert declared.split(words) == parts
