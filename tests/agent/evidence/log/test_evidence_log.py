"""What the evidence log learns from a trial's calls: names of files, their texts, and changes.

Models spell paths freely: `/DOCS/loans.md` for `/docs/Loans.md`. The log learns the right
spelling from listings and cites the file by it. It keeps the texts that calls showed, and knows
which of them the trial wrote itself. Those are not proof of anything.
"""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest

from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.gates.trial.accesses import Access
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Parameter,
    ToolSchema,
    bounds,
)
from tests.gates.sample_trials import (
    TOOL_SCHEMA,
    CallsOfTrial,
    judge_scratchpad,
    valid_scratchpad,
)

REASON = "long enough"
"""A reason for a citation of which only the length matters here."""


def cited_path(calls: CallsOfTrial, path: str) -> str:
    """Return the path by which the script's function `cite` cites a file."""
    return calls.cite(path, REASON).spelling


# The spelling of a path in another case
# --------------------------------------------------------------------------------------------------------------


def check_both_spellings(calls: CallsOfTrial) -> None:
    """Assert that the file is cited as listed, whichever spelling the script uses.

    `#2` stands for part 2 of the file.
    """
    assert cited_path(calls, "/DOCS/loans.md#2") == "/docs/Loans.md#2"
    assert cited_path(calls, "/docs/Loans.md") == "/docs/Loans.md"


def test_a_path_in_another_case_than_listed_is_noted_and_cited_as_listed() -> None:
    """The note tells the model the right spelling."""
    calls = CallsOfTrial()
    calls.list_folder("/docs", "/docs/Loans.md")

    notes = calls.read("/DOCS/loans.md")

    assert notes != ()
    check_both_spellings(calls)


def test_a_path_is_cited_as_listed_even_if_it_is_listed_later() -> None:
    """When the script reads the file, the right spelling is not known yet, so there is no note."""
    calls = CallsOfTrial()

    notes = calls.read("/DOCS/loans.md")
    calls.list_folder("/docs", "/docs/Loans.md")

    assert notes == ()
    check_both_spellings(calls)


# A path that lacks a folder. Some environments find the file nevertheless.
# --------------------------------------------------------------------------------------------------------------

BOOK = "/shelves/north side/b-104.json"
SHORT_PATH = "/shelves/b-104.json"
"""The path of the book without its folder `north side`, as a model may misremember it."""
NOTE_ON_SHORT_PATH = f"`{SHORT_PATH}` is `{BOOK}`: cite it by that path."


def list_shelves(calls: CallsOfTrial) -> tuple[str, ...]:
    """List the folder `/shelves` and its folder `north side`, in which the book is.

    Return the notes that the model gets on the second listing.
    """
    calls.list_folder("/shelves", folders=("/shelves/north side",))
    return calls.list_folder("/shelves/north side", BOOK)


def test_a_short_path_is_noted_when_it_is_read_after_the_listings() -> None:
    """`/shelves` has been listed and has no `b-104.json`. The only listed file of this name is in the
    folder `north side`."""
    calls = CallsOfTrial()
    list_shelves(calls)

    notes = calls.read(SHORT_PATH)

    assert notes == (NOTE_ON_SHORT_PATH,)
    assert cited_path(calls, SHORT_PATH) == BOOK


def test_a_short_path_is_noted_when_the_listings_come_later() -> None:
    """The script reads `/shelves/b-104.json`. Later listings show that the only file of this name is
    in the folder `/shelves/north side`."""
    calls = CallsOfTrial()

    notes = calls.read(SHORT_PATH) + list_shelves(calls)

    assert notes == (NOTE_ON_SHORT_PATH,)
    assert cited_path(calls, SHORT_PATH) == BOOK


def test_a_program_that_changes_something_does_not_affect_a_short_path() -> None:
    """The program may have moved the file. But until a call shows another path, the log cites the
    file by the listed one."""
    calls = CallsOfTrial()
    list_shelves(calls)
    calls.read(SHORT_PATH)

    calls.run("/bin/ship", "b-104")

    assert cited_path(calls, SHORT_PATH) == BOOK


# Citations that are refused
# --------------------------------------------------------------------------------------------------------------


