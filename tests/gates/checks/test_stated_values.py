"""Gate 6: paths and recorded values that an answer consists of."""

from dataclasses import replace

import pytest

from gates import Case, Submission, judge
from gates.checks.stated_values import faults_of_stated_values
from gates.types import Evidence, Execution
from gates.types.evidence import CALL_FAILED
from tests.gates.sample_trials import Calls, judged, pad, verdict

DELETED = "Delete all of /tmp/x. Answer only with the deleted paths, one per line, sorted alphabetically."
EXPORT = "Create a list at /exports/list.csv. Return only the export path."


def deleting() -> Calls:
    calls = Calls()
    calls.list("/tmp/x", "/tmp/x/a.tmp", "/tmp/x/b.tmp", "/tmp/x/c.tmp")
    calls.delete("/tmp/x/a.tmp")
    calls.delete("/tmp/x/b.tmp")
    return calls


def writing() -> Calls:
    calls = Calls()
    calls.write("/exports/list.csv")
    return calls


def deleting_and_writing() -> Calls:
    calls = deleting()
    calls.write("/exports/list.csv")
    return calls


@pytest.mark.parametrize(
    ("instruction", "calls", "answer", "named"),
    [
        (DELETED, deleting_and_writing(), "/tmp/x/a.tmp\n/tmp/x/b.tmp", "the request speaks of no such file"),
        (DELETED, deleting(), "/tmp/x/a.tmp\n/tmp/x/b.tmp", ""),
        (
            DELETED,
            deleting(),
            "/tmp/x/a.tmp\n/tmp/x/b.tmp\n/tmp/x/c.tmp",
            "lists as deleted what was not: `/tmp/x/c.tmp`",
        ),
        (DELETED, deleting(), "/tmp/x/a.tmp", "leaves out what was deleted: `/tmp/x/b.tmp`"),
        (DELETED, deleting(), "/tmp/x/a.tmp\n/tmp/x/z.tmp", "`/tmp/x/z.tmp`, which this trial has neither"),
        (DELETED, Calls(), "Nothing was there.", ""),
        (EXPORT, writing(), "/exports/list.csv", ""),
        (EXPORT, writing(), "/exports/lists.csv", "nearest: `/exports/list.csv`"),
        ("Which code? Answer with the value only.", Calls(), "/nowhere", ""),
    ],
)
def test_an_answer_of_paths_tells_what_the_trace_shows(instruction: str, calls: Calls, answer: str, named: str) -> None:
    changes = [{"path": each.path, "action": each.action} for each in calls.evidence.changes]
    found = verdict(judged(pad(answer=answer, refs_why={}, changes=changes), calls, instruction=instruction), 6)
    assert named in found.reason
    assert (found.result == "reject") is bool(named)


FIELD = "What title is recorded for b-104? Answer with the value only."


@pytest.mark.parametrize(
    ("instruction", "answer", "is_rejected"),
    [
        (FIELD, "Die Küste", False),
        (FIELD, "die kuste", False),
        (FIELD, "3", False),
        (FIELD, "The title is Die Küste", True),
        (FIELD, "Harbour lights", True),
        (FIELD, "—", False),
        (FIELD, "none" + "." * 55, False),
        (FIELD, "none" + "." * 56, True),
        (FIELD, "b-104.json", False),
        ("Which weekday is it? Answer with the value only.", "Sunday", False),
        ("What title is recorded for b-104?", "It is called Sunday.", False),
    ],
)
def test_a_recorded_value_stands_in_what_was_read(instruction: str, answer: str, is_rejected: bool) -> None:
    calls = Calls()
    calls.read("/shelves/north side/b-104.json")
    found = verdict(judged(pad(answer=answer, refs_why={}), calls, instruction=instruction), 6)
    assert ("is in nothing that was read" in found.reason) is is_rejected


