from gates.facts import facts_of
from gates.types import Evidence
from tests.gates.facts.read_texts import evidence_with, ran

LOAN = {"id": "loan-1", "reader_id": "reader-7", "book_id": "book-3", "state": "lent"}
PATH = "/loans/reader-7/loan-1.json"
RULES = "A loan is `lent`, `returned` or `lost`."
WHO = "user: reader-9\nroles: reader\n"


def test_the_same_evidence_has_the_same_facts_and_another_has_others() -> None:
    one, other = evidence_with({PATH: LOAN}), evidence_with({PATH: LOAN})
    assert facts_of(one) is facts_of(one)
    assert facts_of(other) is not facts_of(one)


def test_without_a_trace_there_are_no_facts() -> None:
    facts = facts_of(Evidence())
    assert (dict(facts.records), dict(facts.paths_by_id), facts.tables, dict(facts.states)) == ({}, {}, (), {})


def test_texts_that_are_no_records_are_documents() -> None:
    facts = facts_of(evidence_with({PATH: LOAN, "/docs/a.md": RULES}))
    assert list(facts.records) == [PATH]
    assert dict(facts.documents) == {"/docs/a.md": RULES}


def test_another_readers_record_is_told_from_the_signed_in_ones() -> None:
    who = (ran("/bin/whoami"),)
    facts = facts_of(evidence_with({PATH: LOAN}, ran=who, printed={"/bin/whoami": WHO}))
    assert facts.signed_in == {"reader-9"}
    assert facts.owner_against(PATH) == "reader-7"
    own = facts_of(evidence_with({PATH: {**LOAN, "reader_id": "READER-9"}}, ran=who, printed={"/bin/whoami": WHO}))
    assert own.owner_against(PATH) == ""


def test_who_is_signed_in_is_not_told_by_what_a_script_had_printed() -> None:
    said = evidence_with({PATH: LOAN}, ran=(ran("/bin/echo", WHO),), printed={"/bin/echo": WHO})
    failed = evidence_with({PATH: LOAN}, ran=(ran("/bin/whoami", exit_code=1),), printed={"/bin/whoami": WHO})
    assert facts_of(said).owner_against(PATH) == facts_of(failed).owner_against(PATH) == ""


def test_an_id_of_another_kind_is_no_other_owner() -> None:
    staff = (ran("/bin/whoami"),)
    facts = facts_of(evidence_with({PATH: LOAN}, ran=staff, printed={"/bin/whoami": "user: clerk-2\n"}))
    assert facts.owner_against(PATH) == ""


def test_a_text_names_known_files_by_id() -> None:
    facts = facts_of(evidence_with({PATH: LOAN}, listed=("/loans/reader-7/loan-2.json", "/docs/state.md")))
    text = "LOAN-1, see /loans/reader-7/loan-2.json: not loan-11, and no state."
    assert facts.ids_in(text) == ("loan-1", "loan-2")
    assert [each.paths for each in facts.named_in("loan-2")] == [("/loans/reader-7/loan-2.json",)]


def test_records_and_rows_link_ids() -> None:
    table = "loan,copy\nloan-1,copy-5\n"
    facts = facts_of(evidence_with({PATH: LOAN}, ran=(ran("/bin/sql", "q"),), printed={"/bin/sql": table}))
    assert facts.are_linked("book-3", "loan-1")
    assert facts.are_linked("book-3", "reader-7")
    assert facts.are_linked("loan-1", "copy-5")
    assert not facts.are_linked("book-3", "copy-5")