def test_citing_an_unread_path_names_the_nearest_one_that_was_read() -> None:
    """The script has read `/docs/Loans.md`, and cites `/docs/loan.md`."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md", BOOK)

    with pytest.raises(
        ValueError, match=r"`/docs/loan\.md` was not read .*`/docs/Loans\.md`"
    ):
        calls.cite("/docs/loan.md", REASON)


def test_citing_with_a_short_reason_is_refused() -> None:
    """The reason "rules" is shorter than 8 characters."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")

    with pytest.raises(ValueError, match="under 8 characters"):
        calls.cite("/docs/Loans.md", "rules")


def test_citing_a_folder_is_refused() -> None:
    """A folder says nothing that an answer could rest on. The listing shows that `/docs` is one."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    calls.list_folder("/docs", "/docs/Loans.md")

    with pytest.raises(ValueError, match="is a folder"):
        calls.cite("/docs/", REASON)


# `cite` and the gates agree, after random calls
#
# A script cites a file by the function `cite`, and the gates check the citation when the answer is
# submitted. Both must accept a path by the same spelling, or both must refuse it.
# --------------------------------------------------------------------------------------------------------------

# Paths that could be taken for one another: by their case, their accents, or a fragment `#1`.
CONFUSABLE_PATHS = [
    "/a/x",
    "/a/X",
    "/A/x",
    "/x",
    "/b/x",
    "/b/y#1",  # a file of this name, or part 1 of the file /b/y
    "/b/y",
    "/a",
    "/c/é",
    "/c/e\u0301",  # the same letter as an e with an accent
]


def make_random_call(calls: CallsOfTrial, chance: random.Random) -> None:
    """List a folder, read a file, write or delete one.

    In "read resolved", the environment says that it has read a file at another path.
    """
    path = chance.choice(CONFUSABLE_PATHS)
    other_path = chance.choice(CONFUSABLE_PATHS)
    match chance.choice(("list", "read", "read resolved", "write", "delete")):
        case "list":
            is_folder = chance.random() < 0.2
            is_truncated = chance.random() < 0.5
            entry = {"name": "n", "path": other_path, "is_dir": is_folder}
            result = {"entries": [entry], "truncated": is_truncated}
            calls.record("list", {"path": path}, result)
        case "read":
            calls.read_text(path, "ten words")
        case "read resolved":
            result = {"path": other_path, "content": "ten words", "truncated": False}
            calls.record("read", {"path": path}, result)
        case "write":
            calls.write(path, "c")
        case "delete":
            calls.delete(path)


def citation_by_gates(calls: CallsOfTrial, path: str) -> str | None:
    """Return the spelling of a path by which the gates accept its citation; None if they refuse.

    They refuse a path that no call has accessed, and a folder.
    """
    cited_file = calls.evidence.find(path)
    if cited_file.access is None or cited_file.is_directory:
        return None
    return cited_file.citation


def citation_by_cite(calls: CallsOfTrial, path: str) -> str | None:
    """Return the spelling of a path by which `cite` cites it; None if it refuses the path."""
    try:
        return cited_path(calls, path)
    except ValueError:
        return None


@pytest.mark.parametrize("seed", range(40))
def test_cite_and_the_gates_agree_on_every_path_after_any_calls(seed: int) -> None:
    """A citation that `cite` has accepted must not be rejected when the answer is submitted. Both are
    asked about every path after each of 60 random calls."""
    calls = CallsOfTrial()
    chance = random.Random(seed)

    for _ in range(60):
        make_random_call(calls, chance)
        for path in CONFUSABLE_PATHS:
            assert citation_by_cite(calls, path) == citation_by_gates(calls, path)


# Listings
#
# A listing is the result of a call that shows names of files. Each call returns them in another shape,
# and the log learns from it which paths exist, and which of them are folders.
# --------------------------------------------------------------------------------------------------------------


class Learnt(NamedTuple):
    """What is known after one listing."""

    paths: list[str]
    """All paths that it has shown, whether of files or of folders."""
    folders: set[str]
    """The paths that are known to be folders."""


def learn_from(requested_path: str, result: dict[str, object]) -> Learnt:
    """Learn from the result of a call about a path. No path was known before."""
    known = KnownPaths()

    notes = known.learn_listing(requested_path, result)

    assert notes == ()  # There is no earlier path that the listing could correct.
    paths: list[str] = []
    # Paths that differ only in upper and lower case stand together.
    for spellings in known.listings.paths.by_key.values():
        paths.extend(spellings)
    return Learnt(paths, known.listings.folders.paths)


def test_a_list_of_a_folder_teaches_its_entries_and_that_it_is_a_folder() -> None:
    """`harness.list("/a")` shows the entries of `/a`, so `/a` must be a folder, too."""
    file_entry = {"path": "/a/X.md", "is_dir": False}
    folder_entry = {"path": "/a/b", "is_dir": True}

    learnt = learn_from("/a", {"entries": [file_entry, folder_entry]})

    assert learnt.paths == ["/a/X.md", "/a/b"]
    assert learnt.folders == {"/a", "/a/b"}


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(
            {"paths": ["/a/x.md", "not a path"], "truncated": False}, id="by name"
        ),
        pytest.param(
            {"matches": [{"path": "/a/x.md", "line": 1, "text": "t"}]}, id="in texts"
        ),
    ],
)
def test_a_search_teaches_the_paths_that_it_found_but_no_folder(
    result: dict[str, object],
) -> None:
    """What a search finds may be a file or a folder, and so may the path at which it begins. A text
    that does not begin with a slash, "not a path", is not learnt."""
    learnt = learn_from("/", result)

    assert learnt.paths == ["/a/x.md"]
    assert learnt.folders == set()


def test_a_stat_teaches_only_whether_a_path_is_a_folder() -> None:
    """A stat of `/a` returns no names, except `/a` itself. This spelling is the script's own, and may
    be wrong, so the path is not learnt."""
    of_folder = learn_from("/a", {"path": "/a", "is_dir": True})
    of_file = learn_from("/a", {"path": "/a", "is_dir": False})

    assert of_folder == Learnt(paths=[], folders={"/a"})
    assert of_file == Learnt(paths=[], folders=set())


def test_a_tree_teaches_all_paths_below_a_folder() -> None:
    """A tree has names instead of paths: its file `x.md` is `/a/b/x.md`."""
    subfolder = {"name": "b", "is_dir": True, "children": [{"name": "x.md"}]}

    learnt = learn_from("/a", {"name": "a", "is_dir": True, "children": [subfolder]})

    assert learnt.paths == ["/a", "/a/b", "/a/b/x.md"]
    assert learnt.folders == {"/a", "/a/b"}


# Texts
#
# A citation needs a text that shows what the answer says. The log keeps the texts that calls returned.
# --------------------------------------------------------------------------------------------------------------


def read_text(calls: CallsOfTrial, path: str, content: str, **arguments: int) -> None:
    """Read a file, with further arguments such as `start_line=2`."""
    result = {"path": path, "content": content}
    calls.record("read", {"path": path, **arguments}, result)


# The log tells texts of the environment from those that the script wrote itself and then read again.
# Only the former prove anything. A path gets the action `read` only if such a text was read there.


def has_proof(access: Access) -> bool:
    """Return True if a text seen at this path is the environment's own, and not the script's."""
    return any(text.is_proof for text in access.seen)


def was_read(access: Access) -> bool:
    """Return True if the log counts the path as read, so that an answer may cite it."""
    return "read" in access.actions


@pytest.fixture
def calls_beyond_limit(monkeypatch: pytest.MonkeyPatch) -> CallsOfTrial:
    """Return the calls of a trial that read three files of 20 characters, and the first one again.

    The log has room for the first one, for half of the second, and not for the third.
    """
    first_text_bytes = 20
    bytes_of_any_text = 500  # what the log counts for each text beside its characters
    bytes_left_for_second_text = 10
    monkeypatch.setattr(
        bounds,
        "MOST_EVIDENCE_BYTES",
        first_text_bytes + bytes_of_any_text + bytes_left_for_second_text,
    )
    calls = CallsOfTrial()
    read_text(calls, "/first", "twenty characters fi")
    read_text(calls, "/second", "twenty characters se")
    read_text(calls, "/third", "twenty characters th")
    read_text(calls, "/first", "twenty characters fi")
    return calls


def test_texts_are_kept_up_to_a_limit(calls_beyond_limit: CallsOfTrial) -> None:
    """The log keeps half of the second file, and nothing of the third one. The first one was read
    twice, and is kept once."""
    texts: dict[str, list[str]] = {}
    for path, access in calls_beyond_limit.evidence.accesses.items():
        texts[path] = [seen.text for seen in access.seen]

    assert texts == {
        "/first": ["twenty characters fi"],
        "/second": ["twenty cha"],
        "/third": [""],
    }


def test_texts_that_were_cut_are_marked_as_not_whole(
    calls_beyond_limit: CallsOfTrial,
) -> None:
    """What is not in the kept part of a text may have been in the rest, so nobody may conclude that
    the file does not have it."""
    is_whole: dict[str, list[bool]] = {}
    for path, access in calls_beyond_limit.evidence.accesses.items():
        is_whole[path] = [seen.is_whole for seen in access.seen]

    assert is_whole == {"/first": [True], "/second": [False], "/third": [False]}


@pytest.mark.parametrize(
    ("path", "reason", "is_accepted"),
    [
        pytest.param("/first", "holds twenty", True, id="word of the kept text"),
        pytest.param("/first", "holds moon", False, id="word of no text"),
        pytest.param("/third", "holds twenty", False, id="word of the cut text"),
    ],
)
def test_only_a_word_of_the_kept_text_justifies_a_citation(
    calls_beyond_limit: CallsOfTrial, path: str, reason: str, is_accepted: bool
) -> None:
    """All files have the word "twenty". The log could not keep the text of the third one."""
    scratchpad = valid_scratchpad(refs_why={path: reason})

    judgement = judge_scratchpad(scratchpad, calls_beyond_limit)

    assert judgement.accepted is is_accepted


SENTENCE = "Refunds over EUR 50 need two signatures."


def access_to_copy_of_own_file(is_shown_before: bool) -> Access:
    """Return what a trial saw in `/docs/copy.md`, which has the text of its own file.

    The script reads single words of `SENTENCE` in two files and, if `is_shown_before`, the whole
    sentence in a third one. It then writes the sentence into its own file, and reads the copy.
    """
    calls = CallsOfTrial()
    read_text(calls, "/docs/a.md", "two signatures need over 50 EUR")
    read_text(calls, "/docs/b.md", "Refunds")
    if is_shown_before:
        read_text(calls, "/docs/c.md", SENTENCE)
    calls.write("/tmp/own.md", SENTENCE)
    read_text(calls, "/docs/copy.md", SENTENCE)
    return calls.access_to("/docs/copy.md")


def test_a_sentence_that_the_script_made_of_shown_words_is_its_own_at_any_path() -> (
    None
):
    """The environment has shown each word, but not the sentence. The copy shows it after the script
    wrote it, so it is the script's own."""
    access = access_to_copy_of_own_file(is_shown_before=False)

    assert not was_read(access)
    assert not has_proof(access)


