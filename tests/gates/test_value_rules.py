"""Values of an answer are found in what is cited, up to their format, or can be derived; invented ones are not."""

from typing import Any

import pytest

from gates.rules import Inapplicable
from gates.submission import OK, Case, Submission
from gates.value_rules import ask_crossed_values, ask_printed_values, ask_unheeded_sentences
from tests.benchmarks.shop.invented_shop import Trace
from tests.gates.sample_trials import Calls, Verify, fault, judged, pad

LEASE, TERM, HALL, ROSTER = "/leases/lease.md", "/leases/term.md", "/leases/hall.md", "/staff/roster.md"
TEXTS = {
    LEASE: "The rent is EUR 1,199.50 a month, the deposit 2.400,00 EUR. The key is VH-KEY-22.",
    TERM: "The lease was signed on 2031-05-04 and runs 14 months.",
    HALL: 'The hall measures 312 m2 and opens at 09:30. Notice is given "no later than the third working day"; call '
    "+31 20 555-0134.",
    ROSTER: "Badge B-77. Bo was hired on 2029-11-17.",
}
"""Each holds few numbers: of many, nobody can know what is computed from them."""


def trial() -> Calls:
    calls = Calls()
    for path, text in TEXTS.items():
        calls.see(path, text)
    return calls


def objection(answer: str, *cited: str, instruction: str = "What does the lease say?", now: str = "") -> str:
    submission = pad(answer=answer, refs_why=dict.fromkeys(cited, "what the lease of the hall says"))
    return fault(judged(submission, trial(), instruction=instruction, now=now), "6/found-value")


FOUND = {
    LEASE: [
        # Thousands, decimals, units and languages.
        *("The rent is 1199.50.", "1.199,50 EUR a month", "1'199.50", "1 199,5 EUR", "€1,199.50", "2400", "2 400 €"),
        *("Die Miete ist 1.199,50 EUR.", "Le loyer est de 1 199,50 € par mois.", "EUR 2'400.- deposit"),
        # Sums, differences, a year, shares.
        *(
            "EUR 3,599.50 in all.",
            "It is 1,200.50 more.",
            "The rent of a year is 14,394.",
            "About 50 percent.",
            "49.98 %",
        ),
        # Ids, in any case, however they are joined.
        *("vh-key-22", "VH_KEY_22", "`VH-KEY-22`"),
        # Small whole numbers and no value at all.
        *("3", "7 of them", "None.", "Yes, as always."),
    ],
    TERM: [
        *(
            "2031-05-04",
            "04.05.2031",
            "Signed on 4 May 2031.",
            "May 4th, 2031",
            "4 May",
            "4. Mai 2031",
            "le 4 mai 2031",
        ),
        *(
            "05/04/2031",
            "14 months",
            "14 Monate",
            "14 mois",
            "For 14 months, until 4 July 2032.",
            "2032-07-04",
            "2032-07-03",
        ),
    ],
    HALL: [
        *("9:30", "At 9.30 am.", "um 9.30 Uhr", "à 9h30", "It opens at 09:30.", "312 m²", "312 square metres", "312m2"),
        *("Call +31205550134.", "+31-20-555 0134", 'Notice: "No later than  the third working day".'),
        "« no later than the third working day »",
    ],
}
INVENTED = {
    LEASE: [
        *("The rent is EUR 1,250.75.", "1.299,50 EUR", "The deposit is 2,500.", "€ 777.35", "1250.75 euros par mois"),
        *("VH-KEY-23", "The badge is B-78."),
    ],
    TERM: [
        *("Signed on 5 May 2031.", "2031-05-14", "am 17. Mai 2031", "le 23 août 2030", "May 24th, 2031", "24/09/2028"),
        "2029-11-17",
    ],
    HALL: [
        "At 10:47.",
        "um 11.13 Uhr",
        "at 14:20",
        "173.4 m2",
        "Call +31 20 555-0199.",
        '"before the end of the quarter"',
    ],
}


def rows(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(path, answer) for path, answers in table.items() for answer in answers]


@pytest.mark.parametrize(("path", "answer"), rows(FOUND))
def test_a_value_of_a_cited_text_passes_in_any_format(path: str, answer: str) -> None:
    assert objection(answer, path) == ""


