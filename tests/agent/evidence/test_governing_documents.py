"""Documents are matched with changes by their names alone, and each is named once."""

import pytest

from agent.evidence.governing_documents import MAX_NOTES, GoverningDocuments
from sandbox.interface import FILE_OPERATIONS, Executable, ExecutableKind, Surface
from tests.agent.evidence.noted_calls import NotedCalls

RULES = "/HANDBOOK.md"
SHOWN = ("/docs/lending.md", "/docs/exports-and-lists.md", "/docs/fees.json", "/docs/lends.txt", "/lists/a.csv")


def note(path: str, *read: str, is_tool: bool = False, rules: str = "", shown: tuple[str, ...] = SHOWN) -> str:
    documents = GoverningDocuments(rules)
    return documents.note(path, {each: [each] for each in shown}, lambda each: each not in read, is_tool=is_tool)


@pytest.mark.parametrize(
    ("path", "is_tool", "named"),
    [
        ("/bin/lend", True, ["/docs/lends.txt"]),
        ("/bin/lending", True, ["/docs/lending.md"]),
        ("/bin/fees", True, []),
        ("/bin/docs", True, []),
        ("/exports/2031/a.csv", False, ["/docs/exports-and-lists.md"]),
        ("/lists/b.csv", False, ["/docs/exports-and-lists.md"]),
        ("/lending.csv", False, []),
        ("/a.csv", False, []),
    ],
)
def test_a_document_governs_the_tool_or_folder_that_its_name_holds(path: str, is_tool: bool, named: list[str]) -> None:
    found = note(path, is_tool=is_tool)
    assert [each for each in SHOWN if f"`{each}`" in found.partition(" before ")[2]] == named


def test_a_document_that_was_read_is_not_named() -> None:
    assert note("/bin/lend", "/docs/lends.txt", is_tool=True) == ""
    assert RULES in note("/bin/lend", "/docs/lends.txt", is_tool=True, rules=RULES)
    assert note("/a.csv", RULES, rules=RULES) == ""


def test_the_rules_that_are_changed_themselves_are_not_asked_for() -> None:
    assert note(RULES, rules=RULES) == ""


def test_a_document_that_is_listed_later_is_found() -> None:
    documents = GoverningDocuments("")
    shown: dict[str, list[str]] = {"/a": ["/a"]}
    assert documents.note("/bin/lend", shown, lambda path: True, is_tool=True) == ""
    shown["/docs/lend.md"] = ["/docs/lend.md"]
    assert "/docs/lend.md" in documents.note("/bin/lend", shown, lambda path: True, is_tool=True)
    assert documents.note("/bin/lend", shown, lambda path: True, is_tool=True) == ""


def test_a_trial_gets_few_notes() -> None:
    documents = GoverningDocuments("")
    shown = {f"/docs/{name}.md": [f"/docs/{name}.md"] for name in (chr(97 + n) * 4 for n in range(26))}
    notes = [documents.note(f"/bin/{chr(97 + n) * 4}", shown, lambda path: True, is_tool=True) for n in range(26)]
    assert len(list(filter(None, notes))) == MAX_NOTES


SURFACE = Surface(
    FILE_OPERATIONS,
    (Executable("/bin/lend", ExecutableKind.CHANGES), Executable("/bin/look", ExecutableKind.READS)),
    rules_document=RULES,
)


def test_changes_of_a_trial_are_told_once_for_each_document_that_was_not_read_before() -> None:
    calls = NotedCalls(SURFACE)
    calls.list("/", RULES, "/docs/lend.md", "/docs/look.md", "/docs/shelves.md")
    assert calls.run("/bin/look") == ()
    assert calls.run("/bin/lend", exit_code=3) == ("`/bin/lend` ended with exit code 3 and said nothing.",)
    (told,) = calls.run("/bin/lend")
    assert told.startswith(f"`/bin/lend` ran before `{RULES}` and `/docs/lend.md` were read")
    assert calls.run("/bin/lend") == ()
    (told,) = calls.write("/shelves/new.json")
    assert "`/shelves/new.json` was changed before `/docs/shelves.md` was read" in told
    assert calls.delete("/shelves/new.json") == ()


def test_changes_after_reading_are_told_nothing() -> None:
    calls = NotedCalls(SURFACE)
    calls.list("/", RULES, "/docs/lend.md", "/docs/shelves.md")
    calls.read(RULES.lower(), "/docs/lend.md", "/docs/shelves.md")
    assert calls.run("/bin/lend") + calls.write("/shelves/new.json") + calls.delete("/shelves/new.json") == ()


def test_rules_that_do_not_exist_are_not_asked_for() -> None:
    calls = NotedCalls(SURFACE)
    calls.fail("read", RULES, "not_found")
    assert calls.run("/bin/lend") == ()
