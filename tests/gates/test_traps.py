"""No state that a script can bring about is without a way out: an honest answer passes."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gates import Judgement
from gates.language.answer_contract import derive_contract
from gates.types import Evidence, Touch
from tests.gates.sample_trials import FILES, Calls, Reply, Verify, judged, pad, verdict

PAIR = "For yes/no questions the whole message is `ja` or `nein`, nothing else."
NEEDLESS = r"`(/[^`]*)` was (?:done, and the request speaks of no such file|changed, but the request wants a value)"
BOOK = "/shelves/north side/b-104.json"


def test_both_words_of_a_pair_declared_as_required_become_alternatives() -> None:
    asked = {"instruction": "Is b-104 here?", "rules": PAIR}
    first = judged(pad(answer="ja", tokens=["ja", "nein"]), **asked)
    assert "in `tokens` what stands in it" in first.message
    assert judged(pad(answer="ja", tokens=["ja"]), **asked).accepted
    assert judged(pad(answer="ja", tokens=[["ja", "nein"]]), **asked).accepted


def test_a_token_that_the_contract_forbids_can_be_dropped() -> None:
    asked = {"instruction": "How many? Answer with number only."}
    first = judged(pad(answer="21", tokens=["days"]), **asked)
    assert not first.accepted
    assert "in `tokens` what stands in it" in first.message
    assert judged(pad(answer="21", tokens=[]), **asked).accepted


@pytest.mark.parametrize("outcome", ["OUTCOME_DENIED_SECURITY", "OUTCOME_NONE_UNSUPPORTED"])
def test_a_refusal_may_cite_nothing_though_a_citation_is_demanded(outcome: str) -> None:
    submission = pad(answer="That is not for members.", outcome=outcome, refs_why={})
    assert judged(submission, Calls(), instruction="Which fee? Cite the record you used.").accepted


def test_a_count_of_none_may_cite_nothing_though_every_counted_record_is_to_be_cited() -> None:
    asked = "How many late loans? Answer with a number only, and cite every loan counted."
    assert judged(pad(answer="0", refs_why={}), instruction=asked).accepted
    found = judged(pad(answer="3", refs_why={}), instruction=asked)
    assert "counts 3, but 0 are cited" in found.message


def test_a_number_of_copies_needs_no_citation_for_each_copy() -> None:
    asked = "How many copies are on the shelves? Answer with a number only, and cite every shelf counted."
    assert judged(pad(answer="21"), instruction=asked).accepted


def test_a_fact_from_the_instruction_needs_no_file() -> None:
    fact = {"value": "b-104", "description": "the book asked for", "source": "task", "confidence": "derived"}
    assert judged(pad(facts={"book": fact})).accepted


def test_a_record_reached_through_an_alias_passes_as_the_message_says() -> None:
    calls = Calls()
    calls.read("/shelves/b-104.json", resolved=BOOK)
    first = judged(pad(refs_why={"/shelves/b-104.json": "b-104 has 3 copies"}), calls)
    assert f"cite `{BOOK}`" in first.message
    assert judged(pad(refs_why={BOOK: "b-104 has 3 copies"}), calls).accepted


def test_a_row_may_be_cited_where_the_file_was_read_and_the_file_where_a_row_was_meant() -> None:
    calls = Calls()
    calls.read("/logs/lent.tsv")
    for cited in ("/logs/lent.tsv#row=7", "/logs/lent.tsv"):
        assert judged(pad(refs_why={cited: "the row of b-104"}), calls).accepted


def test_a_file_that_the_script_deleted_can_be_cited() -> None:
    calls = Calls()
    calls.read(BOOK)
    calls.delete(BOOK)
    calls.delete("/tmp/never-read.txt")
    reasons = {BOOK: "b-104 had 3 copies", "/tmp/never-read.txt": "deleted as asked"}
    told = [{"path": BOOK, "action": "delete"}, {"path": "/tmp/never-read.txt", "action": "delete"}]
    assert judged(pad(refs_why=reasons, changes=told), calls).accepted


def test_a_value_from_a_tool_has_the_tool_as_its_source() -> None:
    calls = Calls()
    calls.run("/bin/query", stdout="21")
    fact = {"value": 21, "description": "days", "source": "/bin/query", "confidence": "verified"}
    submission = pad(facts={"days": fact}, refs_why={"/bin/query": "the query gave 21"})
    assert judged(submission, calls).accepted


def test_records_of_one_kind_may_share_their_reason() -> None:
    calls = Calls()
    other = "/shelves/north side/b-105.json"
    calls.read(BOOK, other)
    assert judged(pad(refs_why={BOOK: "title and copies", other: "title and copies"}), calls).accepted


def test_a_verify_that_reads_a_file_is_told_to_compare_values_instead() -> None:
    found = judged(pad(), verify=Verify(as_submitted=Reply(False, "HarnessError: unavailable: the desk is closed")))
    assert "need not call the harness" in found.message
    assert judged(pad()).accepted


def test_where_the_environment_is_down_giving_up_passes_the_second_time() -> None:
    calls = Calls()
    for path in FILES:
        calls.fail("read", path)
    up = pad(answer="The workspace does not respond.", outcome="OUTCOME_ERR_INTERNAL", refs_why={})
    assert not judged(up, calls).accepted
    assert judged(up, calls, internal_errors_before=1).accepted


def test_a_mistaken_change_that_cannot_be_undone_is_owned_up_to() -> None:
    calls = Calls()
    calls.run("/bin/ship", "b-104")
    told = {"answer": "b-104 was shipped by mistake.", "outcome": "OUTCOME_NONE_UNSUPPORTED", "refs_why": {}}
    assert not judged(pad(**told), calls).accepted
    assert judged(pad(**told, changes=[{"path": "/bin/ship", "action": "execute"}]), calls).accepted


def test_a_token_inside_its_alternative_does_not_count_twice() -> None:
    assert judged(pad(answer="unavailable for 21 days", tokens=[["available", "unavailable"]])).accepted


def test_alternatives_that_the_contract_has_no_room_for_can_be_dropped() -> None:
    asked = {"instruction": "How many? Answer with number only."}
    first = judged(pad(answer="21", tokens=[["ja", "nein"]]), **asked)
    assert "in `tokens` the words that it has to choose from" in first.message
    assert judged(pad(answer="21", tokens=[]), **asked).accepted


def test_that_a_field_is_not_recorded_can_be_said_where_its_value_is_demanded() -> None:
    asked = {"instruction": "What exact `colour` is recorded for b-104? Answer only the field value."}
    first = judged(pad(answer="red"), **asked)
    assert "if that record holds none, say that" in first.message
    for word in ("none", "null", "not recorded", "No such field."):
        assert judged(pad(answer=word), **asked).accepted


def test_a_path_known_from_elsewhere_passes_once_its_folder_is_listed() -> None:
    asked = {"instruction": "Where is it filed? Return only the path of the file."}
    calls = Calls()
    calls.read("/docs/Loans.md")
    first = judged(pad(answer="/archive/b.json"), calls, **asked)
    assert "list its folder" in first.message
    calls.list("/archive", "/archive/b.json")
    assert judged(pad(answer="/archive/b.json"), calls, **asked).accepted


INSTRUCTIONS = st.sampled_from(
    [
        "How long does a loan run?",
        "How many? Answer with number only.",
        'Answer in exactly format "<COUNT:%d>".',
        "Is b-104 on the shelf?",
        "Delete the old loans and cite the file you used.",
        "Return only the deleted paths, one per line, sorted alphabetically.",
        'Answer with number only, as "<COUNT:%d>".',
        "Approve the loan. Answer with a JSON object with the keys `id`.",
        "What day is it? DD-MM-YYYY only. Cite every record counted.",
    ]
)
PATHS = st.sampled_from(
    [*FILES, "/docs/loans.md", "/DOCS/Loans.md", "/shelves/b-104.json", "/x#y.md", "/ a.md", "/B.txt"]
)


@st.composite
def histories(draw: st.DrawFn) -> Calls:
    """Any sequence of calls, also of failing ones."""
    calls = Calls()
    for kind in draw(st.lists(st.sampled_from("rrrrlwdxyof"), max_size=12)):
        path = draw(PATHS)
        match kind:
            case "r":
                calls.read(path, shown_chars=draw(st.sampled_from([None, None, 0, 9])))
            case "l":
                folder = path.rpartition("/")[0] or "/"
                calls.list(folder, *draw(st.lists(PATHS, max_size=3)), folders=draw(st.sampled_from([(), (path,)])))
            case "w":
                calls.write(path, draw(st.sampled_from(["", "new text"])))
            case "d":
                calls.delete(path)
            case "f":
                calls.fail("read", path, draw(st.sampled_from(["unavailable", "not_found"])))
            case _:
                tool = {"x": "/bin/ship", "y": "/bin/show", "o": "/bin/odd"}[kind]
                calls.run(
                    tool, path, stdout=draw(st.sampled_from(["", "b-104"])), exit_code=draw(st.sampled_from([0, 1]))
                )
    return calls


def honest_reason(touch: Touch) -> str:
    """What somebody would write who looked at the text, or did the deed."""
    samples = [sample for seen in touch.seen for sample in seen.samples]
    deeds = [{"write": "written", "delete": "deleted", "execute": "executed"}.get(each, "") for each in touch.actions]
    return f"holds {samples[0]}" if samples else f"{' '.join(sorted(filter(None, deeds)))} it, no lines in it"


def honest_submission(evidence: Evidence, outcome: str, instruction: str, rules: str) -> dict[str, object]:
    contract = derive_contract(instruction, rules)
    fixed = outcome == "OUTCOME_OK" and contract.is_enforced
    examples = [each.example for each in contract.clauses if not contract.breach(each.example)]
    if fixed and "deleted paths" in instruction:
        examples = ["\n".join(sorted({each.path for each in evidence.changes if each.action == "delete"})) or "None."]
    told = "".join(f" By mistake there was a {each.action} of {each.path}." for each in evidence.changes)
    return pad(
        answer=examples[0] if fixed else f"The rules leave this open; see what is cited.{told}",
        outcome=outcome,
        refs_why={
            path: honest_reason(touch)
            for path, touch in evidence.touches.items()
            if not evidence.find(path).is_directory
        },
        changes=[{"path": each.path, "action": each.action} for each in evidence.changes],
    )


@settings(deadline=None)
@given(histories(), INSTRUCTIONS, st.sampled_from(["", PAIR]))
def test_from_every_state_an_honest_answer_passes(calls: Calls, instruction: str, rules: str) -> None:
    for outcome in ("OUTCOME_DENIED_SECURITY", "OUTCOME_NONE_CLARIFICATION", "OUTCOME_NONE_UNSUPPORTED", "OUTCOME_OK"):
        evidence = calls.evidence
        submission = honest_submission(evidence, outcome, instruction, rules)
        if outcome == "OUTCOME_OK" and "cite" in instruction.lower() and not submission["refs_why"]:
            continue
        if outcome == "OUTCOME_OK" and instruction.startswith(("Delete", "Approve")) and not evidence.changes:
            continue  # It is not honest: nothing was done.
        found = judged(submission, calls, instruction=instruction, rules=rules)
        undone: set[str] = set()
        while (needless := re.search(NEEDLESS, found.message)) and needless[1] not in undone:
            undone.add(needless[1])
            calls.undo(needless[1])  # To undo what nobody asked for is in everybody's power.
            submission = honest_submission(calls.evidence, outcome, instruction, rules)
            found = judged(submission, calls, instruction=instruction, rules=rules)
        if needless:  # What nobody saw before cannot be put back: who owns up to it and refuses passes.
            assert outcome == "OUTCOME_OK", found.message
            continue
        if outcome == "OUTCOME_OK" and "wants a value and orders nothing: undo the change" in found.message:
            continue  # A value beside a deed that nobody can undo is not honest; the refusal that owns up passed.
        assert found.accepted, found.message


@settings(deadline=None)
@given(histories(), PATHS)
def test_what_cite_returns_passes_gates_three_and_four(calls: Calls, path: str) -> None:
    try:
        right = calls.evidence_log.cite(path, "long enough")
    except ValueError:
        return
    found: Judgement = judged(pad(refs_why={right: "long enough"}), calls)
    assert [verdict(found, gate).result for gate in (3, 4)] == ["pass", "pass"], found.message
