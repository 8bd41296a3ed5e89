"""A note on a search by `harness.find` that found nothing says what to call instead.

`find` looks for the names of files, such as `trips.md` or `*.md`. Models pass paths to it:
`harness.find("docs/trips.md")` -> the note says `harness.read("/docs/trips.md")`.
"""

from controlplane.agent.loop.session.call_notes import find_note


def note_on_find(pattern: str, paths: list[str]) -> str:
    """Return the note on a script's `harness.find(pattern)` that found these paths."""
    return find_note("find", {"name": pattern}, {"paths": paths}, can_read=True)


def test_a_find_for_a_path_is_told_how_to_read_it() -> None:
    """`find` looks for names, and `docs/trips.md` is a path."""
    assert 'harness.read("/docs/trips.md")' in note_on_find("docs/trips.md", [])


def test_a_find_for_a_pattern_with_a_folder_is_told_to_pass_the_folder() -> None:
    """`find` looks for names below a folder, its argument `root`."""
    assert 'harness.find("*.md", root="/docs")' in note_on_find("/docs/*.md", [])


def test_a_find_that_found_something_gets_no_note() -> None:
    """Here a name may have a slash in it."""
    assert note_on_find("a/b", ["/a/b"]) == ""


def test_a_find_for_a_plain_name_gets_no_note() -> None:
    """There is simply no such file."""
    assert note_on_find("trips.md", []) == ""