def test_a_sentence_that_was_shown_before_the_script_wrote_it_is_proof() -> None:
    """A file has shown the sentence before the script wrote it, so it is the environment's."""
    access = access_to_copy_of_own_file(is_shown_before=True)

    assert was_read(access)
    assert has_proof(access)


def test_a_result_without_a_text_shows_the_values_of_its_fields() -> None:
    """The text is made of all values in the result, one in a line. Values of the fields `path` and
    `name` are left out, since they describe a file."""
    calls = CallsOfTrial()
    first_row = {
        "name": "bookkeeping",
        "pages": 7,
        "parts": ["one", {"is_whole": True}],
    }
    second_row = {"title": "Rows"}
    result = {"path": "/docs/a.md", "rows": [first_row, second_row]}

    calls.record("read", {"path": "/docs/a.md"}, result)

    (seen,) = calls.access_to("/docs/a.md").seen
    assert seen.text.splitlines() == ["7", "one", "True", "Rows"]


# Moved files: a move deletes at one path, and writes at the other
#
# The text at the new path may be one that the script wrote itself. So it proves nothing, and reading it
# does not count as a `read`. A script could also read only the second line of a file that it wrote,
# which is not the text that it wrote.
# --------------------------------------------------------------------------------------------------------------

MOVE = Operation(
    name="move",
    parameters=(Parameter("path", "str"), Parameter("to", "str")),
    fields=(),
    summary="moves a file or a folder",
    effect=Effect.MOVES,
    target="to",
)
"""The call `move(path, to)`, which some environments have."""
TIMEOUT = CallError("deadline_exceeded", "late")
"""The error of a call that may have been made nevertheless."""


