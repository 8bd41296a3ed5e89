from dataclasses import replace

import pytest

from gates.facts import facts_of
from gates.types import Evidence, SeenText, Touch
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


OTHER = "/loans/reader-7/loan-2.json"
READ = frozenset({"read"})


def test_a_document_is_what_the_script_did_not_write_itself() -> None:
    touch = Touch("/docs/a.md", READ, (SeenText("Written.", is_proof=False), SeenText(RULES)))
    facts = facts_of(Evidence(has_trace=True, touches={"/docs/a.md": touch}))
    assert dict(facts.documents) == {"/docs/a.md": RULES}


def test_what_a_tool_prints_is_no_record_and_public_if_it_was_given_nothing() -> None:
    tools = (ran("/bin/show"), ran("/bin/sql", "select 'VAULT'"))
    printed = {"/bin/show": '{"id": "loan-5"}', "/bin/sql": "VAULT"}
    facts = facts_of(evidence_with({PATH: LOAN}, ran=tools, printed=printed))
    assert list(facts.records) == [PATH]
    assert "loan-5" in facts.public_text
    assert "book-3" not in facts.public_text
    assert "vault" not in facts.public_text


def test_folders_and_files_without_an_ending_have_no_ids() -> None:
    seen = evidence_with({PATH: LOAN}, listed=("/loans/loan-3", "/loans/old-4.d"))
    facts = facts_of(replace(seen, directories=frozenset({"/loans/old-4.d"})))
    assert facts.ids_in("loan-1, loan-3, old-4") == ("loan-1",)


def test_an_id_has_three_characters_at_least() -> None:
    facts = facts_of(evidence_with({"/a/t-1.json": LOAN, "/a/t1.json": LOAN}))
    assert facts.ids_in("t-1 and t1") == ("t-1",)


def test_a_record_is_named_if_no_other_file_has_its_id() -> None:
    facts = facts_of(evidence_with({PATH: LOAN, OTHER: LOAN}, listed=("/old/loan-2.json",)))
    assert [each.path for named in facts.named_in("loan-1, loan-2") if (each := facts.record_of(named))] == [PATH]


@pytest.mark.parametrize(
    ("seen", "are_linked"),
    [
        ((SeenText("desk-4 serves hall-6."),), False),
        ((SeenText("desk-4 serves hall-6.", is_excerpt=True),), True),
        ((SeenText("desk-4 serves hall-6.", is_whole=False),), True),
        ((SeenText("Desks."), SeenText("desk-4 serves hall-6.", is_excerpt=True)), True),
    ],
)
def test_a_line_of_a_document_links_ids_and_a_whole_document_does_not(
    seen: tuple[SeenText, ...], are_linked: bool
) -> None:
    facts = facts_of(Evidence(has_trace=True, touches={"/docs/a.md": Touch("/docs/a.md", READ, seen)}))
    assert facts.are_linked("desk-4", "hall-6") is are_linked


def test_what_a_tool_prints_links_ids_by_the_line_and_a_record_as_a_whole() -> None:
    table = "loan-1 copy-5\nloan-2 copy-6\n"
    facts = facts_of(
        evidence_with({PATH: "id: loan-1\nbook: book-3"}, ran=(ran("/bin/sql", "q"),), printed={"/bin/sql": table})
    )
    assert facts.are_linked("loan-2", "copy-6")
    assert not facts.are_linked("loan-1", "copy-6")
    assert facts.are_linked("loan-1", "book-3")


def test_a_word_of_a_record_that_a_document_holds_too_is_not_the_records_alone() -> None:
    facts = facts_of(evidence_with({PATH: {**LOAN, "title": "Quagga"}, "/docs/a.md": RULES}))
    assert facts.is_only_in_records("quagga")
    assert not facts.is_only_in_records("lent")
    assert not facts.is_only_in_records("loan")
    assert not facts.is_only_in_records("zebra")


def test_records_that_are_tied_to_each_other_are_given_once() -> None:
    facts = facts_of(
        evidence_with({PATH: LOAN, OTHER: {"id": "loan-2", "before": "loan-1"}, "/a/b-3.json": {"id": "b-3"}})
    )
    both = (facts.records[PATH], facts.records[OTHER])
    assert facts.tied_to(both) == both
    assert facts.tied_to(both[:1]) == both


def test_a_tool_that_was_not_run_is_known_where_another_one_of_its_folder_ran() -> None:
    for listed, is_known in ((("/notes/a.txt",), False), (("/bin/lend", "/bin/whoami", "/notes/a.txt"), True)):
        facts = facts_of(evidence_with(ran=(ran("/bin/whoami"),), printed={"/bin/whoami": WHO}, listed=listed))
        assert facts.knows_further_tools is is_known


def test_a_record_that_names_somebody_is_anothers_if_nobody_is_signed_in_and_that_was_read() -> None:
    guest = facts_of(evidence_with({PATH: LOAN}, ran=(ran("/bin/whoami"),), printed={"/bin/whoami": "user: guest"}))
    assert guest.is_anothers(guest.records[PATH])
    unknown = facts_of(evidence_with({PATH: LOAN}, ran=(ran("/bin/whoami"),), printed={"/bin/whoami": "Nobody."}))
    assert not unknown.is_anothers(unknown.records[PATH])
    assert guest.owner_against("/nowhere/loan-4.json") == ""
