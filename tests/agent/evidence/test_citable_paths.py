import random

import pytest

from agent.evidence.evidence_log import PathAliases
from tests.gates.sample_trials import Calls, judged, pad

BOOK = "/shelves/north side/b-104.json"


def record(calls: Calls, operation: str, arguments: dict, result: dict) -> tuple[str, ...]:
    return calls.evidence_log.record(operation, arguments, result, None)


@pytest.mark.parametrize("listing_first", [True, False])
def test_a_path_in_another_case_counts_for_the_listed_spelling(listing_first: bool) -> None:
    calls = Calls()
    if listing_first:
        calls.list("/docs", "/docs/Loans.md")
    notes = calls.read("/DOCS/loans.md")
    if not listing_first:
        calls.list("/docs", "/docs/Loans.md")
    assert calls.evidence_log.check_citation("/DOCS/loans.md#2", "long enough")[0] == "/docs/Loans.md#2"
    assert calls.evidence_log.check_citation("/docs/Loans.md", "long enough")[0] == "/docs/Loans.md"
    assert bool(notes) is listing_first


@pytest.mark.parametrize("listing_first", [True, False])
def test_a_path_that_its_folder_does_not_list_counts_for_its_listed_namesake(listing_first: bool) -> None:
    calls = Calls()

    def look_around() -> tuple[str, ...]:
        calls.list("/shelves", folders=("/shelves/north side",))
        return calls.list("/shelves/north side", BOOK)

    notes = look_around() if listing_first else calls.read("/shelves/b-104.json")
    notes += calls.read("/shelves/b-104.json") if listing_first else look_around()
    assert notes == (f"`/shelves/b-104.json` is `{BOOK}`: cite it by that path.",)
    assert calls.evidence_log.check_citation("/shelves/b-104.json", "long enough")[0] == BOOK
    calls.run("/bin/ship", "b-104")
    assert calls.evidence_log.check_citation("/shelves/b-104.json", "long enough")[0] == BOOK


def test_cite_refuses_with_the_nearest_path_that_was_read() -> None:
    calls = Calls()
    calls.read("/docs/Loans.md", BOOK)
    with pytest.raises(ValueError, match=r"`/docs/loan\.md` was not read .*`/docs/Loans\.md`"):
        calls.evidence_log.check_citation("/docs/loan.md", "long enough")
    with pytest.raises(ValueError, match="under 8 characters"):
        calls.evidence_log.check_citation("/docs/Loans.md", "rules")
    calls.list("/docs", "/docs/Loans.md")
    with pytest.raises(ValueError, match="is a folder"):
        calls.evidence_log.check_citation("/docs/", "long enough")


NAMES = ["/a/x", "/a/X", "/A/x", "/x", "/b/x", "/b/y#1", "/b/y", "/a", "/c/é", "/c/e\u0301"]


@pytest.mark.parametrize("seed", range(40))
def test_a_citation_finds_what_the_gates_find_whatever_was_listed_read_and_renamed(seed: int) -> None:
    calls, chance = Calls(), random.Random(seed)
    for _ in range(60):
        path, other = chance.choice(NAMES), chance.choice(NAMES)
        entry = {"name": "n", "path": other, "is_dir": chance.random() < 0.2}
        match chance.randrange(5):
            case 0:
                record(calls, "list", {"path": path}, {"entries": [entry], "truncated": chance.random() < 0.5})
            case 1:
                record(calls, "read", {"path": path}, {"path": path, "content": "ten words", "truncated": False})
            case 2:
                record(calls, "read", {"path": path}, {"path": other, "content": "ten words", "truncated": False})
            case 3:
                record(calls, "write", {"path": path, "content": "c"}, {"path": path})
            case 4:
                record(calls, "delete", {"path": path}, {"path": path})
        for name in NAMES:
            found = calls.evidence.find(name)
            expected = found.citation if found.access and not found.is_directory else None
            try:
                assert calls.evidence_log.check_citation(name, "long enough")[0] == expected
            except ValueError:
                assert expected is None


def listing(*files: str, folders: tuple[str, ...] = ()) -> dict[str, object]:
    return {"entries": [{"path": path, "is_dir": path in folders} for path in (*files, *folders)]}


@pytest.mark.parametrize(
    ("asked", "result", "shown", "directories"),
    [
        ("/a", listing("/a/X.md", folders=("/a/b",)), ["/a/X.md", "/a/b"], {"/a", "/a/b"}),
        ("/", {"paths": ["/a/x.md", "not a path"], "truncated": False}, ["/a/x.md"], set()),
        ("/", {"matches": [{"path": "/a/x.md", "line": 1, "text": "t"}]}, ["/a/x.md"], set()),
        ("/a", {"path": "/a", "is_dir": True}, [], {"/a"}),
        ("/a", {"path": "/a", "is_dir": False}, [], set()),
        (
            "/a",
            {"name": "a", "is_dir": True, "children": [{"name": "b", "is_dir": True, "children": [{"name": "x.md"}]}]},
            ["/a", "/a/b", "/a/b/x.md"],
            {"/a", "/a/b"},
        ),
    ],
)
def test_every_kind_of_listing_teaches_names(
    asked: str, result: dict[str, object], shown: list[str], directories: set[str]
) -> None:
    known = PathAliases()
    assert known.learn_listing(asked, result) == ()
    assert [path for paths in known.shown.values() for path in paths] == shown
    assert known.directories == directories


def test_the_texts_of_a_trial_are_kept_up_to_a_bound_and_what_was_cut_proves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("agent.evidence.evidence_log.MAX_KEPT_BYTES", 530)
    calls = Calls()
    for path in ("/first", "/second", "/third", "/first"):
        record(calls, "read", {"path": path}, {"path": path, "content": f"twenty characters {path[1:3]}"})
    seen = {path: access.seen for path, access in calls.evidence.accesses.items()}
    assert {path: [(text.text, text.is_whole) for text in texts] for path, texts in seen.items()} == {
        "/first": [("twenty characters fi", True)],
        "/second": [("twenty cha", False)],
        "/third": [("", False)],
    }
    for path, word, is_accepted in (("/first", "twenty", True), ("/third", "twenty", False), ("/first", "moon", False)):
        assert judged(pad(refs_why={path: f"holds {word}, as QX-88 says"}), calls).accepted is is_accepted
