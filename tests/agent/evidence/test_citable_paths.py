"""Which path a citation stands for."""

import random

import pytest

from tests.gates.sample_trials import Calls

BOOK = "/shelves/north side/b-104.json"


def citable(calls: Calls, path: str) -> bool:
    try:
        calls.evidence_log.cite(path, "long enough")
    except ValueError:
        return False
    return True


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
    assert calls.evidence_log.cite("/DOCS/loans.md#2", "long enough")[0] == "/docs/Loans.md#2"
    assert calls.evidence_log.cite("/docs/Loans.md", "long enough")[0] == "/docs/Loans.md"
    assert bool(notes) is listing_first


def test_an_alias_that_its_result_tells_counts_for_the_real_path() -> None:
    calls = Calls()
    notes = calls.read("/shelves/b-104.json", resolved=BOOK)
    assert notes == (f"`/shelves/b-104.json` is `{BOOK}`: cite it by that path.",)
    assert calls.evidence_log.cite("/shelves/b-104.json#x", "long enough")[0] == f"{BOOK}#x"
    assert calls.evidence.touches[BOOK].holds_any({"b-104"})


@pytest.mark.parametrize("listing_first", [True, False])
def test_a_path_that_its_folder_does_not_list_counts_for_its_listed_namesake(listing_first: bool) -> None:
    calls = Calls()

    def look_around() -> tuple[str, ...]:
        calls.list("/shelves", folders=("/shelves/north side",))
        return calls.list("/shelves/north side", BOOK)

    notes = look_around() if listing_first else calls.read("/shelves/b-104.json")
    notes += calls.read("/shelves/b-104.json") if listing_first else look_around()
    assert notes == (f"`/shelves/b-104.json` is `{BOOK}`: cite it by that path.",)
    assert calls.evidence_log.cite("/shelves/b-104.json", "long enough")[0] == BOOK
    calls.run("/bin/ship", "b-104")
    assert calls.evidence_log.cite("/shelves/b-104.json", "long enough")[0] == BOOK


def test_two_listed_files_of_one_name_are_two_files() -> None:
    calls = Calls()
    calls.list("/a", "/a/x.json")
    calls.list("/b", "/b/x.json")
    calls.read("/a/x.json")
    assert citable(calls, "/a/x.json")
    assert not citable(calls, "/b/x.json")


def test_names_that_differ_only_by_case_stay_apart_where_both_are_listed() -> None:
    calls = Calls()
    calls.list("/a", "/a/x.json", "/a/X.json")
    calls.read("/a/X.json")
    assert calls.evidence_log.cite("/a/X.json", "long enough")[0] == "/a/X.json"
    assert not citable(calls, "/a/x.json")


def test_cite_refuses_with_the_nearest_path_that_was_read() -> None:
    calls = Calls()
    calls.read("/docs/Loans.md", BOOK)
    with pytest.raises(ValueError, match=r"`/docs/loan\.md` was not read .*`/docs/Loans\.md`"):
        calls.evidence_log.cite("/docs/loan.md", "long enough")
    with pytest.raises(ValueError, match="under 8 characters"):
        calls.evidence_log.cite("/docs/Loans.md", "rules")
    calls.list("/docs", "/docs/Loans.md")
    with pytest.raises(ValueError, match="is a folder"):
        calls.evidence_log.cite("/docs/", "long enough")


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
        for each in NAMES:
            found = calls.evidence.find(each)
            expected = found.citation if found.touch and not found.is_directory else None
            try:
                assert calls.evidence_log.cite(each, "long enough")[0] == expected
            except ValueError:
                assert expected is None
