import pytest

from gates.facts import compound_stem, facts_of
from gates.types import Change, Evidence, SeenText, Touch
from tests.gates.facts.read_texts import evidence_with, ran

LOAN = {"id": "loan-1", "reader_id": "reader-7", "book_id": "book-3", "state": "lent"}
PATH = "/loans/reader-7/loan-1.json"
OTHER = "/loans/reader-7/loan-2.json"
RULES = "A loan is `lent`, `returned` or `lost`."
WHO = "user: reader-9\nroles: reader\n"


def test_another_readers_record_is_told_from_the_signed_in_ones() -> None:
    who = (ran("/bin/whoami"),)
    facts = facts_of(evidence_with({PATH: LOAN}, ran=who, printed={"/bin/whoami": WHO}))
    assert facts.signed_in == {"reader-9"}
    assert facts.owner_against(PATH) == "reader-7"
    own = facts_of(evidence_with({PATH: {**LOAN, "reader_id": "READER-9"}}, ran=who, printed={"/bin/whoami": WHO}))
    assert own.owner_against(PATH) == ""
    assert facts.is_anothers(facts.records[PATH])
    assert not own.is_anothers(own.records[PATH])


def test_who_is_signed_in_is_not_told_by_what_a_script_had_printed() -> None:
    said = evidence_with({PATH: LOAN}, ran=(ran("/bin/echo", WHO),), printed={"/bin/echo": WHO})
    failed = evidence_with({PATH: LOAN}, ran=(ran("/bin/whoami", exit_code=1),), printed={"/bin/whoami": WHO})
    assert facts_of(said).owner_against(PATH) == facts_of(failed).owner_against(PATH) == ""


def test_an_id_of_another_kind_is_no_other_owner() -> None:
    staff = (ran("/bin/whoami"),)
    facts = facts_of(evidence_with({PATH: LOAN}, ran=staff, printed={"/bin/whoami": "user: clerk-2\n"}))
    assert facts.owner_against(PATH) == ""
    near = facts_of(evidence_with({PATH: LOAN}, ran=staff, printed={"/bin/whoami": "user: read-2\n"}))
    assert near.owner_against(PATH) == ""
    who = (ran("/bin/whoami"),)
    read = evidence_with({PATH: LOAN}, ran=who, printed={"/bin/whoami": "user: read-2\n"})
    assert facts_of(read).owner_against(PATH) == ""  # `reader-7` only begins as ids of this kind do


def test_a_record_holds_states_in_the_fields_that_it_has() -> None:
    read = {PATH: [LOAN, {**LOAN, "state": "returned"}, {**LOAN, "state": "N/A 3"}], OTHER: {"id": "loan-2"}}
    facts = facts_of(evidence_with(read))
    lent, returned = compound_stem("lent"), compound_stem("returned")
    assert facts.about(facts.records[PATH]).past_states == {lent, returned}
    assert set(facts.about(facts.records[PATH]).states) == {"state"}
    assert facts.about(facts.records[OTHER]).state_words == frozenset()


@pytest.mark.parametrize(
    ("change", "printed", "state"),
    [
        (Change("/bin/lend", "execute", "loan-1"), {"/bin/lend": "loan-1 returned"}, "returned"),
        (Change("/notes/a.txt", "write"), {"/notes/a.txt": "loan-1 returned"}, None),
        (Change("/bin/lend", "execute", "loan-1"), {}, None),
    ],
)
def test_what_a_tool_that_changed_something_prints_of_a_record_is_its_state(
    change: Change, printed: dict[str, str], state: str | None
) -> None:
    facts = facts_of(evidence_with({PATH: LOAN, "/docs/a.md": RULES}, printed=printed, changes=(change,)))
    expected = {compound_stem(state or "lent")}
    assert facts.about(facts.records[PATH]).current_states == expected


def test_the_words_of_a_records_states_are_told_without_what_joins_their_parts() -> None:
    read = {PATH: [LOAN, {**LOAN, "state": "checked_out"}], OTHER: {**LOAN, "id": "loan-2", "state": "re-shelved"}}
    facts = facts_of(evidence_with(read))
    assert facts.about(facts.records[OTHER]).state_words == {"lent", "checkedout", "reshelved"}


def test_a_line_tells_of_every_record_that_it_names_and_of_no_other() -> None:
    printed = {"/bin/lend": "loan-1 and loan-2: returned\nloan-3: lost"}
    change = Change("/bin/lend", "execute", "loan-1")
    facts = facts_of(evidence_with({PATH: LOAN, OTHER: LOAN, "/docs/a.md": RULES}, printed=printed, changes=(change,)))
    assert {each: facts.about(facts.records[each]).current_states for each in (PATH, OTHER)} == {
        PATH: {compound_stem("returned")},
        OTHER: {compound_stem("returned")},
    }


@pytest.mark.parametrize(
    ("tool", "seen", "owner"),
    [
        (ran("/bin/whoami"), SeenText(WHO), "reader-7"),
        (ran("/bin/whoami", kind="changes"), SeenText(WHO), ""),
        (ran("/bin/whoami", "now"), SeenText(WHO), ""),
        (ran("/bin/whoami"), SeenText(WHO, is_proof=False), ""),
        (ran("/bin/whoami"), SeenText(WHO + "note: " + "x" * (2_000 - len(WHO) - 6)), "reader-7"),
        (ran("/bin/whoami"), SeenText(WHO + "note: " + "x" * (2_001 - len(WHO) - 6)), ""),
        (ran("/bin/other"), SeenText(WHO), ""),
    ],
)
def test_who_is_signed_in_is_told_by_a_short_answer_to_a_tool_that_reads_and_was_given_nothing(
    tool: object, seen: SeenText, owner: str
) -> None:
    touches = {
        **evidence_with({PATH: LOAN}).touches,
        "/bin/whoami": Touch("/bin/whoami", frozenset({"execute"}), (seen,)),
    }
    facts = facts_of(Evidence(has_trace=True, touches=touches, executions=(tool,)))
    assert facts.owner_against(PATH) == owner


def test_a_record_that_names_the_signed_in_user_beside_another_is_nobody_elses() -> None:
    shared = {**LOAN, "lent_by": "reader-9"}
    facts = facts_of(evidence_with({PATH: shared}, ran=(ran("/bin/whoami"),), printed={"/bin/whoami": WHO}))
    assert facts.owner_against(PATH) == ""