@pytest.mark.parametrize(("path", "answer"), rows(INVENTED))
def test_an_invented_value_is_objected_to(path: str, answer: str) -> None:
    assert "no cited text does" in objection(answer, path)


def test_a_value_of_another_text_is_pointed_out() -> None:
    assert f"`{ROSTER}`, which was read and is not cited" in objection("Since 17 November 2029.", LEASE)
    assert objection("Since 17 November 2029.", LEASE, ROSTER) == objection("Badge B-77.", LEASE) == ""


@pytest.mark.parametrize(
    ("instruction", "rules", "facts"),
    [
        ("Is the rent EUR 1,250.75?", "", None),
        ("What is the rent?", "Every rent is rounded to 1250.75.", None),
        (
            "What is the rent?",
            "",
            {"rent": {"value": 1250.75, "description": "rent", "source": "task", "confidence": "derived"}},
        ),
    ],
)
def test_a_value_of_the_request_of_the_rules_or_declared_as_derived_passes(
    instruction: str, rules: str, facts: object
) -> None:
    submission = pad(answer="EUR 1,250.75", refs_why={LEASE: "what the lease says"}, facts=facts)
    assert fault(judged(submission, trial(), instruction=instruction, rules=rules), "6/found-value") == ""


def test_a_value_that_a_tool_printed_or_a_function_found_passes() -> None:
    calls = trial()
    calls.run("/bin/query", "sum", stdout="1250.75")
    submission = pad(answer="EUR 1,250.75", refs_why={LEASE: "what the lease says"})
    assert fault(judged(submission, calls), "6/found-value") == ""


@pytest.mark.parametrize(
    ("answer", "is_odd"),
    [
        ("The code is KX-4471.", True),
        ("It was signed on 2030-12-24.", True),
        ("It is in room 8812.", True),
        ("It is lot 7345.", True),
        ("It is written to /tmp/room-8812/lot-7345.txt.", False),
        ("The query gave EUR 1,250.75.", False),
    ],
)
def test_text_that_the_script_wrote_supports_no_value(answer: str, is_odd: bool) -> None:
    calls = trial()
    calls.write("/tmp/code.txt", "the code is KX-4471")
    calls.read("/tmp/code.txt")
    calls.write("/tmp/room-8812/lot-7345.txt", "room 8812, lot 7345")
    calls.list("/tmp", folders=("/tmp/room-8812",))
    calls.run("/bin/query", "select '2030-12-24'", stdout="2030-12-24\n1250.75")
    submission = pad(answer=answer, refs_why={LEASE: "what the lease says", "/tmp/code.txt": "written as asked"})
    assert bool(fault(judged(submission, calls), "6/found-value")) is is_odd


@pytest.mark.parametrize(
    "given",
    ["select 'kx-4471'", "select upper('kX-4471')", "/tmp/KX-4471", "select 'box KX-4471-b'", "kx\n4471"],
)
def test_arguments_that_a_tool_prints_in_another_form_support_no_value(given: str) -> None:
    calls = trial()
    calls.run("/bin/query", given, stdout="KX-4471\n")
    submission = pad(answer="The code is KX-4471.", refs_why={LEASE: "what the lease says"})
    assert fault(judged(submission, calls), "6/found-value") != ""


TABLE, TANKS = "/lines/ring.csv", "/tanks.txt"
TABLES = {
    TABLE: "stop,minutes\nHarbour,xx:51\nMill,xx:07\nGate,xx:19\n",
    TANKS: "Harbour holds 1402 l, Mill 951 l, Gate 451 l.",
    "/plans/harbour plan K7.md": "Nothing is said here.",
    "/fest.md": "Begin 19.30 uur; 6, 4, 5, 3 en 7 min, pauze van 20.",
}