def test_a_value_that_a_query_returned_or_the_script_wrote_is_in_nothing_that_was_read() -> None:
    calls = Calls()
    calls.read("/shelves/north side/b-104.json", "/bin/query")
    calls.run("/bin/query", "select 'Harbour lights'", stdout="Harbour lights")
    calls.run("/bin/show", "Harbour lights", stdout="no such file: Harbour lights", exit_code=1)
    calls.write("/tmp/own", "Harbour lights")
    submitted = pad(answer="Harbour lights", refs_why={})
    assert "is in nothing that was read" in verdict(judged(submitted, calls, instruction=FIELD), 6).reason
    calls.run("/bin/show", "/shelves/north side/b-105.json", stdout="Harbour lights")
    calls.delete("/tmp/own")
    assert verdict(judged(submitted, calls, instruction=FIELD), 6).result == "pass"


@pytest.mark.parametrize(("count", "more"), [(6, ""), (8, " and 2 more")])
def test_a_long_list_is_named_by_five_and_a_count(count: int, more: str) -> None:
    calls = Calls()
    paths = [f"/tmp/x/{number}.tmp" for number in range(count)]
    for path in paths:
        calls.delete(path)
    changes = [{"path": each.path, "action": each.action} for each in calls.evidence.changes]
    submission = pad(answer=paths[-1], refs_why={}, changes=changes)
    reason = verdict(judged(submission, calls, instruction=DELETED), 6).reason
    assert f"`/tmp/x/4.tmp`{more}: list it." in reason


@pytest.mark.parametrize(
    ("asked", "answer", "is_rejected"),
    [
        ("Answer with the found paths, one per line, sorted.", "/tmp/x/a.tmp", False),
        ("Answer with the found paths, one per line, sorted.", "/nowhere", True),
        ("Answer with the found paths, one per line, sorted.", "/nowhere\n/tmp/x/a.tmp", True),
        ("Answer with the found paths, one per line, sorted.", "None was found.", False),
        ("Answer with the found marks, one per line, sorted.", "/nowhere\n/tmp/x/a.tmp", False),
    ],
)
def test_only_where_paths_are_asked_for_must_they_be_known(asked: str, answer: str, is_rejected: bool) -> None:
    calls = Calls()
    calls.delete("/tmp/x/a.tmp")
    changes = [{"path": "/tmp/x/a.tmp", "action": "delete"}]
    found = verdict(judged(pad(answer=answer, refs_why={}, changes=changes), calls, instruction=asked), 6)
    assert ("neither touched" in found.reason) is is_rejected


@pytest.mark.parametrize(
    ("instruction", "answer"),
    [
        ("Return only the path. Answer with number only.", "/nowhere"),
        ("Return only the path. Answer with the weekday as DD-MM-YYYY.", "/nowhere/04-05-2031"),
        (FIELD, "quagga\nzebra"),
        ("How many loans are recorded? Answer with number only.", "77"),
    ],
)
def test_conflicts_breaches_and_computed_values_are_none_of_its_business(instruction: str, answer: str) -> None:
    calls = Calls()
    calls.read("/shelves/north side/b-104.json")
    assert verdict(judged(pad(answer=answer, refs_why={}), calls, instruction=instruction), 6).result == "pass"


def test_without_a_trace_nothing_is_compared() -> None:
    for instruction, answer in ((EXPORT, "/nowhere"), (FIELD, "quagga")):
        submission = Submission(answer=answer, outcome="OUTCOME_OK", changes=[])
        assert verdict(judge(submission, Evidence(), Case(instruction)), 6).result == "pass"


def test_a_listed_path_is_known_beside_one_in_another_case() -> None:
    calls = Calls()
    calls.list("/tmp/x", "/tmp/x/a.tmp", "/tmp/x/A.tmp")
    asked = "Answer with the found paths, one per line, sorted."
    found = verdict(judged(pad(answer="/tmp/x/a.tmp", refs_why={}), calls, instruction=asked), 6)
    assert (found.result, found.reason) == ("pass", "")


def test_a_refusal_may_name_a_path_that_is_not_there() -> None:
    submission = pad(answer="/nowhere", outcome="OUTCOME_DENIED_SECURITY", refs_why={})
    assert verdict(judged(submission, instruction=EXPORT), 6).result == "pass"


