"""Values of rows: what another row or column holds, crossed values, and lists, extremes and sums."""

import time

import pytest

from gates.row_values import ROW_RULES
from gates.rules import Inapplicable
from gates.submission import OK, UNSUPPORTED, Case, Submission
from tests.benchmarks.shop.invented_shop import Trace
from tests.gates.sample_trials import Verify

BOATS = "/boats.csv"
TABLE = """boat,name,length_m,berths,built,fee,leaves,harbour,free
bt-1,Heron,11.5,6,2019-04-02,412.50,08:30,Alby,yes
bt-2,Plover,14.2,8,2022-08-30,530.00,09:15,Vik,no
bt-3,Osprey,9.8,4,2020-01-09,300.00,10:45,Alby,yes
bt-4,Dunlin,12.1,7,2021-06-17,450.25,12:00,Alby,yes
bt-5,Curlew,10.4,5,2018-11-23,333.00,13:20,Norby,no
"""
FOLDER = {
    f"/crew/c-{number}.json": {"id": f"c-{number}", "name": name, "licence": licence}
    for number, name, licence in ((1, "Ines Falk", "B2"), (2, "Omid Rahimi", "C1"), (3, "Karim Saleh", "B2"))
}
NESTED = {
    "piers": [{"pier": "North", "depth": 3.4}, {"pier": "South", "depth": 2.6}],
    "masts": {"a": {"tons": 12}, "b": {"tons": 18}},
}


def found(
    rule: str, request: str, answer: str, outcome: str = OK, reason: str = "what the table says", notes: str = ""
) -> str:
    trace = Trace("")
    trace.read(BOATS, TABLE)
    trace.read("/port.json", NESTED)
    trace.read("/notes.md", notes)
    for path, data in FOLDER.items():
        trace.read(path, data)
    pad = {"answer": answer, "outcome": outcome, "refs_why": {BOATS: reason}}
    opinion = ROW_RULES[rule](Submission.from_scratchpad(pad, Verify()), trace.evidence, Case(request))
    return "" if opinion is None or isinstance(opinion, Inapplicable) else str(opinion)


@pytest.mark.parametrize(
    ("rule", "request_", "wrong", "right"),
    [
        ("row-value", "How long is bt-3?", "It is 12.1 m long.", "It is 9.8 m long."),
        ("row-value", "When was the Heron built?", "On 30 August 2022", "On 2 April 2019"),
        ("row-value", "How many berths has the Osprey got?", "7", "4"),
        ("row-value", "Which licence has Omid Rahimi?", "B2", "C1"),
        ("row-value", "How deep is the pier called North?", "2.6 m", "3.4 m"),
        ("row-value", "Which harbour is Plover's?", "Norby", "Vik"),
        ("row-value", "What's the fee of the Dunlin?", "12.1", "450.25"),
        ("listed-rows", "Which boats lie at Alby?", "Heron and Plover", "Heron, Osprey and Dunlin"),
        ("listed-rows", "Which boats are free?", "Heron and Dunlin", "Heron, Osprey and Dunlin"),
        ("listed-rows", "Who holds licence B2?", "Ines Falk, Omid Rahimi", "Ines Falk, Karim Saleh"),
        ("opposite-row", "Which boat has the most berths?", "Osprey", "Plover"),
        ("opposite-row", "What is the lowest fee?", "530.00", "300.00"),
        ("partial-sum", "What do all fees come to?", "1725.75", "2025.75"),
        ("crossed-values", "Berths of both?", "Heron has 8 berths, Plover 6.", "Heron has 6 berths, Plover 8."),
        ("crossed-values", "Built?", "bt-1: 30 August 2022; bt-2: 2019-04-02", "bt-1: 2 April 2019; bt-2: 2022-08-30"),
        ("crossed-values", "Fees?", "530 for Heron and 412.50 for Plover.", "412.50 for Heron and 530 for Plover."),
    ],
)
def test_it_asks_about_what_the_rows_contradict_and_not_about_what_they_hold(rule, request_, wrong, right) -> None:
    assert found(rule, request_, wrong)
    assert found(rule, request_, right) == ""
    assert found(rule, request_, wrong, outcome=UNSUPPORTED) == ""


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ("Is the Heron longer than the Osprey?", "Yes, 11.5 m against 9.8 m."),
        ("Which boat is built right before the Plover?", "Dunlin, on 2021-06-17"),
        ("What does the Heron cost for 2 days?", "825.00"),
        ("How many boats lie at Alby besides the Heron?", "2"),
        ("Which boats at Alby leave before noon?", "Heron and Osprey"),
        ("Which boats at Alby have over 5 berths?", "Heron and Dunlin"),
        ("Unlike which boat has Heron 6 berths?", "Unlike Heron, 8 berths are in Plover, and 6 are few."),
        ("How many berths?", "Heron and Plover have 8 and 6 berths."),
        ("What are the highest and the lowest fee?", "530.00 and 300.00"),
        ("At most how many berths?", "Osprey has 4."),
        ("What do the fees come to?", "2025.75, without the Osprey 1725.75."),
    ],
)
def test_what_can_be_read_in_another_way_passes(request_: str, answer: str) -> None:
    assert [found(rule, request_, answer) for rule in ROW_RULES] == [""] * len(ROW_RULES)


def test_a_value_that_another_text_holds_or_a_row_that_a_reason_names_is_not_asked_about() -> None:
    wrong = ("row-value", "When does the boat after bt-2 leave?", "10:45")
    assert "`leaves` of `bt-3`; the request names `bt-2`" in found(*wrong)
    assert found(*wrong, reason="bt-3 leaves next") == ""
    assert found(*wrong, notes="The ferry leaves at 10:45.") == ""


def test_many_rows_take_bounded_time() -> None:
    trace = Trace("")
    for number in range(8):
        rows = "".join(f"r-{number}-{at},Name {at},{at * 1.5:.2f},2027-01-{at % 28 + 1:02}\n" for at in range(1_900))
        trace.read(f"/t{number}.csv", f"id,name,amount,day\n{rows}")
    said = "\n".join(f"r-0-{at} {at * 1.5 + 1.5:.2f}" for at in range(500))
    pad = {"answer": said, "outcome": OK, "refs_why": {"/t0.csv": "all rows of it"}}
    began = time.process_time()
    for ask in ROW_RULES.values():
        ask(Submission.from_scratchpad(pad, Verify()), trace.evidence, Case("Which amount has r-0-7?"))
    assert time.process_time() - began < 5