@pytest.mark.parametrize(
    ("answer", "is_found"),
    [
        ("At 21:51.", True),
        ("At 21:52.", False),
        ("45 minutes; it ends at 20:15.", True),
        ("45 minutes; it ends at 20:18.", False),
        ("28.04 hl", True),
        ("33.92 %", True),
        ("It is in the harbour plan K7.", True),
        ("It is in `harbour plan K7`.", True),
        ("It is in the attic plan B7.", True),
        ("It is in the attic plan B9.", False),
    ],
)
def test_a_value_that_is_reckoned_from_cited_ones_or_part_of_a_name_passes(answer: str, is_found: bool) -> None:
    calls = Calls()
    for path, text in TABLES.items():
        calls.see(path, text)
    calls.list("/plans", "/plans/harbour plan K7.md", "/plans/attic plan B7.md")
    submission = pad(
        answer=answer, refs_why={TABLE: "the stop at the Harbour", TANKS: "what the Harbour holds", "/fest.md": "Begin"}
    )
    assert (fault(judged(submission, calls, instruction="When, where, how much?"), "6/found-value") == "") is is_found


def test_without_a_citation_a_number_is_stated_where_it_was_read() -> None:
    calls = trial().see("/rows.csv", "row,sum\n" + "\n".join(f"{row},{row * 137}" for row in range(1, 30)))
    for answer, is_found in (("1507 in all", True), ("7654.21 in all", False)):
        found = fault(judged(pad(answer=answer, refs_why={}), calls, instruction="How much?"), "6/found-value")
        assert (found == "") is is_found


@pytest.mark.parametrize(
    ("typed", "printed", "says"),
    [
        ("They weigh 94.6 in all.", "94.58388", ""),
        ("They weigh 78.8 in all.", "94.58388", "`78.8`, which nothing"),
        ("They weigh 78.8 in all.", "10.5 20.3 48", ""),
        ("It ends at 20:15, on 9 March 2032.", "(20, 15) 2032-03-09", ""),
        ("It ends at 20:45, on 8 March 2032.", "(20, 15) 2032-03-09", "`8 March 2032`, `20:45`"),
        ("13 of 18 weigh 1.2 t.", "13 1200", ""),
        ("14 of them are left.", "13 are left", "`14`"),
        ("15 of 18 are left.", "13 are left", ""),
        ("On level 1 may nobody sit.", "13", ""),
        ("It is 20.6 t.", "2060 2.06", "`20.6`"),
        ("They come to 124.40.", "109.40\n15.00", ""),
        ("It began at 2:05 pm, ended at 16 h 00, on 12 May.", "2032-12-01T14:05 to 4 pm, May 12", ""),
        ("It began at 2:15 pm.", "2032-12-01T14:05", "`2:15`"),
        ("It is open to 31.10.2032, and from 15.05. on.", "from 15 May to 31 October 2032, 5.50 EUR", ""),
        ("It runs out on 4 May 2032.", "given 2031-05-04, 12 months", ""),
        ("It is 395 m longer: 1,115 m after 720 m.", "1115 720", ""),
        ("It is 405 m longer: 1,115 m after 720 m.", "1115 720", "`405`"),
    ],
)
def test_a_typed_value_that_no_script_printed_is_asked_about(typed: str, printed: str, says: str) -> None:
    calls, refs = trial(), {LEASE: "what the lease of the hall says"}
    calls.evidence_log.record_script("print(look())", printed)
    calls.evidence_log.record_script(f"scratchpad['answer'] = {typed!r}", "")
    found = fault(judged(pad(answer=typed, refs_why=refs), calls, instruction="How much?"), "6/printed-value")
    assert says in found
    assert bool(found) is bool(says)
    computed = trial()
    computed.evidence_log.record_script("print(look())", printed)
    computed.evidence_log.record_script("scratchpad['answer'] = told", "")
    assert fault(judged(pad(answer=typed, refs_why=refs), computed, instruction="?"), "6/printed-value") == ""


@pytest.mark.parametrize(("shown_chars", "is_asked"), [(None, True), (10_000, False)])
def test_a_typed_value_that_was_read_and_never_shown_is_asked_about(shown_chars: int | None, is_asked: bool) -> None:
    calls = Calls()
    result = {"path": "/rows.csv", "content": "row,sum\nheron,1507.25\nplover,1388.5\n"}
    calls.evidence_log.record("read", {"path": "/rows.csv"}, result, None, shown_chars=shown_chars)
    for code, printed in (("print(row)", "plover 1388.5"), ("scratchpad['answer'] = 'It is 1507.25.'", "")):
        calls.evidence_log.record_script(code, printed)
    found = fault(judged(pad(answer="It is 1507.25.", refs_why={"/rows.csv": "plover"}), calls), "6/printed-value")
    assert ("`1507.25`" in found) is is_asked