@pytest.fixture
def calls_with_move() -> CallsOfTrial:
    """Return a trial that has made no call yet, and can move files."""
    return CallsOfTrial(ToolSchema((*TOOL_SCHEMA.operations, MOVE)))


def move(
    calls: CallsOfTrial, path: str, to: str, error: CallError | None = None
) -> None:
    """Move a file or a folder. With an error, the call has failed."""
    result = None if error else {}
    calls.evidence_log.record("move", {"path": path, "to": to}, result, error)


def test_a_move_is_recorded_as_two_changes(calls_with_move: CallsOfTrial) -> None:
    """First a folder is moved, and then a file."""
    move(calls_with_move, "/drafts", "/docs")
    move(calls_with_move, "/in/a.md", "/out/a.md")

    changes = [
        (change.path, change.action) for change in calls_with_move.evidence.changes
    ]
    assert changes == [
        ("/drafts", "delete"),
        ("/docs", "write"),
        ("/in/a.md", "delete"),
        ("/out/a.md", "write"),
    ]


def test_a_moved_file_that_was_not_read_before_proves_nothing(
    calls_with_move: CallsOfTrial,
) -> None:
    """What the script reads at the new path may be its own text, which it has moved there."""
    move(calls_with_move, "/in/a.md", "/out/a.md")
    read_text(calls_with_move, "/out/a.md", "approved", start_line=2)

    old_place = calls_with_move.access_to("/in/a.md")
    new_place = calls_with_move.access_to("/out/a.md")
    assert old_place.actions == {"delete"}
    assert new_place.actions == {"write"}
    assert not has_proof(new_place)