def test_where_nothing_was_touched_no_nearest_path_is_named() -> None:
    reason = verdict(judged(pad(answer="/nowhere", refs_why={}, changes=[]), Calls(), instruction=EXPORT), 6).reason
    assert "neither touched" in reason
    assert "nearest" not in reason


def test_where_nothing_was_read_a_dash_is_no_wrong_value() -> None:
    assert verdict(judged(pad(answer="—", refs_why={}), Calls(), instruction=FIELD), 6).result == "pass"


@pytest.mark.parametrize(("length", "is_rejected"), [(2_000, True), (2_001, False)])
def test_a_value_is_compared_up_to_two_thousand_characters(length: int, is_rejected: bool) -> None:
    found = verdict(judged(pad(answer="x" * length, refs_why={}), instruction=FIELD), 6)
    assert ("is in nothing" in found.reason) is is_rejected


@pytest.mark.parametrize(("answer", "is_rejected"), [("Quagga", False), ("zebra", True), ("quagga zebra", True)])
def test_a_value_may_stand_in_the_path_of_what_was_read(answer: str, is_rejected: bool) -> None:
    calls = Calls()
    calls.read("/docs/Loans.md")
    calls.evidence_log.record("read", {"path": "/logs/quagga.tsv"}, {"path": "/logs/quagga.tsv", "content": "1"}, None)
    found = verdict(judged(pad(answer=answer, refs_why={}), calls, instruction=FIELD), 6)
    assert ("is in nothing" in found.reason) is is_rejected


def test_a_value_is_not_held_against_a_text_too_long_to_index() -> None:
    calls = Calls()
    calls.evidence_log.record("read", {"path": "/long.txt"}, {"path": "/long.txt", "content": "x " * 600_000}, None)
    calls.read("/docs/Loans.md")
    found = verdict(judged(pad(answer="quagga", refs_why={}), calls, instruction=FIELD), 6)
    assert found.result == "pass"


def test_a_tool_that_may_have_deleted_makes_a_list_of_deletions_uncertain() -> None:
    calls = deleting()
    calls.run("/bin/odd", "/tmp/x/c.tmp")
    answer = "/tmp/x/a.tmp\n/tmp/x/b.tmp\n/tmp/x/c.tmp"
    assert verdict(judged(pad(answer=answer), calls, instruction=DELETED), 6).result == "pass"


FOUND = "Tidy up /tmp/x. Answer with the paths, one per line, sorted."
FIRST, BOTH = "/tmp/x/a.tmp", "/tmp/x/a.tmp\n/tmp/x/b.tmp"
QUERY, ODD = Execution("/bin/query", (), "reads", 0), Execution("/bin/odd", (), "unknown", 0)
REFUSED = replace(ODD, exit_code=CALL_FAILED)


@pytest.mark.parametrize(
    ("instruction", "calls", "executions", "answer", "named"),
    [
        (FOUND, deleting(), (), FIRST, "leaves out what was deleted: `/tmp/x/b.tmp`"),
        (FOUND, deleting(), (), BOTH, ""),
        (FOUND, deleting(), (), "None is left.", ""),
        (FOUND, deleting_and_writing(), (), FIRST, ""),
        (DELETED, deleting(), (QUERY,), FIRST, "leaves out"),
        (DELETED, deleting(), (REFUSED,), FIRST, "leaves out"),
        (DELETED, deleting(), (ODD,), FIRST, ""),
        (DELETED, deleting_and_writing(), (), BOTH, ""),
    ],
)
def test_what_lists_deletions_lists_them_all_unless_a_tool_may_have_deleted_more(
    instruction: str, calls: Calls, executions: tuple[Execution, ...], answer: str, named: str
) -> None:
    evidence = replace(calls.evidence, executions=executions)
    submission = Submission(answer=answer, outcome="OUTCOME_OK")
    found = "\n".join(faults_of_stated_values(submission, evidence, Case(instruction)))
    assert named in found
    assert bool(found) is bool(named)
