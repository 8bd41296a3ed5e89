"""Facts of one trial: records and documents, who is signed in, what is linked, what was changed and still is."""

import json
from dataclasses import replace

import pytest

from gates.evidence import Change, Evidence, Execution, SeenText, Touch, spelling_key
from gates.trial_facts import TrialFacts, facts_of

LOAN = {"id": "loan-1", "reader_id": "reader-7", "book_id": "book-3", "state": "lent"}
PATH = "/loans/reader-7/loan-1.json"
WHO = "user: reader-9\nroles: reader\n"
READ = frozenset({"read"})


def facts_with(
    read: dict[str, object], *, printed: dict[str, str] | None = None, listed: tuple[str, ...] = ()
) -> TrialFacts:
    """Return the facts of a trace: what was read (an object is a JSON record), and what tools printed; `/bin/whoami`
    was given nothing, others were given something."""
    texts = {path: held if isinstance(held, str) else json.dumps(held) for path, held in read.items()}
    touches = {path: Touch(path, READ, (SeenText(text),)) for path, text in texts.items()}
    runs = []
    for path, text in (printed or {}).items():
        arguments = () if path == "/bin/whoami" else ("q",)
        runs.append(Execution(path, arguments, "reads", 0))
        touches[path] = Touch(path, frozenset({"execute"}), (SeenText(text, is_proof=not arguments),))
    paths = {spelling_key(path): (path,) for path in (*touches, *listed)}
    return facts_of(Evidence(True, touches, paths_by_spelling=paths, executions=tuple(runs)))


@pytest.mark.parametrize("run", [Execution("/bin/whoami", (), "reads", 1), Execution("/bin/whoami", (), "changes", 0)])
def test_a_failed_tool_and_one_that_changes_tell_nobody(run: Execution) -> None:
    facts = facts_with({PATH: LOAN}, printed={"/bin/whoami": WHO})
    assert facts_of(replace(facts.evidence, executions=(run,))).signed_in == frozenset()


# What was changed and still is ----------------------------------------------------------------------------------------

FILE = "/shelves/b-104.json"
WHOLE, PART = SeenText("one\ntwo\nthree\n"), SeenText("two\n", is_excerpt=True)
CUT = SeenText("one\ntw", is_whole=False)


def wrote(text: str) -> SeenText:
    return SeenText(text, is_proof=False)


def facts_after(actions: str, *seen: SeenText) -> TrialFacts:
    changes = tuple(Change(FILE, {"w": "write", "d": "delete"}[action]) for action in actions)
    return facts_of(Evidence(has_trace=True, touches={FILE: Touch(FILE, READ, seen)}, changes=changes))


@pytest.mark.parametrize(
    ("actions", "seen"),
    [
        ("wd", (wrote("new"),)),
        ("dw", (WHOLE, wrote("one\ntwo\nthree"))),
        ("ww", (WHOLE, wrote("junk"), wrote("one\ntwo\nthree\n"))),
        ("dw", (PART, wrote("one\ntwo\nthree"))),
        ("dw", (WHOLE, wrote("one\ntwo\nthree"), CUT)),
        ("wd", ()),
        ("dw", (CUT, wrote("one\ntw\nmore"))),
        ("ww", (PART, WHOLE)),
    ],
)
def test_a_restored_file_is_undone(actions: str, seen: tuple[SeenText, ...]) -> None:
    facts = facts_after(actions, *seen)
    assert all(map(facts.is_undone, facts.evidence.changes))
    assert facts.standing_changes == ()


@pytest.mark.parametrize(
    ("actions", "seen"),
    [
        ("w", (wrote("new"),)),
        ("d", (WHOLE,)),
        ("wd", (WHOLE, wrote("new"))),
        ("dw", (WHOLE, wrote("junk"))),
        ("dw", (wrote("junk"),)),
        ("dwd", (WHOLE, wrote("one\ntwo\nthree"))),
        ("w", (WHOLE, wrote("one\ntwo\nthree, and more"))),
        ("ww", (PART, wrote("one"), wrote("three"))),
        ("ww", (wrote("one\ntwo\nthree"), WHOLE)),
        ("dw", (SeenText(" \n", is_excerpt=True), wrote("junk"))),
    ],
)
def test_junk_and_what_nobody_saw_before_do_not_undo(actions: str, seen: tuple[SeenText, ...]) -> None:
    facts = facts_after(actions, *seen)
    assert not any(map(facts.is_undone, facts.evidence.changes))
    assert facts.standing_changes == facts.evidence.changes
