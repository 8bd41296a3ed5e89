"""Findings by turns with the calls that they ask for, and answers put in order by them."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from agent.events import CallDone, CallSent
from agent.evidence import Recorder, StepRecord
from agent.findings.finding_turns import (
    Asked,
    Computation,
    Outcome,
    ReadCall,
    Unanswered,
    Unread,
    WorkspaceReader,
    compute_finding,
)
from agent.loop.initial_prompt import system_prompt
from sandbox import Aide, Ending, ForkServer, Refusal, Sandbox
from sandbox.interface import CallError
from tests.support.library import BOOKS_BY, SURFACE, Library
from toolkit import CannotRead


@pytest.fixture(scope="module")
def finding_server():
    with ForkServer(("agent.findings.finding_turns", "tests.support.library")) as server:
        yield server


@pytest.fixture(params=["here", "in an aide"])
def aide(request, finding_server):
    if request.param == "here":
        yield None
    else:
        with Aide(finding_server) as process:
            yield process


def answers_of(library: Library):
    def ask(asked: Sequence[Asked]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for operation, arguments in asked:
            try:
                outcomes.append(library.call(operation, arguments))
            except CallError as error:
                outcomes.append(error)
        return outcomes

    return ask


def find(author: str, aide: Aide | None, library: Library | None = None, **more: object):
    return compute_finding(BOOKS_BY.finds, {"author": author}, aide=aide, ask=answers_of(library or Library()), **more)


def test_a_finding_has_its_value_its_references_and_what_was_not_certain(aide):
    assert find("Herbert", aide) == {
        "value": ["/books/dune.txt"],
        "refs": [{"path": "/books/dune.txt", "reason": "it says by Herbert"}],
        "notes": ["by the title page"],
    }


def test_calls_are_bounded(aide):
    with pytest.raises(CallError, match="more than 300 calls"):
        find("endless", aide)


@pytest.mark.parametrize(
    ("late", "told"), [(1, "Herbert"), (2, "failed_precondition: /bin/id ended with exit code 124")]
)
def test_a_tool_that_timed_out_is_asked_once_more(aide, late, told):
    asked: list[Asked] = []

    def ask(calls: Sequence[Asked]) -> list[Outcome]:
        asked.extend(calls)
        code = 124 if len(asked) <= late else 0
        return [{"stdout": "" if code else "Herbert", "stderr": "", "exit_code": code} for _ in calls]

    try:
        found = compute_finding("tests.support.library:signed_in", {}, aide=aide, ask=ask)["value"]
    except CallError as error:
        found = str(error)
    assert (found, len(asked)) == (told, 2)


def recorder(events=None, library=None, **more):
    return Recorder("t", library or Library(), (events if events is not None else []).append, **more)


def played():
    """The events of one step with a finding between two reads, and the recorder."""
    events = []
    here = recorder(events)
    here.begin_step(1)
    here.call("read", {"path": "/books/notes.txt", "start_line": 0, "end_line": 0})
    here.call("books_by", {"author": "Austen"})
    here.call("read", {"path": "/books/notes.txt", "start_line": 0, "end_line": 0})
    return events, here


def record_of(events):
    record = StepRecord()
    for event in events:
        record.add_event(event)
    return record


def test_calls_of_a_finding_are_journalled_with_its_number():
    events, here = played()
    made = sorted(
        (event.number, event.operation, event.outer)
        for event in events
        if isinstance(event, CallSent | CallDone) and event.operation
    )
    assert made == [
        (0, "read", None),
        (1, "books_by", None),
        (2, "find", 1),
        *[(number, "read", 1) for number in (3, 4, 5, 6)],
        (7, "read", None),
    ]
    assert [event.number for event in events if isinstance(event, CallDone)] == [0, 2, 3, 4, 5, 6, 1, 7]
    assert [call.operation for call in here.calls] == [operation for _, operation, _ in made]


def test_a_record_gives_the_finding_and_its_evidence_without_a_call():
    events, live = played()
    library = Library()
    again = recorder(library=library, only_recorded=True)
    again.begin_step(1, record_of(events))
    again.call("read", {"path": "/books/notes.txt", "start_line": 0, "end_line": 0})
    found = again.call("books_by", {"author": "Austen"})
    assert found["value"] == ["/books/emma.txt", "/books/persuasion.txt"]
    again.call("read", {"path": "/books/notes.txt", "start_line": 0, "end_line": 0})
    assert library.asked == []
    assert [call.operation for call in again.calls] == [call.operation for call in live.calls]
    assert again.check_citation("/books/emma.txt", "it says by Austen")


@pytest.mark.parametrize("cut_after", range(4, 15))
def test_a_finding_that_was_cut_off_is_computed_again(cut_after):
    events, _ = played()
    kept = events[:cut_after]
    more = []
    again = recorder(more)
    again.begin_step(1, record_of(kept))
    again.call("read", {"path": "/books/notes.txt", "start_line": 0, "end_line": 0})
    assert again.call("books_by", {"author": "Austen"})["value"] == ["/books/emma.txt", "/books/persuasion.txt"]
    both = record_of([*kept, *more])
    assert [call.result is not None for call in both.calls] == [True] * len(both.calls)
    assert [call.outer for call in both.calls][:7] == [None, None, 1, 1, 1, 1, 1]


class Host:
    def __init__(self) -> None:
        self.recorder = Recorder("t", Library(), lambda event: None)
        self.recorder.begin_step(1)

    def call(self, operation, arguments, *, in_verify):
        return self.recorder.call(operation, arguments, in_verify=in_verify)

    def cite(self, path, reason, quote=""):
        try:
            return self.recorder.check_citation(path, reason, quote)
        except ValueError as error:
            raise Refusal(str(error)) from None

    def answer(self, scratchpad, verify):
        raise Refusal("nothing is answered here")


@pytest.fixture(scope="module")
def server():
    with ForkServer() as running:
        yield running


def run(server, code):
    with Sandbox(SURFACE, Host(), now=datetime(2026, 1, 2, tzinfo=UTC), seed=1, server=server) as box:
        return box.run(code)


def test_a_finding_is_cited_with_its_reasons(server):
    result = run(
        server,
        "found = harness.tools.books_by('Austen')\n"
        "print(found.value, found.notes, scratchpad.cite_all(found))\n"
        "print(sorted(scratchpad['refs_why'].items()))",
    )
    assert (result.ending, result.error) == (Ending.FINISHED, "")
    assert "['/books/emma.txt', '/books/persuasion.txt'] ['by the title page']" in result.output
    assert "('/books/emma.txt', 'it says by Austen')" in result.output


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("harness.tools.books_of('x')", "harness.tools has no 'books_of'; did you mean harness.tools.books_by?"),
        ("harness.books_by('x')", "did you mean harness.tools.books_by?"),
        ("harness.tools.books_by('nobody')", "failed_precondition: nobody is no author"),
        ("harness.tools.books_by(7)", "a string"),
        ("scratchpad.cite_all('/books/emma.txt')", "takes what a function of harness.tools returned"),
    ],
)
def test_a_wrong_use_says_what_is_right(server, code, said):
    assert said in run(server, code).error


def test_the_prompt_names_them_like_every_operation():
    text = system_prompt(SURFACE)
    assert "- books_by(author): finds the books of an author" in text
    assert "scratchpad.cite_all(finding)" in text


FUNCTION = "tests.support.library:books_by"
FIND = ["find", {"name": "*", "root": "/books", "kind": "files", "limit": 0}]


def test_a_function_asks_until_it_has_found():
    computation = Computation(FUNCTION, {"author": "Austen"}, {})
    kind, calls, seconds = computation.turn([])
    assert (kind, calls) == ("asks", [FIND])
    assert seconds >= 0
    kind, calls, _ = computation.turn([[*FIND, {"paths": ["/books/a", "/books/b"], "truncated": False}, None]])
    assert [each[0] for each in calls] == ["read", "read"], "what does not depend on each other is asked at once"
    read = [[*call, {"content": "by Austen", "truncated": False}, None] for call in calls]
    kind, found, _ = computation.turn(read)
    assert (kind, found["value"]) == ("found", ["/books/a", "/books/b"])


READ = ReadCall("read", {"path": "/a"})


def reader(outcome):
    return WorkspaceReader({READ.key: outcome})


def test_an_unanswered_call_ends_the_function():
    with pytest.raises(Unanswered):
        WorkspaceReader({}).read("/a")


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        (Unread("there is none", "not_found"), LookupError),
        (Unread("down", "unavailable"), CannotRead),
        ({"content": "te", "truncated": True}, CannotRead),
    ],
)
def test_failed_and_cut_off_reads_are_told_apart(outcome, error):
    with pytest.raises(error):
        reader(outcome).read("/a")


LARGE = Unread("the result of tree holds more than 1300 lists", "resource_exhausted")


def listings(within):
    return WorkspaceReader(
        {
            ReadCall("find", {"name": "*", "root": "/", "kind": "files", "limit": 0}).key: {
                "paths": [],
                "truncated": True,
            },
            ReadCall("tree", {"root": "/", "level": 0}).key: LARGE,
            ReadCall("list", {"path": "/"}).key: {
                "entries": [
                    {"name": "a.md", "path": "/a.md", "is_dir": False},
                    {"name": "proc", "path": "/proc", "is_dir": True},
                ]
            },
            ReadCall("tree", {"root": "/proc", "level": 0}).key: within,
            ReadCall("list", {"path": "/proc"}).key: LARGE,
        }
    )


def test_a_folder_too_large_for_a_list_is_told_with_the_way_by_hand():
    with pytest.raises(
        CannotRead, match=r"^/proc holds too many .* harness.find\('a\*', root='/proc', limit=0\) by hand$"
    ):
        listings(LARGE).paths()


@pytest.mark.parametrize("ask", ["paths", "find", "search", "run"])
def test_every_way_to_read_says_what_it_cannot(ask):
    calls = {
        "paths": ReadCall("find", {"name": "*", "root": "/", "kind": "files", "limit": 0}),
        "find": ReadCall("find", {"name": "x", "root": "/", "kind": "files", "limit": 0}),
        "search": ReadCall("search", {"pattern": "x", "root": "/", "limit": 0}),
        "run": ReadCall("exec", {"path": "x", "args": [], "stdin": ""}),
    }
    here = WorkspaceReader({calls[ask].key: Unread("down", "unavailable")})
    with pytest.raises(CannotRead, match="down"):
        getattr(here, ask)(*[] if ask == "paths" else ["x"])
