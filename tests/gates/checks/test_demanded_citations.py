"""Citations that an instruction demands."""

import pytest

from gates import Case, Submission, judge
from gates.types import Evidence
from tests.gates.checks.cited_trial import calls_of_a_trial
from tests.gates.sample_trials import LEFT_OUT, judged, pad, verdict


@pytest.mark.parametrize(
    ("instruction", "refs", "result"),
    [
        ("Which fee? Cite the record you used.", LEFT_OUT, "reject"),
        ("Which fee? Cite the record you used.", {}, "reject"),
        ("Which fee? Cite the record you used.", {"/docs/Loans.md": "a loan runs 21 days"}, "pass"),
        ("Which fee? Cite every record you used.", LEFT_OUT, "not_applicable"),
        ("Which fee? Do not cite anything.", LEFT_OUT, "not_applicable"),
        ("Make a list and name the source as a grounding ref.", LEFT_OUT, "reject"),
    ],
)
def test_a_citation_that_the_instruction_demands_must_be_there(instruction: str, refs: object, result: str) -> None:
    found = judged(pad(refs_why=refs), calls_of_a_trial(), instruction=instruction)
    assert verdict(found, 3).result == result


@pytest.mark.parametrize(
    ("answer", "result"), [("1", "pass"), ("2", "reject"), ("<COUNT:2>", "reject"), ("two", "pass")]
)
def test_a_count_cites_at_least_as_many_as_it_counts(answer: str, result: str) -> None:
    asked = "How many late loans? Cite every loan counted."
    found = judged(pad(answer=answer), calls_of_a_trial(), instruction=asked)
    assert verdict(found, 3).result == result


ROWS = "Cite rows in this format: /logs/lent.tsv#row=<RowID> and answer with the sum."
SOURCE = "Read the log /logs/lent.tsv and tell how many. Look at the list in /nowhere/x.tsv as well."


@pytest.mark.parametrize(
    ("instruction", "answer", "refs", "named"),
    [
        (ROWS, "EUR 7.00", {"/logs/lent.tsv#row=7": "row 7 is b-104"}, ""),
        (ROWS, "EUR 7.00", {"/docs/Loans.md": "runs 21 days", "/logs/lent.tsv#row=7": "row 7 is b-104"}, ""),
        (ROWS, "EUR 7.00", {"/logs/lent.tsv": "the rows of b-104"}, "rows are cited as `/logs/lent.tsv#row=<RowID>`"),
        (ROWS, "EUR 0.00", {"/logs/lent.tsv": "the rows of b-104"}, ""),
        (SOURCE, "2", {"/logs/lent.tsv": "the rows of b-104"}, ""),
        (SOURCE, "2", {"/logs/lent.tsv#row=7": "row 7 is b-104"}, ""),
        (SOURCE, "2", {"/docs/Loans.md": "a loan runs 21 days"}, "`/logs/lent.tsv` is what the request is about"),
        ("How many loans?", "2 of 3", {"/docs/Loans.md": "a loan runs 21 days"}, ""),
    ],
)
def test_rows_and_sources_that_the_instruction_names_are_cited(
    instruction: str, answer: str, refs: dict[str, str], named: str
) -> None:
    found = verdict(judged(pad(answer=answer, refs_why=refs), calls_of_a_trial(), instruction=instruction), 3)
    assert named in found.reason
    assert (found.result == "reject") is bool(named)


def test_without_a_trace_a_named_source_counts_as_read() -> None:
    submission = Submission(answer="2", outcome="OUTCOME_OK", refs=("/docs/Loans.md",))
    assert verdict(judge(submission, Evidence(), Case(SOURCE)), 3).result == "reject"
    refused = Submission(answer="no", outcome="OUTCOME_DENIED_SECURITY", refs=())
    assert verdict(judge(refused, Evidence(), Case(SOURCE)), 3).result == "pass"


COUNT = "How many late loans? Cite every loan counted."
LONG = "After a look at every single loan of the whole desk the count is: 2"


@pytest.mark.parametrize(
    ("instruction", "answer", "result"),
    [
        (COUNT, LONG, "pass"),
        (f"{COUNT} Answer with the number only.", LONG, "reject"),
        (f"{COUNT} Answer with the number only.", "2", "reject"),
        (f"{COUNT} Answer with the number only. Reply as YYYY-MM-DD only.", LONG, "pass"),
        (f'{COUNT} The answer must contain "%d".', LONG, "pass"),
        ("How many copies are late? Cite every loan counted.", "7", "pass"),
    ],
)
def test_a_long_answer_counts_by_its_one_number_only_where_its_form_is_wrong_anyway(
    instruction: str, answer: str, result: str
) -> None:
    found = judged(pad(answer=answer), calls_of_a_trial(), instruction=instruction)
    assert verdict(found, 3).result == result