FIELDS = ("id", "name", "length_m", "berths", "built", "fee")
BOATS = {
    "/boats/bt-1.json": dict(zip(FIELDS, ("bt-1", "Heron", 11, 6, "2019-04-02", 412.5), strict=True)),
    "/boats/bt-2.json": dict(zip(FIELDS, ("bt-2", "Plover", 14, 8, "2022-08-30", 530.0), strict=True)),
}
THIRD = {"/boats/bt-3.json": dict(zip(FIELDS, ("bt-3", "Osprey", 9, 4, "2020-01-09", 300.0), strict=True))}
THREE = (*BOATS, *THIRD)
TRIPS = "/trips.csv"


def opinion(rule, answer: str, request: str = "What of the boats?", outcome: str = OK, cited=tuple(BOATS)) -> object:
    trace = Trace("")
    for path, data in (BOATS | THIRD if "/boats/bt-3.json" in cited or "Osprey" in answer else BOATS).items():
        trace.read(path, data)
    trace.read(TRIPS, "boat,minutes\nbt-1,120\nbt-2,95\n")
    pad = {"answer": answer, "outcome": outcome, "refs_why": dict.fromkeys(cited, "what the record says")}
    found = rule(Submission.from_scratchpad(pad, Verify()), trace.evidence, Case(request))
    return "" if found is None or isinstance(found, Inapplicable) else found


@pytest.mark.parametrize(
    ("rule", "wrong", "right"),
    [
        (ask_crossed_values, "Heron has 8 berths, Plover 6.", "Heron has 6 berths, Plover 8."),
        (ask_crossed_values, "Heron: 2022-08-30; Plover: 2019-04-02", "Heron: 2019-04-02; Plover: 2022-08-30"),
        (ask_crossed_values, "530 for Heron and 412.50 for Plover.", "412.50 for Heron and 530 for Plover."),
    ],
)
def test_it_asks_about_what_the_rows_contradict_and_not_about_what_they_hold(rule, wrong: str, right: str) -> None:
    assert opinion(rule, wrong)
    assert opinion(rule, right) == ""
    assert opinion(rule, wrong, outcome="OUTCOME_NONE_UNSUPPORTED") == ""
    assert opinion(rule, wrong, cited=("/boats/bt-1.json",)) == ""


@pytest.mark.parametrize(
    "answer",
    [
        "Unlike Heron, 8 berths are in Plover, and 6 are few.",
        "Heron and Plover have 8 and 6 berths.",
        "Heron is the shorter; 14 m is the other one, Plover.",
        "The fee is 520 after the discount of 10.",
        "Both boats together took 215 minutes.",
        "That is 1.2 hours and 53.00 each, and 131 per hour.",
    ],
)
def test_what_can_be_read_in_another_way_passes(answer: str) -> None:
    rules = ask_printed_values, ask_crossed_values, ask_unheeded_sentences
    assert [opinion(rule, answer, "Is a fee of 520 right?") for rule in rules] == ["", "", ""]


def test_values_of_two_rows_of_a_table_are_not_told_of_each_other() -> None:
    for outcome in (OK, "OUTCOME_NONE_CLARIFICATION"):
        wrong = opinion(ask_crossed_values, "bt-1 (95) or bt-2 (120)?", cited=(TRIPS,), outcome=outcome)
        assert "tells `bt-1` of `95` and `bt-2` of `120`" in str(wrong)
        assert opinion(ask_crossed_values, "bt-1 (120) or bt-2 (95)?", cited=(TRIPS,), outcome=outcome) == ""
    assert opinion(ask_crossed_values, "bt-1 has 95.", cited=(TRIPS,)) == ""


