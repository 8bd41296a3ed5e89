"""What a trial's calls leave behind: names and texts
that can be cited; own words prove nothing in any form."""

import base64
import codecs
import random
import time
import zlib
from datetime import UTC, datetime

import pytest

from controlplane.agent.events import StepDone
from controlplane.agent.evidence import EvidenceLog, Recorder
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.texts.text_forms import forms_of
from controlplane.agent.loop import TrialContext, new_session, sandbox_of
from controlplane.sandbox import ALL_LAYERS, ForkServer, Limits, SandboxBroken
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Parameter,
    ResultField,
    ToolSchema,
)
from tests.gates.sample_trials import (
    TOOL_SCHEMA,
    CallsOfTrial,
    judge_scratchpad,
    valid_scratchpad,
    verdict_of,
)
from tests.support.library import Library

BOOK = "/shelves/north side/b-104.json"


def record(
    calls: CallsOfTrial, operation: str, arguments: dict, result: dict
) -> tuple[str, ...]:
    return calls.evidence_log.record(operation, arguments, result, None)


@pytest.mark.parametrize("listing_first", [True, False])
def test_a_path_in_another_case_counts_for_the_listed_spelling(
    listing_first: bool,
) -> None:
    calls = CallsOfTrial()
    if listing_first:
        calls.list("/docs", "/docs/Loans.md")
    notes = calls.read("/DOCS/loans.md")
    if not listing_first:
        calls.list("/docs", "/docs/Loans.md")

    assert (
        calls.evidence_log.citations.check("/DOCS/loans.md#2", "long enough")[0]
        == "/docs/Loans.md#2"
    )
    assert (
        calls.evidence_log.citations.check("/docs/Loans.md", "long enough")[0]
        == "/docs/Loans.md"
    )
    assert bool(notes) is listing_first


@pytest.mark.parametrize("listing_first", [True, False])
def test_a_path_that_its_folder_does_not_list_counts_for_its_listed_namesake(
    listing_first: bool,
) -> None:
    calls = CallsOfTrial()

    def look_around() -> tuple[str, ...]:
        calls.list("/shelves", folders=("/shelves/north side",))
        return calls.list("/shelves/north side", BOOK)

    notes = look_around() if listing_first else calls.read("/shelves/b-104.json")
    notes += calls.read("/shelves/b-104.json") if listing_first else look_around()

    assert notes == (f"`/shelves/b-104.json` is `{BOOK}`: cite it by that path.",)
    assert (
        calls.evidence_log.citations.check("/shelves/b-104.json", "long enough")[0]
        == BOOK
    )
    calls.run("/bin/ship", "b-104")
    assert (
        calls.evidence_log.citations.check("/shelves/b-104.json", "long enough")[0]
        == BOOK
    )


def test_cite_refuses_with_the_nearest_path_that_was_read() -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md", BOOK)
    with pytest.raises(
        ValueError, match=r"`/docs/loan\.md` was not read .*`/docs/Loans\.md`"
    ):
        calls.evidence_log.citations.check("/docs/loan.md", "long enough")
    with pytest.raises(ValueError, match="under 8 characters"):
        calls.evidence_log.citations.check("/docs/Loans.md", "rules")
    calls.list("/docs", "/docs/Loans.md")
    with pytest.raises(ValueError, match="is a folder"):
        calls.evidence_log.citations.check("/docs/", "long enough")


def test_a_query_s_result_justifies_a_citation_of_its_table_and_is_no_quotation() -> (
    None
):
    calls = CallsOfTrial()
    record(
        calls,
        "read",
        {"path": "/t.csv"},
        {"content": "n\n1261\n", "columns": ["n"], "lines": []},
    )
    for reason, is_named in (
        ("1261 rows of the month lack a time", True),
        ("1262 rows of the month lack a time", False),
    ):
        found = verdict_of(
            judge_scratchpad(valid_scratchpad(refs_why={"/t.csv": reason}), calls), 5
        )
        assert (found.result == "pass") is is_named, found
    with pytest.raises(ValueError, match="was written or computed by a script"):
        calls.evidence_log.citations.check("/t.csv", "the number of rows", "1261")


NAMES = [
    "/a/x",
    "/a/X",
    "/A/x",
    "/x",
    "/b/x",
    "/b/y#1",
    "/b/y",
    "/a",
    "/c/é",
    "/c/e\u0301",
]