def test_a_written_file_proves_nothing_after_its_folder_was_moved(
    calls_with_move: CallsOfTrial,
) -> None:
    """The script writes `/drafts/own.md`, moves `/drafts` to `/docs`, and reads the second line of
    `/docs/own.md`."""
    calls_with_move.write("/drafts/own.md", "approved by the board")
    move(calls_with_move, "/drafts", "/docs")
    read_text(calls_with_move, "/docs/own.md", "approved", start_line=2)

    assert not has_proof(calls_with_move.access_to("/docs/own.md"))


def test_a_file_proves_nothing_after_a_move_that_may_have_been_made(
    calls_with_move: CallsOfTrial,
) -> None:
    """The call has timed out. The file may have been moved all the same, so what is read at the new
    path may be the script's own text."""
    move(calls_with_move, "/in/b.md", "/out/b.md", TIMEOUT)
    read_text(calls_with_move, "/out/b.md", "x y")

    assert not was_read(calls_with_move.access_to("/out/b.md"))


@pytest.mark.parametrize(
    "moved_path",
    [
        pytest.param("/moved/c.md", id="moved by a name in another case"),
        pytest.param("/late/c.md", id="moved by a call that may have been made"),
    ],
)
def test_a_written_file_proves_nothing_wherever_its_folder_may_be(
    calls_with_move: CallsOfTrial, moved_path: str
) -> None:
    """The folder of a file that the script wrote is moved twice. The first call spells its path in
    lower case, and the second one times out. So the file may be at either place."""
    calls_with_move.write("/Drafts/Old/c.md", "x y")
    move(calls_with_move, "/drafts/old", "/moved")
    move(calls_with_move, "/Drafts/Old", "/late", TIMEOUT)
    read_text(calls_with_move, moved_path, "x", start_line=2)

    assert not was_read(calls_with_move.access_to(moved_path))