@pytest.mark.parametrize(
    ("log", "cited", "answer", "is_asked"),
    [
        ("On Monday bt-2 was moved to berth 9.", TRIPS, "bt-2 is at berth 4.", True),
        ("On Monday bt-2 was moved to berth 9.", "/log.md", "bt-2 is at berth 4.", False),
        ("On Monday bt-7 was moved to berth 9.", TRIPS, "bt-2 is at berth 4.", False),
        ("bt-2; berth 4; since Monday; a longer line", TRIPS, "bt-2 is at berth 4.", False),
        ("In May bt-2 was at berth 4.\nThen bt-2 was moved to berth 9.", "/log.md", "bt-2 is at berth 4.", True),
        ("In May bt-2 was at berth 4.\nThen bt-2 was moved to berth 9.", "/log.md", "bt-2 is at berth 9.", False),
    ],
)
def test_a_sentence_on_what_is_asked_for_is_not_left_out(log: str, cited: str, answer: str, is_asked: bool) -> None:
    trace = Trace("").read(TRIPS, "boat,minutes\nBT-1,120\nBT-2,95\n").read("/log.md", log.replace("bt-", "BT-"))
    pad = {"answer": answer.replace("bt-", "BT-"), "outcome": OK, "refs_why": {cited: "what it says of the boat"}}
    found = ask_unheeded_sentences(Submission.from_scratchpad(pad, Verify()), trace.evidence, Case("Where is BT-2?"))
    assert bool(found) is is_asked


@pytest.mark.parametrize(
    ("later", "is_asked"),
    [
        ((), True),
        ((("search", {"root": "/log"}, {"matches": [], "truncated": True}),), True),
        ((("find", {"root": "/lo"}, {"paths": [], "truncated": False}),), True),
        ((("find", {"root": "/"}, {"paths": [], "truncated": False}),), False),
        ((("read", {"path": "/log/3.md"}, {"path": "/log/3.md", "content": "late", "truncated": False}),), False),
        ((("read", {"path": "/log/9.md"}, {"path": "/log/9.md", "content": "late", "truncated": False}),), True),
    ],
)
def test_a_search_that_came_back_cut_is_not_the_last_one(
    later: tuple[tuple[str, Any, Any], ...], is_asked: bool
) -> None:
    matches = [{"path": f"/log/{number}.md", "line": 1, "text": "late"} for number in range(5)]
    calls = [("search", {"pattern": "late", "root": "/log"}, {"matches": matches, "truncated": True}), *later]
    log = Calls()
    for operation, arguments, result in calls:
        log.evidence_log.record(operation, arguments, result, None)
    found = fault(judged(pad(answer="There are 5.", refs_why={}), log, instruction="How many?"), "6/cut-list")
    assert ("root='/log')` came back cut" in found) is is_asked
    log.evidence_log.record(*calls[0], None, shown_chars=100)
    again = fault(judged(pad(answer="There are 5.", refs_why={}), log, instruction="How many?"), "6/cut-list")
    assert bool(again) is is_asked, "what the first message shows was not asked for by a script"


@pytest.mark.parametrize(
    ("printed", "answer", "is_asked"),
    [
        ("{'bank': 1024.5, 'cash': 357.7}", "By cash 1024.50, by bank 357.70.", True),
        ("{'bank': 1024.5, 'cash': 357.7}", "By bank 1024.50, by cash 357.70.", False),
        ("M-08 Halberd\nM-15 Copper Lane Choir", "M-08 has Copper Lane Choir; M-15 has Halberd.", True),
        ("M-08 Halberd\nM-15 Copper Lane Choir", "M-15 has Copper Lane Choir; M-08 has Halberd.", False),
        ("Sam 50\nToni 46\nMax 65", "Max has 65, with 50 for Sam and 46 for Toni.", False),
        ("34 of 52", "Of 52, it is 34.", False),
    ],
)
def test_values_of_printed_lines_are_not_told_of_each_other(printed: str, answer: str, is_asked: bool) -> None:
    calls = trial()
    calls.evidence_log.record_script("print(look())", printed)
    calls.evidence_log.record_script("scratchpad['answer'] = told", "")
    found = fault(judged(pad(answer=answer, refs_why={}), calls, instruction="How much?"), "6/crossed-values")
    assert bool(found) is is_asked


def test_a_number_in_a_cell_of_a_table_is_read_as_such() -> None:
    trace = Trace("").read("/tours.csv", "tour,stops,km\n101,38,84\n102,45,61\n103,29,133\n104,41,77\n105,33,92\n")
    pad = {"answer": "133 km", "outcome": OK, "refs_why": {"/tours.csv": "the length of tour 103"}}
    found = ask_printed_values(
        Submission.from_scratchpad(pad, Verify()), trace.evidence, Case("How many km is tour 103?")
    )
    assert found is None or isinstance(found, Inapplicable)