@pytest.mark.parametrize("seed", range(40))
def test_a_citation_finds_what_the_gates_find_whatever_was_listed_read_and_renamed(
    seed: int,
) -> None:
    calls, chance = CallsOfTrial(), random.Random(seed)
    for _ in range(60):
        path, other = chance.choice(NAMES), chance.choice(NAMES)
        entry = {"name": "n", "path": other, "is_dir": chance.random() < 0.2}
        match chance.randrange(5):
            case 0:
                record(
                    calls,
                    "list",
                    {"path": path},
                    {"entries": [entry], "truncated": chance.random() < 0.5},
                )
            case 1:
                record(
                    calls,
                    "read",
                    {"path": path},
                    {"path": path, "content": "ten words", "truncated": False},
                )
            case 2:
                record(
                    calls,
                    "read",
                    {"path": path},
                    {"path": other, "content": "ten words", "truncated": False},
                )
            case 3:
                record(calls, "write", {"path": path, "content": "c"}, {"path": path})
            case 4:
                record(calls, "delete", {"path": path}, {"path": path})
        for name in NAMES:
            found = calls.evidence.find(name)
            expected = (
                found.citation if found.access and not found.is_directory else None
            )
            try:
                assert (
                    calls.evidence_log.citations.check(name, "long enough")[0]
                    == expected
                )
            except ValueError:
                assert expected is None


def listing(*files: str, folders: tuple[str, ...] = ()) -> dict[str, object]:
    return {
        "entries": [
            {"path": path, "is_dir": path in folders} for path in (*files, *folders)
        ]
    }


@pytest.mark.parametrize(
    ("asked", "result", "shown", "directories"),
    [
        (
            "/a",
            listing("/a/X.md", folders=("/a/b",)),
            ["/a/X.md", "/a/b"],
            {"/a", "/a/b"},
        ),
        (
            "/",
            {"paths": ["/a/x.md", "not a path"], "truncated": False},
            ["/a/x.md"],
            set(),
        ),
        (
            "/",
            {"matches": [{"path": "/a/x.md", "line": 1, "text": "t"}]},
            ["/a/x.md"],
            set(),
        ),
        ("/a", {"path": "/a", "is_dir": True}, [], {"/a"}),
        ("/a", {"path": "/a", "is_dir": False}, [], set()),
        (
            "/a",
            {
                "name": "a",
                "is_dir": True,
                "children": [
                    {"name": "b", "is_dir": True, "children": [{"name": "x.md"}]}
                ],
            },
            ["/a", "/a/b", "/a/b/x.md"],
            {"/a", "/a/b"},
        ),
    ],
)
def test_every_kind_of_listing_teaches_names(
    asked: str, result: dict[str, object], shown: list[str], directories: set[str]
) -> None:
    known = KnownPaths()
    assert known.learn_listing(asked, result) == ()
    assert [
        path for paths in known.listings.paths.by_key.values() for path in paths
    ] == shown
    assert known.listings.folders.paths == directories


def test_the_texts_of_a_trial_are_kept_up_to_a_bound_and_what_was_cut_proves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "controlplane.sandbox.interface.bounds.MOST_EVIDENCE_BYTES", 530
    )
    calls = CallsOfTrial()
    for path in ("/first", "/second", "/third", "/first"):
        record(
            calls,
            "read",
            {"path": path},
            {"path": path, "content": f"twenty characters {path[1:3]}"},
        )
    seen = {path: access.seen for path, access in calls.evidence.accesses.items()}

    assert {
        path: [(text.text, text.is_whole) for text in texts]
        for path, texts in seen.items()
    } == {
        "/first": [("twenty characters fi", True)],
        "/second": [("twenty cha", False)],
        "/third": [("", False)],
    }
    for path, word, is_accepted in (
        ("/first", "twenty", True),
        ("/third", "twenty", False),
        ("/first", "moon", False),
    ):
        assert (
            judge_scratchpad(
                valid_scratchpad(refs_why={path: f"holds {word}"}), calls
            ).accepted
            is is_accepted
        )


