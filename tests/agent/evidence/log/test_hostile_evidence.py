"""What a hostile script may try to make citable, and what
counts all the same: what the environment reports as opened.

In every case the script knows the words beforehand;
`OWN` stands for words that no file holds.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from controlplane.agent.evidence.paths.listings import Listings
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Parameter,
    Plain,
    ResultField,
    ToolSchema,
    bounds,
)
from tests.gates.sample_trials import (
    FILES,
    CallsOfTrial,
    judge_scratchpad,
    rejecting_gates,
    valid_scratchpad,
)

LOANS = "/docs/Loans.md"
SECRET = "/docs/Secret.md"
"""A file that is there and that no case reads, unless it says so."""
STORE = "/shelves/store.json"
OWN = "the vault opens at noon"
TEXT = "The archive opens at seven with code 4471."


@dataclass
class Hand:
    """Makes calls whose results the environment gives."""

    calls: CallsOfTrial

    def make(
        self,
        operation: str,
        arguments: dict[str, Plain],
        result: Mapping[str, Plain],
        **told: int,
    ) -> None:
        self.calls.evidence_log.record(operation, arguments, result, None, **told)

    def fail(self, operation: str, arguments: dict[str, Plain], code: str) -> None:
        self.calls.evidence_log.record(
            operation, arguments, None, CallError(code, "the desk is closed")
        )

    def run(
        self,
        path: str,
        *args: Plain,
        stdin: str = "",
        stdout: str = "",
        code: Plain = 0,
        **told: int,
    ) -> None:
        result: dict[str, Plain] = {"stdout": stdout, "stderr": "", "exit_code": code}
        self.make(
            "exec", {"path": path, "args": list(args), "stdin": stdin}, result, **told
        )

    def read(
        self,
        path: str,
        content: str = TEXT,
        *,
        start: int = 0,
        is_cut: bool = False,
        **told: int,
    ) -> None:
        arguments: dict[str, Plain] = {"path": path, "start_line": start, "end_line": 0}
        self.make(
            "read",
            arguments,
            {"path": path, "content": content, "truncated": is_cut},
            **told,
        )

    def write(self, path: str, content: str = OWN) -> None:
        self.make(
            "write",
            {"path": path, "content": content, "if_match_sha256": ""},
            {"path": path},
        )

    def delete(self, path: str) -> None:
        self.make("delete", {"path": path}, {"path": path})

    def list(self, folder: str, *files: str, **more: Plain) -> None:
        entries: list[Plain] = [
            {"name": file.rpartition("/")[2], "path": file, "is_dir": False}
            for file in files
        ]
        self.make("list", {"path": folder}, {"entries": entries, **more})

    def find(self, *paths: str) -> None:
        self.make(
            "find",
            {"name": "*", "root": "/", "kind": "all", "limit": 0},
            {"paths": list(paths)},
        )

    def search(self, path: str, text: str) -> None:
        self.make(
            "search",
            {"pattern": ".", "root": "/"},
            {"matches": [{"path": path, "line": 1, "text": text}]},
        )


Deed = Callable[[Hand], object]
AT_SEVEN = "it opens at seven"

FORGED: dict[str, Deed | tuple[Deed, str, str]] = {
    # Arguments that look like paths.
    "a query with a path as its argument": lambda h: h.run(
        "/bin/query", SECRET, stdout=OWN
    ),
    "a query that returns path and text": lambda h: h.run(
        "/bin/query", stdin=f"select '{SECRET}', '{OWN}'", stdout=f"{SECRET},{OWN}\n"
    ),
    "a tool that is not declared": lambda h: h.run("/bin/nowhere", SECRET, stdout=OWN),
    "a tool that changes": lambda h: h.run("/bin/ship", SECRET, stdout=OWN),
    "a file as the filter": lambda h: h.run(
        "/bin/pick", SECRET, stdin="{}", stdout=OWN
    ),
    "a file as what is looked up": lambda h: h.run(
        "/bin/stock", STORE, SECRET, stdout=f"{SECRET}\t0\n"
    ),
    "a relative path": lambda h: h.run("/bin/show", "docs/Secret.md", stdout=OWN),
    # Text of the script's own in what a tool printed.
    "a filter that is a text": lambda h: h.run(
        "/bin/pick", f'"{OWN}"', SECRET, stdout=f'"{OWN}"\n'
    ),
    "a filter that computes a number": (
        lambda h: h.run("/bin/pick", "1442401|sqrt", SECRET, stdout="1201\n"),
        SECRET,
        "1201 are there",
    ),
    "a filter that hides a text behind a choice": lambda h: h.run(
        "/bin/pick", 'select(") | "vault" | select("', SECRET, stdout='"vault"\n'
    ),
    "a filter that chooses and prints a text": lambda h: h.make(
        "exec",
        {"path": "/bin/pick", "args": [f'select("{OWN}"|debug)', SECRET], "stdin": ""},
        {
            "stdout": '{"opens": "seven"}',
            "stderr": f'["DEBUG:","{OWN}"]',
            "exit_code": 0,
        },
    ),
    "a filter that hides its output in a quoted name": lambda h: h.run(
        "/bin/pick",
        'select(")|.["),({vault:1}|keys),select("]|select(")',
        SECRET,
        stdout='{}\n["vault"]\n{}\n',
    ),
    "a filter on stdin and a file": lambda h: h.run(
        "/bin/pick", ".", "-", SECRET, stdin=f'"{OWN}"', stdout=f'"{OWN}"\n'
    ),
    "stdin that nobody asked for": lambda h: h.run(
        "/bin/show", SECRET, stdin=OWN, stdout=OWN + TEXT
    ),
    "stdin before a file": lambda h: h.run(
        "/bin/show", "-", SECRET, stdin=OWN, stdout=OWN + TEXT
    ),
    "a written file beside it": lambda h: (
        h.write("/tmp/own"),
        h.run("/bin/show", "/tmp/own", SECRET, stdout=OWN + TEXT),
    ),
    "an option that nobody declared": lambda h: h.run(
        "/bin/show", "--version", SECRET, stdout=OWN
    ),
    "an option that takes a text": lambda h: h.run(
        "/bin/pick", "--arg", "x", OWN, "$x", SECRET, stdout=f'"{OWN}"\n'
    ),
    # What does not exist, failed or was not shown.
    "a folder": (
        lambda h: (h.list("/docs", LOANS), h.run("/bin/show", "/docs", stdout=OWN)),
        "/docs",
        OWN,
    ),
    "a file that its folder does not hold": lambda h: (
        h.list("/docs", LOANS),
        h.run("/bin/show", SECRET, stdout=OWN),
    ),
    "a file that was not found": lambda h: (
        h.fail("read", {"path": SECRET}, "not_found"),
        h.run("/bin/show", SECRET, stdout=OWN),
    ),
    "a failing exit code": (
        lambda h: h.run("/bin/show", SECRET, stdout=TEXT, code=1),
        SECRET,
        AT_SEVEN,
    ),
    "a file that was run in vain": (
        lambda h: h.run(SECRET, code=126),
        SECRET,
        "the command was called",
    ),
    "a failed read": lambda h: h.fail("read", {"path": SECRET}, "internal"),
    "a read behind the file's end": lambda h: h.read(SECRET, "", start=1_000_000),
    "a read that the initial prompt cut after a blank": lambda h: h.read(
        SECRET, "\n" + TEXT, shown_chars=1
    ),
    "a tool's output that the initial prompt cut": (
        lambda h: h.run("/bin/show", SECRET, stdout=TEXT, shown_chars=0),
        SECRET,
        AT_SEVEN,
    ),
    "a hit without text": lambda h: h.search(SECRET, "  "),
    "a listing that lies about a text": lambda h: h.make(
        "list", {"path": "/"}, {"entries": [{"path": "docs/Secret.md", "text": OWN}]}
    ),
    # Names that imitate fragments, and fragments that are names.
    "a written name that imitates a fragment": lambda h: h.write(SECRET + "#row=7"),
    "a read name that imitates a fragment": lambda h: h.read(SECRET + "#row=7", OWN),
    "a listed name that was not read": (
        lambda h: (h.list("/docs", LOANS, LOANS + "#1"), h.read(LOANS)),
        LOANS + "#1",
        AT_SEVEN,
    ),
    # The script's own text.
    "a written text read back": (
        lambda h: (h.write("/tmp/x"), h.read("/tmp/x", OWN)),
        "/tmp/x",
        OWN,
    ),
    "a written text that a tool shows": (
        lambda h: (h.write("/tmp/x"), h.run("/bin/show", "/tmp/x", stdout=OWN)),
        "/tmp/x",
        OWN,
    ),
    "a file that was deleted unread and made anew": lambda h: (
        h.delete(SECRET),
        h.run("/bin/ship", SECRET),
        h.read(SECRET, OWN),
    ),
    "a file whose write seemed to fail": lambda h: (
        h.fail("write", {"path": SECRET, "content": OWN}, "unknown"),
        h.read(SECRET, OWN),
    ),
    "a written file under another name": lambda h: (
        h.write("/tmp/x"),
        h.make("read", {"path": "/tmp/x"}, {"path": SECRET, "content": OWN}),
    ),
    "a copy of a written file": lambda h: (
        h.write("/tmp/x"),
        h.run("/bin/ship", "/tmp/x", SECRET),
        h.read(SECRET, OWN + "\n"),
    ),
    "a written text that is read decoded under a name in another case": (
        lambda h: (
            h.write("/tmp/x.json", '{"a": "\\u0076ault"}'),
            h.read("/TMP/X.json", '{"a": "vault"}'),
        ),
        "/tmp/x.json",
        OWN,
    ),
    "a written tool": (
        lambda h: (h.write("/bin/odd"), h.run("/bin/odd", stdout=OWN)),
        "/bin/odd",
        OWN,
    ),
    "a written name of a row, read back": (
        lambda h: (h.write(LOANS + "#row=1"), h.read(LOANS + "#row=1", OWN)),
        LOANS + "#row=1",
        OWN,
    ),
    "a written namesake, once no more names are learnt": lambda h: (
        h.find(SECRET),
        h.list("/tmp"),
        h.list(
            "/many",
            *(f"/many/folder{number}" for number in range(bounds.MOST_LISTED_PATHS)),
        ),
        h.write("/tmp/Secret.md"),
        h.read("/tmp/Secret.md", OWN),
    ),
    "a text beyond what is kept": lambda h: (
        *(h.write(f"/tmp/{number}", str(number) * 400_000) for number in range(10)),
        h.read(SECRET),
    ),
    # What a tool stored and later prints of its own accord.
    "a stored text that a tool prints": lambda h: (
        h.run("/bin/ship", OWN),
        h.read(SECRET, OWN),
    ),
    "a stored text whose letters were escaped": lambda h: (
        h.run(
            "/bin/ship", stdin='{"note": "the \\u0076ault o\\u0070ens at n\\u006Fon"}'
        ),
        h.read(SECRET, OWN),
    ),
    "a stored text that a tool writes as JSON": lambda h: (
        h.run("/bin/ship", "\the\nvault opens \noon"),
        h.read(SECRET, '{"kept": true, "note": "\\the\\nvault opens \\noon"}'),
    ),
    "a stored text that a tool of unknown kind prints": (
        lambda h: (h.run("/bin/odd", OWN), h.run("/bin/odd", stdout=OWN)),
        "/bin/odd",
        OWN,
    ),
    "a stored text of a run that was refused": lambda h: (
        h.fail("exec", {"path": "/bin/ship", "args": [OWN], "stdin": ""}, "unknown"),
        h.read(SECRET, OWN),
    ),
    "a stored word in two halves": lambda h: (
        h.run("/bin/ship", "the va"),
        h.run("/bin/ship", "ult opens at no", "on"),
        h.read(SECRET, OWN),
    ),
    "a stored number in another format": (
        lambda h: (h.run("/bin/ship", "4471.00"), h.read(SECRET, "4,471.00")),
        SECRET,
        "4,471 were counted",
    ),
    "a written text with a line that a tool added": lambda h: (
        h.write("/tmp/x"),
        h.run("/bin/ship", "/tmp/x"),
        h.read(SECRET, f"page 1\n{OWN}\n"),
    ),
    "more stored words than are kept": lambda h: (
        h.run(
            "/bin/ship",
            stdin=" ".join(f"w{number}" for number in range(bounds.MOST_OWN_WORDS + 1)),
        ),
        h.run("/bin/ship", OWN),
        h.read(SECRET, OWN),
    ),
    # Spellings and aliases.
    "a written name with a space behind": lambda h: (
        h.find(SECRET),
        h.write(SECRET + " "),
    ),
    "a written name in another case": lambda h: (
        h.find(SECRET),
        h.write("/docs/secret.md"),
    ),
    "a written name with another sign for a letter": (
        lambda h: (h.find("/docs/k.md"), h.write("/docs/\u212a.md")),
        "/docs/k.md",
        OWN,
    ),
    "a written name with an invisible sign": lambda h: h.write("/docs/Sec\u200bret.md"),
    "a written namesake in another folder": lambda h: (
        h.find(SECRET),
        h.write("/tmp/Secret.md"),
    ),
    "a read namesake whose write seemed to fail": lambda h: (
        h.find(SECRET),
        h.list("/tmp", "/tmp/x"),
        h.fail("write", {"path": "/tmp/Secret.md", "content": OWN}, "unknown"),
        h.read("/tmp/Secret.md", OWN),
    ),
    "a path with dots": (lambda h: h.read(LOANS), "/docs/../docs/Secret.md", OWN),
    "a deleted neighbour": (
        lambda h: h.delete("/docs/Secret.md.bak"),
        SECRET,
        "deleted as asked",
    ),
    "words of another file": (
        lambda h: (
            h.read(LOANS, FILES[LOANS]),
            h.run("/bin/show", SECRET, stdout=TEXT),
        ),
        SECRET,
        "books marked reserved cannot be renewed",
    ),
}
"""By what is tried: the calls, and what is then cited
in vain with which reason; `SECRET` and `OWN` unless named."""

HONEST: dict[str, Deed | tuple[Deed, str, str]] = {
    "a read": lambda h: h.read(SECRET),
    "a shown file": lambda h: h.run("/bin/show", SECRET, stdout=TEXT),
    "the first of two shown files": lambda h: h.run(
        "/bin/show", SECRET, LOANS, stdout=TEXT + FILES[LOANS]
    ),
    "an empty file": (
        lambda h: h.read("/empty.txt", ""),
        "/empty.txt",
        "it holds no lines",
    ),
    "a picked value": (
        lambda h: h.run("/bin/pick", ".opens", STORE, stdout='"seven"\n'),
        STORE,
        AT_SEVEN,
    ),
    "a chosen row": (
        lambda h: h.run(
            "/bin/pick",
            '.rows[] | select(.id == "b-104") | .copies',
            STORE,
            stdout="17\n",
        ),
        STORE,
        "17 copies are there",
    ),
    "a chosen row by a text with a quotation mark": (
        lambda h: h.run(
            "/bin/pick",
            r'.rows[] | select(.id == "b\"104") | .copies',
            STORE,
            stdout="17\n",
        ),
        STORE,
        "17 copies are there",
    ),
    "a looked-up number": (
        lambda h: h.run("/bin/stock", STORE, "b-104", stdout="b-104\t17\n"),
        STORE,
        "17 of b-104",
    ),
    "a fragment of a read file": (lambda h: h.read(LOANS), LOANS + "#row=1", AT_SEVEN),
    "a name with the sign of fragments": (
        lambda h: h.read("/notes/a#b.txt"),
        "/notes/a#b.txt",
        AT_SEVEN,
    ),
    "a hit": lambda h: h.search(SECRET, TEXT),
    "a written file": (lambda h: h.write("/tmp/x"), "/tmp/x", "written as asked"),
    "a tool that ran": (
        lambda h: h.run("/bin/query", "select 1", stdout="1"),
        "/bin/query",
        "the query that was run",
    ),
    "a file that was read, written and read again": lambda h: (
        h.read(SECRET),
        h.write(SECRET),
        h.read(SECRET, OWN),
    ),
    "a file of which the script wrote a copy": lambda h: (
        h.read(LOANS),
        h.write("/tmp/x", TEXT),
        h.read(SECRET),
    ),
    "a file that names what a tool was given": (
        lambda h: (
            h.run("/bin/ship", "b-104", "3"),
            h.read(SECRET, "b-104 was shipped"),
        ),
        SECRET,
        "b-104 was shipped",
    ),
    "a stored text that was seen before": lambda h: (
        h.read(LOANS, TEXT),
        h.run("/bin/ship", TEXT),
        h.read(SECRET, TEXT),
    ),
    "a listed file whose name the script wrote in another case": lambda h: (
        h.find(SECRET),
        h.write("/docs/SECRET.md"),
        h.read(SECRET),
    ),
}
"""By what is done: the calls, and what may then be cited
with which reason; `SECRET` and `AT_SEVEN` unless named."""


def stands(deed: Deed, path: str, reason: str) -> bool:
    """Say whether a citation passes both `cite` and the gates on citations."""
    calls = CallsOfTrial()
    deed(Hand(calls))
    try:
        spelling, _ = calls.evidence_log.citations.check(path, reason)
    except ValueError:
        spelling = ""
    return spelling == path and not {3, 4, 5} & rejected(calls, path, reason)


def rejected(calls: CallsOfTrial, path: str, reason: str) -> set[int]:
    """The gates that reject a citation."""
    return set(
        rejecting_gates(
            judge_scratchpad(valid_scratchpad(refs_why={path: reason}), calls)
        )
    )


@pytest.mark.parametrize("case", FORGED.values(), ids=FORGED)
def test_a_text_that_the_environment_did_not_open_and_show_is_not_citable(
    case: Deed | tuple[Deed, str, str],
) -> None:
    assert not stands(*(case if isinstance(case, tuple) else (case, SECRET, OWN)))


@pytest.mark.parametrize("case", HONEST.values(), ids=HONEST)
def test_a_text_that_the_environment_opened_and_showed_is_citable(
    case: Deed | tuple[Deed, str, str],
) -> None:
    assert stands(*(case if isinstance(case, tuple) else (case, SECRET, AT_SEVEN)))


ASK = Operation(
    "ask",
    (Parameter("page", "str"), Parameter("question", "str")),
    (ResultField("reply"),),
    "what a page says to a question",
    Effect.READS,
    "page",
)


@pytest.mark.parametrize(("reason", "is_justified"), [(OWN, False), (AT_SEVEN, True)])
def test_arguments_that_a_reading_call_repeats_are_no_reason(
    reason: str, *, is_justified: bool
) -> None:
    calls = CallsOfTrial(ToolSchema(operations=(ASK,)))
    reply = {"reply": f"You asked whether {OWN}. {TEXT}"}
    calls.evidence_log.record("ask", {"page": "/faq", "question": OWN}, reply, None)

    assert (5 not in rejected(calls, "/faq", reason)) is is_justified


KEEP = Operation(
    "notes.keep",
    (Parameter("name", "any"),),
    (ResultField("text"),),
    "keeps a note",
    Effect.ACTS,
    "",
)
KEPT = Operation(
    "notes.kept",
    (),
    (ResultField("call_path"), ResultField("text")),
    "the notes",
    Effect.RETURNS,
    "",
)


@pytest.mark.parametrize(
    "given",
    [OWN, [OWN], {"note": [OWN]}, {OWN: True}],
    ids=["text", "list", "mapping", "name"],
)
def test_arguments_that_a_tool_kept_are_neither_a_reason_nor_quoted(
    given: Plain,
) -> None:
    calls = CallsOfTrial(ToolSchema(operations=(KEEP, KEPT)))
    path = "/mcp/notes/calls/kept/1"
    calls.evidence_log.record("notes.keep", {"name": given}, {"text": "kept"}, None)
    calls.evidence_log.record(
        "notes.kept", {}, {"call_path": path, "text": f"1 note: {OWN}. {TEXT}"}, None
    )

    assert 5 in rejected(calls, path, OWN)
    assert 5 not in rejected(calls, path, AT_SEVEN)
    calls.evidence_log.record(
        "notes.kept", {}, {"call_path": f"{path}2", "text": f"- {OWN.title()}."}, None
    )
    seen = [
        text.is_proof
        for access in calls.evidence_log.view().accesses.values()
        for text in access.seen
    ]
    assert seen == [True, False]
    with pytest.raises(ValueError, match="may come from"):
        calls.evidence_log.citations.check(path, OWN, OWN)
    calls.evidence_log.record(
        "notes.kept", {}, {"call_path": f"{path}3", "text": f"Answer: {OWN}."}, None
    )
    with pytest.raises(ValueError, match="may come from"):
        calls.evidence_log.citations.check(f"{path}3", OWN, f"Answer: {OWN}")
    assert calls.evidence_log.citations.check(
        path, AT_SEVEN, "the archive opens at seven"
    ) == (
        path,
        1,
    )


def test_arguments_that_a_tool_echoes_as_json_are_no_reason() -> None:
    said = Operation(
        "notes.say",
        (Parameter("text", "str"),),
        KEPT.fields,
        "says a text",
        Effect.RETURNS,
        "",
    )
    calls = CallsOfTrial(ToolSchema(operations=(said,)))
    result = {
        "call_path": "/mcp/notes/calls/say/1",
        "text": '{"said": "the\\noon", "by": 4471}',
    }
    calls.evidence_log.record("notes.say", {"text": "the\noon"}, result, None)

    assert 5 in rejected(calls, "/mcp/notes/calls/say/1", "the vault opens at noon")
    assert 5 not in rejected(calls, "/mcp/notes/calls/say/1", "4471 said so")


def test_a_tree_is_not_read_below_a_path_that_is_too_long() -> None:
    long_name = "a" * bounds.MOST_PATH_CHARS
    inner: dict[str, Plain] = {"name": "../b.md"}
    outer: dict[str, Plain] = {"name": long_name, "is_dir": True, "children": [inner]}
    listings = Listings()
    listings.learn("/", {"name": "", "is_dir": True, "children": [outer]})

    assert listings.folders.paths == {"/"}
    assert not listings.paths.has("/b.md")