def test_a_move_deletes_at_one_path_and_writes_the_scripts_own_at_the_other() -> None:
    move = Operation(
        "move",
        (Parameter("path", "str"), Parameter("to", "str")),
        (),
        "m",
        Effect.MOVES,
        target="to",
    )
    calls = CallsOfTrial(ToolSchema((*TOOL_SCHEMA.operations, move)))
    calls.write("/drafts/own.md", "approved by the board")
    record(calls, "move", {"path": "/drafts", "to": "/docs"}, {})
    record(calls, "move", {"path": "/in/a.md", "to": "/out/a.md"}, {})
    for path in ("/docs/own.md", "/out/a.md"):
        record(
            calls,
            "read",
            {"path": path, "start_line": 2},
            {"path": path, "content": "approved"},
        )
    accesses = calls.evidence.accesses

    assert [accesses[path].actions for path in ("/in/a.md", "/out/a.md")] == [
        {"delete"},
        {"write"},
    ]
    assert not any(
        seen.is_proof
        for path in ("/docs/own.md", "/out/a.md")
        for seen in accesses[path].seen
    )
    assert [(change.path, change.action) for change in calls.evidence.changes][1:] == [
        ("/drafts", "delete"),
        ("/docs", "write"),
        ("/in/a.md", "delete"),
        ("/out/a.md", "write"),
    ]
    lost = CallError("deadline_exceeded", "late")
    calls.evidence_log.record(
        "move", {"path": "/in/b.md", "to": "/out/b.md"}, None, lost
    )
    record(
        calls, "read", {"path": "/out/b.md"}, {"path": "/out/b.md", "content": "x y"}
    )
    assert "read" not in calls.evidence.accesses["/out/b.md"].actions
    calls.write("/Drafts/Old/c.md", "x y")
    record(calls, "move", {"path": "/drafts/old", "to": "/moved"}, {})
    calls.evidence_log.record(
        "move", {"path": "/Drafts/Old", "to": "/late"}, None, lost
    )
    for path in ("/moved/c.md", "/late/c.md"):
        record(
            calls,
            "read",
            {"path": path, "start_line": 2},
            {"path": path, "content": "x"},
        )
        assert "read" not in calls.evidence.accesses[path].actions


SAID = "Refunds over EUR 50 need two signatures."


@pytest.mark.parametrize("is_shown_before", [False, True])
def test_a_text_of_shown_words_that_a_script_wrote_is_its_own_at_every_path_unless_it_was_shown(
    is_shown_before: bool,
) -> None:
    calls = CallsOfTrial()
    record(
        calls,
        "read",
        {"path": "/docs/a.md"},
        {"path": "/docs/a.md", "content": "two signatures need over 50 EUR"},
    )
    record(
        calls,
        "read",
        {"path": "/docs/b.md"},
        {"path": "/docs/b.md", "content": "Refunds"},
    )
    if is_shown_before:
        record(
            calls,
            "read",
            {"path": "/docs/c.md"},
            {"path": "/docs/c.md", "content": SAID},
        )
    calls.write("/tmp/own.md", SAID)
    record(
        calls,
        "read",
        {"path": "/docs/copy.md"},
        {"path": "/docs/copy.md", "content": SAID},
    )
    access = calls.evidence.accesses["/docs/copy.md"]

    assert ("read" in access.actions, any(seen.is_proof for seen in access.seen)) == (
        is_shown_before,
        is_shown_before,
    )


def test_a_result_without_a_text_shows_every_value_in_it() -> None:
    calls = CallsOfTrial()
    rows = [
        {"name": "bookkeeping", "pages": 7, "parts": ["one", {"is_whole": True}]},
        {"title": "Rows"},
    ]
    record(calls, "read", {"path": "/docs/a.md"}, {"path": "/docs/a.md", "rows": rows})

    assert calls.evidence.accesses["/docs/a.md"].seen[0].text == "7\none\nTrue\nRows"


CODE = "vault KX-4471"
PATH = "/docs/Loans.md"


@pytest.mark.parametrize(
    "given",
    ["_" * 60_000 + "ab", "x " * 300_000, " " * 100_000, "a_b " * 50_000, "'" * 90_000],
)
def test_the_forms_of_a_text_are_made_in_time_that_its_length_bounds(
    given: str,
) -> None:
    started = time.process_time()
    forms_of(given)

    assert time.process_time() - started < 3


def test_two_numbers_are_not_quoted_as_one() -> None:
    calls = CallsOfTrial().see(PATH, "Fee 12 34 a\nTotal 5\n6 b")
    for quotation in ("1234", "56 b"):
        with pytest.raises(ValueError, match="is not in what was read"):
            calls.evidence_log.citations.check(PATH, "who opens the archive", quotation)

    assert calls.evidence_log.citations.check(
        PATH, "who opens the archive", "12  34A"
    ) == (PATH, 1)


@pytest.mark.parametrize(
    "given",
    [
        CODE,
        r"vault \u004bX-4471",
        r"\x76ault KX-4471",
        "&#118;ault KX-4471",
        "%76ault%20KX-4471",
        base64.b64encode(CODE.encode()).decode(),
        base64.urlsafe_b64encode(CODE.encode()).decode(),
        CODE.encode().hex(),
        "v a u l t",
        "['v', 'a', 'u', 'l', 't']",
        "select char(118,97,117,108,116)",
        "'vau' || 'lt'",
    ],
)
def test_a_text_is_known_in_every_form_in_which_a_tool_may_show_it(given: str) -> None:
    assert any("vault" in form for form in forms_of(given))


@pytest.mark.parametrize(
    "given",
    [
        CODE,
        base64.b64encode(CODE.encode()).decode(),
        CODE.encode().hex(),
        "K X 4 4 7 1",
    ],
)
@pytest.mark.parametrize("printed", ["The code is KX-4471.", "the code: kx-4471"])
def test_own_words_that_a_reading_tool_shows_in_another_form_justify_nothing(
    given: str, printed: str
) -> None:
    calls = CallsOfTrial()
    calls.run("/bin/query", given, stdout=printed)
    access = calls.evidence.accesses["/bin/query"]

    assert access.holds("code")
    assert not access.holds("kx-4471")


@pytest.mark.parametrize(
    ("lines", "is_quotable"), [((4, 5), True), ((4, 9), False), ((9, 4), False)]
)
def test_lines_of_a_search_that_lie_apart_are_joined_to_no_sentence(
    lines: tuple[int, int], is_quotable: bool
) -> None:
    calls = CallsOfTrial()
    texts = ("The archive is opened", "by the night porter alone.")
    matches = [
        {"path": PATH, "line": line, "text": text}
        for line, text in zip(lines, texts, strict=True)
    ]
    calls.evidence_log.record(
        "search", {"pattern": "e", "root": "/"}, {"matches": matches}, None
    )
    for quotation in texts:
        assert calls.evidence_log.citations.check(
            PATH, "who opens the archive", quotation
        ) == (
            PATH,
            0,
        )
    if is_quotable:
        assert (
            calls.evidence_log.citations.check(
                PATH, "who opens the archive", "is opened by the night porter"
            )[0]
            == PATH
        )
    else:
        with pytest.raises(ValueError, match=r"is not in what was read|may come from"):
            calls.evidence_log.citations.check(
                PATH, "who opens the archive", "is opened by the night porter"
            )


@pytest.mark.parametrize(
    ("places", "first"), [({"line": 7, "first": 5}, 5), ({"line": 7}, 7)]
)
def test_the_text_of_a_search_begins_at_its_first_line_of_context(
    places: dict[str, int], first: int
) -> None:
    calls = CallsOfTrial()
    match = {
        "path": PATH,
        "text": "The archive\nis opened\nby the night porter",
        **places,
    }
    calls.evidence_log.record(
        "search", {"pattern": "porter", "root": "/"}, {"matches": [match]}, None
    )

    assert [seen.lines for seen in calls.evidence.accesses[PATH].seen] == [(first,)]


@pytest.mark.parametrize(("second_line", "is_joined"), [(7, True), (6, False)])
def test_matches_with_context_are_joined_if_the_second_begins_where_the_first_ends(
    second_line: int, is_joined: bool
) -> None:
    calls = CallsOfTrial()
    matches = [
        {"path": PATH, "line": 5, "first": 5, "text": "The archive\nis opened"},
        {"path": PATH, "line": 7, "first": second_line, "text": "by the night porter"},
    ]
    calls.evidence_log.record(
        "search", {"pattern": "e", "root": "/"}, {"matches": matches}, None
    )
    texts = [seen.text for seen in calls.evidence.accesses[PATH].seen]

    assert len(texts) == (1 if is_joined else 2)


def test_adjacent_lines_are_joined_even_if_they_end_with_line_breaks() -> None:
    calls = CallsOfTrial()
    matches = [
        {"path": PATH, "line": 5, "text": "The archive is opened\n"},
        {"path": PATH, "line": 6, "text": "by the night porter\n"},
    ]
    calls.evidence_log.record(
        "search", {"pattern": "e", "root": "/"}, {"matches": matches}, None
    )
    citations = calls.evidence_log.citations

    cited = citations.check(PATH, "", "opened by the night porter")
    assert cited.spelling == PATH


TOLD = "The fee is 4711 EUR, says Orla Quist"
SHIFTED = "".join(chr(ord(sign) + 1) for sign in TOLD)
PIECES = [TOLD[start : start + 2][::-1] for start in range(0, len(TOLD), 2)]


@pytest.mark.parametrize(
    ("given", "returned", "is_evidence"),
    [
        ([codecs.encode(TOLD, "rot13")], TOLD, False),
        ([TOLD[::-1]], TOLD, False),
        ([base64.b32encode(TOLD.encode()).decode()], TOLD, False),
        ([base64.a85encode(TOLD.encode()).decode()], TOLD, False),
        ([base64.b64encode(zlib.compress(TOLD.encode())).decode()], TOLD, False),
        ([SHIFTED], TOLD, False),
        (["The fee is four seven one one euro, says Orla Quist"], TOLD, False),
        ([",".join(str(ord(sign)) for sign in TOLD)], TOLD, False),
        ([[[4, 7, 1, 1], "Orla Quist"]], TOLD, False),
        ([*PIECES, ""], TOLD, False),
        (["x://The_fee_is_4711_EUR"], "found " + TOLD, False),
        (["select fee from loans where id = 'loan-02'"], "4711 EUR", True),
        (["select sum(fee) from loans group by id"], "loan-02: 4711 EUR", True),
        (["loan-02"], "loan-02: the fee is 4711 EUR", True),
        (
            ["fees of the library"],
            "Members pay a fee of 4711 EUR a year, says the head of the library.",
            True,
        ),
        ([""], TOLD, True),
    ],
)
def test_a_servers_result_that_can_be_made_of_what_it_was_given_is_no_evidence(
    given: list[object], returned: str, is_evidence: bool
) -> None:
    fields = (ResultField("call_path"), ResultField("text"))
    look = Operation(
        "db.look",
        (Parameter("q", "any", ""),),
        fields,
        "looks",
        Effect.RETURNS,
        subject="",
    )
    log = EvidenceLog(ToolSchema((look,)))
    log.encoded_results.add_known_text("What is the fee for loan-02?")
    for number, text in enumerate(given, start=1):
        shown = returned if number == len(given) else "ok"
        log.record(
            "db.look",
            {"q": text},
            {"call_path": f"/mcp/db/{number}", "text": shown},
            None,
        )
    place = f"/mcp/db/{len(given)}"
    if is_evidence:
        assert log.citations.check(place, "it names the fee", "4711 EUR")[0] == place
    else:
        with pytest.raises(ValueError, match="may come from the call's own arguments"):
            log.citations.check(place, "it names the fee", "4711 EUR")


NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture(scope="module")
def server():
    with ForkServer((), ("tests.support.library",)) as running:
        yield running


class Played:
    """A trial at the library with its sandbox."""

    def __init__(self, server, library=None, limits=None):
        self.events = []
        self.library = library or Library()
        trial = TrialContext("t", "books.0", "Which books?", NOW)
        self.session = new_session(
            trial, Recorder("t", self.library, self.events.append)
        )
        self.box = sandbox_of(
            self.session, server, limits or Limits(step_wall_s=5), ALL_LAYERS
        )

    def run(self, code):
        with self.box, self.session.step() as step:
            result = self.box.run(code)
            step.done = StepDone(trial_id="t", step=step.number, code=code)
        return result


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "harness.tools.books_of('x')",
            "harness.tools has no 'books_of'; did you mean harness.tools.books_by?",
        ),
        ("harness.books_by('x')", "did you mean harness.tools.books_by?"),
        (
            "harness.tools.books_by('nobody')",
            "failed_precondition: nobody is no author",
        ),
        ("harness.tools.books_by(7)", "author is str, not int 7"),
        ("harness.tools.books_by('endless')", "the function needs more than 300 calls"),
        (
            "harness.tools.books_by('broken')",
            "internal: tests.support.library:books_by broke: ZeroDivisionError",
        ),
        (
            "harness.tools.books_by('writer')",
            "permission_denied: inside a function harness calls only read",
        ),
        (
            "scratchpad.cite_all('/books/emma.txt')",
            "takes what a function of harness.tools returned",
        ),
    ],
)
def test_a_wrong_use_says_what_is_right(server, code, said):
    played = Played(server)
    assert said in played.run(code).error
    assert "write" not in played.library.asked


def test_a_function_that_never_ends_costs_its_step_and_no_more(server):
    played = Played(server, limits=Limits(step_wall_s=5, step_cpu_s=0.3))
    with played.box:
        with (
            played.session.step(),
            pytest.raises(CallError, match="the step used more than"),
        ):
            played.session.call("books_by", {"author": "forever"})
        with played.session.step():
            assert (
                played.box.run("print(harness.tools.books_by('Herbert').value)").output
                == "['/books/dune.txt']\n"
            )


def test_a_module_that_cannot_be_loaded_beside_scripts_is_named_with_the_reason():
    with (
        ForkServer((), ("tests.support.exoskeleton_trials",)) as bare,
        pytest.raises(SandboxBroken) as broken,
    ):
        Played(bare).run("print(1)")

    assert str(broken.value).startswith(
        "the functions of tests.support.exoskeleton_trials cannot be loaded beside"
    )
