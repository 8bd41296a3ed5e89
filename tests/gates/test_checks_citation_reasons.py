"""What gates 3 to 7, and the rules of users, accept and reject in an answer.

Cited paths are those that were read, in their canonical form (gates 3 and 4), with reasons that
say something true of the file (gate 5). Declared changes are those that were made, and spelled-out
calculations are right (gate 6). The script's `verify` confirms the answer (gate 7). A rule of a
user rejects by the faults that it returns, and one that fails does not cost the answer. The work
is linear.
"""

from __future__ import annotations

import pytest

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging import judge
from controlplane.gates.opinions import Inapplicable, Opinion
from controlplane.gates.rules import Rule
from controlplane.gates.submission import Case, Submission
from controlplane.gates.support.answer_values import answer_values
from controlplane.gates.support.arithmetic import ShownResult, shown_results
from controlplane.gates.verdicts import RULE_SET_GATE, Verdict
from tests.gates.judged_scratchpads import (
    CallsOfTrial,
    ScriptedVerify,
    VerifyAnswer,
    judge_scratchpad,
    objection_of,
    valid_scratchpad,
    verdict_of,
)
from tests.support.executed_work import assert_linear

# Calculations that an answer spells out, and what rule `6/arithmetic` says of them.


def calculations_in(answer: str) -> list[ShownResult]:
    """Return the calculations that an answer spells out, each with `is_right`.

    `[found.is_right for found in calculations_in("12 + 7 = 19, and 12 of 80 (16 %)")]` ->
    `[True, False]`
    """
    return list(shown_results(answer, answer_values(answer)))


def objection_to_arithmetic(answer: str) -> str:
    """Return what the rule objects to in an answer: for "12 + 7 = 19" an empty string."""
    submission = Submission(answer=answer, outcome="OUTCOME_OK")
    judgement = judge(submission, Evidence(), Case("How much?"))
    return objection_of(judgement, "6/arithmetic")


# What gate 5 says of the reason that a script gives for a citation.


def verdict_on_reason(calls: CallsOfTrial, path: str, reason: str) -> Verdict:
    """Return gate 5's verdict on an answer that cites `path` for this reason after these calls.

    After `calls.read("/docs/Loans.md")`, which says "A loan runs 21 days.",
    `verdict_on_reason(calls, "/docs/Loans.md", "a loan runs 21 days").result` -> `"pass"`, and
    `"reject"` for the reason "relevant document".
    """
    scratchpad = valid_scratchpad(refs_why={path: reason})
    return verdict_of(judge_scratchpad(scratchpad, calls), 5)


# A trial in a small library whose answers cite files, and gate 3's objections to the citations.


def calls_of_a_trial() -> CallsOfTrial:
    """Return a trial's calls: it listed two folders, read three files, and ran a query.

    So its answer may cite `/docs/Loans.md`, the record of a book, rows of the table
    `/logs/lent.tsv`, and the program `/bin/query`. It has seen `/empty.txt` only in a listing.
    """
    calls = CallsOfTrial()
    calls.list_folder("/", "/empty.txt", folders=("/docs", "/shelves", "/logs"))
    calls.list_folder("/docs", "/docs/Loans.md")
    calls.read("/docs/Loans.md", "/shelves/north side/b-104.json", "/logs/lent.tsv")
    calls.run("/bin/query", "select", stdout="b-104")
    return calls


def objection_to_form(refs: object) -> str:
    """Return what gate 3 objects to in an answer of that trial with these `refs_why`.

    `objection_to_form({"docs/Loans.md": "a loan runs 21 days"})` -> "… cite `/docs/Loans.md`", and
    an empty string for the path `/docs/Loans.md`.
    """
    judgement = judge_scratchpad(valid_scratchpad(refs_why=refs), calls_of_a_trial())
    return objection_of(judgement, 3)


# Requests that demand citations, and what rule `3/demanded-citation` says of answers to them.


def objection_to_citations(instruction: str, answer: str, refs: dict[str, str]) -> str:
    """Return what rule `3/demanded-citation` objects to in the citations `refs` of an answer.

    `objection_to_citations("Read /logs/lent.tsv and count.", "2", refs={})` -> "… is what the
    request is about …", and an empty string if the answer cites the file.
    """
    judgement = judge_scratchpad(
        valid_scratchpad(answer=answer, refs_why=refs),
        calls_of_a_trial(),
        instruction=instruction,
    )
    return objection_of(judgement, "3/demanded-citation")


# What gate 6 says of the changes that a script declares.


def objection_to_changes(changes: object, calls: CallsOfTrial) -> str:
    """Return what the gate objects to in a scratchpad that declares these changes.

    After `calls.write("/desk/order.json")`, `objection_to_changes([], calls)` -> "… leaves out write
    of `/desk/order.json` …", and an empty string for `["/desk/order.json"]`.
    """
    judgement = judge_scratchpad(valid_scratchpad(changes=changes), calls)
    return objection_of(judgement, 6)


def calls_with_two_changes() -> CallsOfTrial:
    """Return the calls of a trial that wrote `/desk/order.json` and ran `/bin/ship`."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    calls.write("/desk/order.json")
    calls.run("/bin/ship", "b-104")
    return calls


# The verdict that follows from what the function of a user's rule returns, its opinion.


def verdict_on(opinion: Opinion, *, rule_set: str = "") -> Verdict:
    """Return the verdict of a rule, called `sum`, whose function returns this opinion.

    `verdict_on("count again")` -> `Verdict(name="sum", result="reject", reason="count again", …)`
    """
    rule = Rule("sum", lambda submission, evidence, case: opinion)
    returned_opinion = rule.opinion(Submission(), Evidence(), Case(""))
    no_paths: frozenset[str] = frozenset()
    return rule.verdict(
        returned_opinion, cited=no_paths, demanded=no_paths, rule_set=rule_set
    )


# Rule `6/arithmetic`: a calculation that an answer spells out has the right result.
#
# The rule computes each `12 + 7 = 19`, `12 of 80 (15 %)` or `from 200 to 150, a drop of 25 %` of an
# answer again, and objects if the answer has another result.


@pytest.mark.parametrize(
    "answer",
    [
        "4 × 1.240,00 EUR = 4.960,00 EUR",
        "12 + 7 + 4 = 23",
        "$5 + $6 = $11",
        "10 / 3 = 3.33",
        "About 5.3 %: (13.1 − 2.8) × 0.516 = 5.31.",
        "1,240 × 5 % = 62",
        "1,500 - 500 = 1,000",
        "801.5 of 5,204.3 MWh, i.e. 15.4 % of all",
        "12 of 80 (15 %)",
        "T03: from 98.8 % to 90.4 %, a loss of 8.4 points",
        "from 200 to 150 EUR, a drop of 25 %",
        "from 200 to 250, an increase of 25 %",
        "EUR 77.56 (72.50 / 0.9347 = 77.56)",
        "Coût de 6,40 € : 3 + 5 = 8 pages",
        "Die Strecke: 21,0975 km = 13,11 Meilen",
        "39 h 58 and then 40 h 10, 12 min",
        "3 × 20 min = 1 h",
        "1.5 t - 250 kg = 1.25 t",
        "18,40元×3＝55,20元",
        "15 % of 80 EUR = 12 EUR",
        "170 l: the tank holds 12 hl, and 10.3 hl are in it",
    ],
)
def test_a_calculation_with_the_right_result_passes(answer: str) -> None:
    """Results may be rounded: 10 / 3 is 3.33, and 801.5 of 5,204.3 is 15.4 %."""
    calculation, *_ = calculations_in(answer)

    assert calculation.is_right
    assert objection_to_arithmetic(answer) == ""


@pytest.mark.parametrize(
    "answer",
    [
        "12 + 7 + 4 = 24",
        "10 / 3 = 3.34",
        "(13.1 − 2.8) × 0.516 = 5.41",
        "801.5 of 5,204.3 MWh, i.e. 18.2 % of all",
        "12 of 80 (16 %)",
        "T03: from 98.8 % to 90.4 %, a loss of 9.4 points",
        "EUR 67.77 (72.50 / 0.9347 = 67.77)",
        "21.0975 km = 11.39 miles",
        "3 × 20 min = 1.2 h",
        "1.5 t - 250 kg = 1.45 t",
        "18,40元×3＝56,20元",
        "15 % of 80 EUR = 13 EUR",
    ],
)
def test_a_calculation_with_a_wrong_result_is_objected_to(answer: str) -> None:
    """The right results are 23, 3.33, 5.31, 15.4 %, 15 %, 8.4 points, 77.56, 13.11 miles and so on."""
    calculation, *_ = calculations_in(answer)

    assert not calculation.is_right
    assert objection_to_arithmetic(answer) != ""


# Rule `6/arithmetic` ignores signs and numbers that only look like a calculation.
#
# The rule computes each calculation of an answer again, such as "12 + 7 = 19", and sends the answer
# back if its result is wrong. "pages 3-5 = part 2" has none. If the rule computed 3 - 5, it would
# send a right answer back.


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("2x + 3 = 11", id="equation with a variable"),
        pytest.param("x=3, y=4", id="values of variables"),
        pytest.param("3 kg + 20 min = 5 h", id="different quantities"),
        pytest.param("a: 3 = 4", id="no operator"),
        pytest.param("2026-04-18 - 14 = 04", id="date"),
        pytest.param("pages 3-5 = part 2", id="range of pages"),
        pytest.param("1 / 0 = 7", id="division by zero"),
        pytest.param("12 of 80 kg and 15 % of the rest", id="share of something else"),
        pytest.param("from 3 to 5, then 9", id="no difference stated"),
        pytest.param("```\n1 + 1 = 3\n```", id="code block"),
        pytest.param("+" * 5_000 + "=" * 5_000, id="thousands of operators"),
        pytest.param("1+" * 3_000 + "1 = 4", id="thousands of terms"),
        pytest.param(
            "(" * 3_000 + "1 + 1" + ")" * 3_000 + " = 5", id="thousands of brackets"
        ),
    ],
)
def test_a_text_that_only_looks_like_a_calculation_is_ignored(answer: str) -> None:
    assert calculations_in(answer) == []


# Gate 5 accepts any reason for the citation of a path that the script wrote, deleted or ran.
#
# The citation is then a record of what was done: `{"/tmp/old.txt": "deleted on request"}`. It supports no
# value and no quotation.


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/bin/query", "query was executed to find it"),
        ("/bin/ship", "executed to ship the book"),
        ("/exports/list.txt", "written as the export"),
        ("/exports/list.txt", "file I created"),
        ("/exports/list.txt", "a fresh file for the librarian"),
        ("/exports/list.txt", "the order of 12 March for room 204"),
        ("/exports/list.txt", "see the list.txt"),
        ("/tmp/old.txt", "deleted on request"),
        ("/tmp/old.txt", "relevant file"),
    ],
)
def test_what_the_trial_did_justifies_a_citation(path: str, reason: str) -> None:
    calls = CallsOfTrial()
    calls.run("/bin/query", "select", stdout="b-104 lent on 2031-05-04")
    calls.run("/bin/ship", "b-104", stdout="shipped")
    calls.write("/exports/list.txt", "one line for the librarian")
    calls.delete("/tmp/old.txt")

    reason_verdict = verdict_on_reason(calls, path, reason)

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


def test_what_the_trial_wrote_itself_cannot_be_quoted() -> None:
    """It proves nothing: the script may have made it up. The message's remedy is accepted."""
    calls = CallsOfTrial()
    calls.write("/exports/list.txt", "one line for the librarian")

    with pytest.raises(ValueError, match="cite without a quotation"):
        calls.cite("/exports/list.txt", "the new list", "one line for the librarian")

    calls.cite("/exports/list.txt", "the new list")
    reason_verdict = verdict_on_reason(calls, "/exports/list.txt", "the new list")
    assert reason_verdict.result == "pass"


# Gate 5 accepts the reason for a citation if it says something true of the whole file.
#
# A script cites files with reasons. A reason may count the rows of a table ("4 games were played"),
# or name something that the file does not have ("nothing about b-999"). The gate checks it.


def test_the_count_of_its_rows_justifies_the_citation_of_a_table() -> None:
    calls = CallsOfTrial()
    calls.read_text(
        "/results/week-07.csv",
        "home,guest,score\nAjo,Bel,3:1\nCor,Dax,0:0\nEsk,Fio,2:2\nGil,Hub,1:4\n",
    )

    reason_verdict = verdict_on_reason(
        calls, "/results/week-07.csv", "4 games were played"
    )

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


@pytest.mark.parametrize("text", ["", " \n", "[]", "[ ]\n", "{}", "null"])
@pytest.mark.parametrize(
    "reason", ["is empty, no lines", "the bookings of 12 March 2031: 0 rows"]
)
def test_that_a_file_is_empty_justifies_its_citation(text: str, reason: str) -> None:
    calls = CallsOfTrial()
    calls.read_text("/empty.txt", text)

    reason_verdict = verdict_on_reason(calls, "/empty.txt", reason)

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


@pytest.mark.parametrize(
    "reason",
    [
        "no row for b-999 in this log",
        "nothing about b-999",
        "Die Küste does not appear, nothing about `Harbour`",
        "b-999 isn't in it",
        "b-999 fehlt",
        "b-999 n'y figure pas",
        "ningún préstamo de b-999",
        "brak wpisu b-999",
        "b-999 yok",
        "没有b-999的记录",
        "b-999 の記載なし",
    ],
)
def test_what_the_file_really_does_not_contain_justifies_its_citation(
    reason: str,
) -> None:
    """An answer such as "b-999 was never lent" is based on what the log does not have."""
    calls = CallsOfTrial()
    calls.read_text("/logs/lent.tsv", "row\tbook\n7\tb-104\n8\tb-105\n")

    reason_verdict = verdict_on_reason(calls, "/logs/lent.tsv", reason)

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


@pytest.mark.parametrize(
    ("reason", "result"),
    [
        ("lists 3 tools", "pass"),
        ("lists 4 tools", "pass"),  # as many as lines that are not blank
        ("lists 6 tools", "reject"),
    ],
)
def test_the_count_of_its_items_justifies_the_citation_of_a_list(
    reason: str, result: str
) -> None:
    calls = CallsOfTrial()
    calls.read_text("/shed.md", "In the shed:\n\n- rake\n- saw\n\n- spade\n")

    assert verdict_on_reason(calls, "/shed.md", reason).result == result


# Gate 5 rejects a reason for a citation that only repeats the cited path.
#
# A script cites files with reasons. `{"/docs/Loans.md": "see /docs/Loans.md"}` does not show that the
# file was read. Nor does a part of the path, such as the week of `/results/week-07.csv`.


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/docs/Loans.md", "/docs/Loans.md"),
        ("/docs/Loans.md", "see /docs/Loans.md"),
        ("/docs/Loans.md", "Loans.md, Loans.md"),
        ("/docs/Loans.md", "/docs/./Loans.md"),
        ("/docs/Loans.md", "//docs//Loans.md, //docs//Loans.md"),
        ("/results/week-07.csv", "all results of week 7"),
    ],
)
def test_the_path_of_the_file_alone_is_rejected(path: str, reason: str) -> None:
    calls = CallsOfTrial()
    calls.read_text("/docs/Loans.md", "A loan runs 21 days.")
    calls.read_text("/results/week-07.csv", "home,guest,score\nAjo,Bel,3:1\n")

    reason_verdict = verdict_on_reason(calls, path, reason)

    assert reason_verdict.result == "reject"
    assert path in reason_verdict.reason


@pytest.mark.parametrize("reason", ["/docs/./quagga.md", "quagga.md, see (quagga.md)"])
def test_the_path_alone_is_rejected_even_if_the_file_contains_a_word_of_it(
    reason: str,
) -> None:
    """The word "quagga" of the reason may come from the name of the file."""
    calls = CallsOfTrial()
    calls.read_text("/docs/quagga.md", "A quagga is no zebra.")

    reason_verdict = verdict_on_reason(calls, "/docs/quagga.md", reason)

    assert reason_verdict.result == "reject"
    assert "/docs/quagga.md" in reason_verdict.reason


# A script may prove by a quotation that it has read a file: `cite(path, reason, quotation)`.
#
# The quotation is looked up at once in what the trial has read. If it is found, gate 5, which checks
# the reasons of citations, accepts any reason; if not, `cite` raises, so that the script learns of
# it.


@pytest.mark.parametrize(
    "reason",
    [
        pytest.param("relevant document here", id="English"),
        pytest.param("warum auch immer es zählt", id="German"),
        pytest.param("raison quelconque", id="French"),
        pytest.param("根拠となる規則の文書です", id="Japanese"),
    ],
)
def test_a_found_quotation_justifies_a_citation_with_any_reason(reason: str) -> None:
    """The quotation is found although its case and its blanks differ from the file's."""
    calls = CallsOfTrial()
    calls.read_text("/docs/fr.md", "Un prêt dure\n21  jours, sauf avis contraire.")

    canonical_path, line_number = calls.cite("/docs/fr.md", reason, "dure 21 JOURS")

    assert canonical_path == "/docs/fr.md"
    assert line_number == 1

    scratchpad = valid_scratchpad(refs_why={"/docs/fr.md": reason})
    assert objection_of(judge_scratchpad(scratchpad, calls), 5) == ""


@pytest.mark.parametrize(
    "quotation",
    [
        pytest.param("Books marked as reserved", id="one word more than the file"),
        pytest.param("b-104", id="stands in another file"),
        pytest.param("xy", id="stands in no file"),
    ],
)
def test_citing_with_a_quotation_that_is_not_in_the_file_raises(
    quotation: str,
) -> None:
    calls = CallsOfTrial()
    calls.read_text("/docs/Loans.md", "A loan runs 21 days. Books marked reserved ...")
    calls.read("/shelves/north side/b-104.json")

    with pytest.raises(ValueError, match="quot"):
        calls.cite("/docs/Loans.md", "a loan runs 21 days", quotation)


# Gate 5 rejects a reason for a citation that could be given for any file.
#
# A script cites files with reasons: `{"/docs/Loans.md": "a loan runs 21 days"}`. The reason "relevant
# document" does not show that the file was read, so the citation is sent back to the model.


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/docs/Loans.md", "relevant document"),
        ("/docs/Loans.md", "relevant document for this answer"),
        ("/docs/Loans.md", "used as evidence"),
        ("/dull.txt", "relevant evidence"),
        ("/shelves/north side/b-104.json", "no such thing here"),
    ],
)
def test_words_that_could_be_said_of_any_file_are_rejected(
    path: str, reason: str
) -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md", "/shelves/north side/b-104.json")
    calls.read_text("/dull.txt", "the data file")

    reason_verdict = verdict_on_reason(calls, path, reason)

    assert reason_verdict.result == "reject"
    assert path in reason_verdict.reason


def test_such_a_word_is_rejected_even_if_the_file_contains_it() -> None:
    """The file says "data", but so could be said of any file."""
    calls = CallsOfTrial()
    calls.read_text("/dull.txt", "the data file")

    reason_verdict = verdict_on_reason(calls, "/dull.txt", "it holds data")

    assert reason_verdict.result == "reject"
    assert "/dull.txt" in reason_verdict.reason


# Gate 5 rejects a reason for the citation of a table if its values are not in it.
#
# A script cites files with reasons. A reason may count the rows of a table, "4 games were played",
# but "14 games were played" is wrong.


@pytest.mark.parametrize(
    "reason",
    [
        "14 games were played",
        "Ajo met Bel on 12 March 2031",
        "the game of `Ajo United`",
        "match KR-204 of the week",
    ],
)
def test_what_a_table_does_not_contain_is_rejected(reason: str) -> None:
    calls = CallsOfTrial()
    calls.read_text(
        "/results/week-07.csv",
        "home,guest,score\nAjo,Bel,3:1\nCor,Dax,0:0\nEsk,Fio,2:2\nGil,Hub,1:4\n",
    )

    reason_verdict = verdict_on_reason(calls, "/results/week-07.csv", reason)

    assert reason_verdict.result == "reject"
    assert "/results/week-07.csv" in reason_verdict.reason


# Gate 5 rejects a reason for a citation whose ids, numbers, dates and quotations are not in the cited file.
#
# A script cites files with reasons. For the file "A loan runs 21 days.", a reason with another number or
# a quotation that is not there is known to be wrong.


@pytest.mark.parametrize(
    "reason",
    [
        pytest.param("invoice 4711 of the plumber", id="another number"),
        pytest.param("order 4711-x of the plumber", id="another id"),
        pytest.param("a loan runs 12 days", id="its words, another number"),
        pytest.param("the rule of 12 March 2031", id="date"),
        pytest.param("says `a loan is free`", id="quotation in back quotes"),
        pytest.param('the rule on "late fees"', id="name in quotes"),
        pytest.param("die Regel „Mahnung“", id="name in German quotes"),
        pytest.param("規則の「延滞」の項", id="name in Japanese quotes"),
        pytest.param("料金は8%", id="Japanese, another number"),
        pytest.param("mail to desk@example.org", id="mail address"),
    ],
)
def test_what_a_text_does_not_contain_is_rejected(reason: str) -> None:
    calls = CallsOfTrial()
    calls.read_text(
        "/docs/Loans.md",
        "A loan runs 21 days. Books marked reserved cannot be renewed.",
    )

    reason_verdict = verdict_on_reason(calls, "/docs/Loans.md", reason)

    assert reason_verdict.result == "reject"
    assert "/docs/Loans.md" in reason_verdict.reason


@pytest.mark.parametrize(
    ("reason", "result"),
    [
        pytest.param('21 days, "renewed twice"', "reject", id="beside a value"),
        pytest.param('21 days, "Books Marked Reserved"', "pass", id="is there"),
        pytest.param('21 days, for "Can I renew?"', "pass", id="the request"),
        pytest.param("21 days, from `text.split()`", "pass", id="code"),
        pytest.param('says "no fees"', "reject", id="a denial in the quotation"),
        pytest.param('says no "fees"', "pass", id="a denial of the quotation"),
    ],
)
def test_what_a_reason_quotes_is_there(reason: str, result: str) -> None:
    calls = CallsOfTrial()
    calls.read_text(
        "/docs/Loans.md",
        "A loan runs 21 days. Books marked reserved cannot be renewed.",
    )
    scratchpad = valid_scratchpad(refs_why={"/docs/Loans.md": reason})

    judgement = judge_scratchpad(scratchpad, calls, instruction="Can I renew?")

    assert verdict_of(judgement, 5).result == result


@pytest.mark.parametrize("reason", ["b-999 is on this shelf", "b b b b b"])
def test_another_id_than_that_of_the_record_is_rejected(reason: str) -> None:
    """A single letter of the id `b-104` is not enough."""
    calls = CallsOfTrial()
    calls.read("/shelves/north side/b-104.json")

    reason_verdict = verdict_on_reason(calls, "/shelves/north side/b-104.json", reason)

    assert reason_verdict.result == "reject"
    assert "/shelves/north side/b-104.json" in reason_verdict.reason


# Gate 5 does not object to words: they may say in other words, or in another language, what the file says.
#
# A script cites files with reasons. Which words mean the same is not known to the gate.


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param('titel: "Sakura"', "Sakura is in the programme", id="one name"),
        pytest.param(
            "- weak to: fire", "its page lists fire as the weakness", id="verb"
        ),
        pytest.param("still at sea", "encore en mer, at sea", id="two languages"),
        pytest.param("A loan runs 21 days.", "die Ausleihe ist begrenzt", id="German"),
        pytest.param("A loan runs 21 days.", "la durée du prêt est ici", id="French"),
        pytest.param("A loan runs 21 days.", "贷款期限的规定", id="Chinese"),
        pytest.param(
            "row,book\n7,b-104", "four books were lent", id="a number in words"
        ),
        pytest.param("the data", "record id, on which the answer rests", id="general"),
    ],
)
def test_words_that_the_file_does_not_contain_are_no_fault(
    text: str, reason: str
) -> None:
    calls = CallsOfTrial()
    calls.read_text("/note.txt", text)

    reason_verdict = verdict_on_reason(calls, "/note.txt", reason)

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


def test_the_name_of_the_file_in_a_reason_is_no_fault() -> None:
    """`101` is a part of the path. The file need not repeat it."""
    calls = CallsOfTrial()
    calls.read_text("/courses/BIO 101.json", '{"title": "Zellen", "seats": 20}')

    reason_verdict = verdict_on_reason(calls, "/courses/BIO 101.json", "course BIO 101")

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


def test_a_date_in_the_name_of_the_file_is_no_fault() -> None:
    calls = CallsOfTrial()
    calls.read_text("/minutes/2031-03-12.md", "The board met. All agreed.")

    reason_verdict = verdict_on_reason(
        calls, "/minutes/2031-03-12.md", "the board meeting on 12 March 2031"
    )

    assert reason_verdict.result == "pass"


# Gate 5 accepts the reason for a citation of a document if a part of it has the value.
#
# A mail with an attachment can be read as a whole, `/m.eml`, and its parts as `/m.eml/rates.csv`.


@pytest.mark.parametrize(
    ("reason", "result"),
    [
        pytest.param("room 12 costs 470", "pass", id="value of a part"),
        pytest.param("the room costs 471", "reject", id="value of no part"),
        pytest.param("the deposit is 88", "reject", id="value of another document"),
    ],
)
def test_a_document_is_cited_for_the_values_of_its_parts(
    reason: str, result: str
) -> None:
    calls = CallsOfTrial()
    calls.read_text("/m.eml", "From: Ruiz\nAttached: the rates")
    calls.read_text("/m.eml/rates.csv", "room,rate\n12,470\n")
    calls.read_text("/m.emlx", "deposit: 88")

    assert verdict_on_reason(calls, "/m.eml", reason).result == result


# Gate 5 looks for a code such as `2B` as it is written, and lets a reason name a line of the file.
#
# `2B` could be 2 bytes, and `3A` 3 amperes. Which line is meant by "line 2" needs no 2 in the file.


@pytest.mark.parametrize(
    ("reason", "result"),
    [
        pytest.param("status = let for 2B and 3A", "pass", id="codes"),
        pytest.param("status = let for 2C and 3B", "reject", id="other codes"),
        pytest.param("the row of Ruiz, line 2", "pass", id="line"),
        pytest.param("the row of Ruiz, lines 2-3", "pass", id="lines"),
        pytest.param("die Zeile 2 mit Ruiz", "pass", id="German line"),
        pytest.param("第2行の借主", "pass", id="Japanese line"),
        pytest.param("the row of Ruiz, line 99", "reject", id="no such line"),
        pytest.param("die Zeile 99 mit Ruiz", "reject", id="no such German line"),
        pytest.param("order 4711, line 2", "reject", id="line, and another number"),
        pytest.param("Ruiz in the 2nd row", "pass", id="ordinal"),
        pytest.param("Ruiz at L2", "pass", id="short line"),
        pytest.param("Ruiz at L99", "reject", id="no such short line"),
    ],
)
def test_codes_and_line_numbers_in_a_reason(reason: str, result: str) -> None:
    calls = CallsOfTrial()
    calls.read_text("/flats.txt", "FL-2B Ruiz\nFL-3A Okoro\nfree: none\n\nend")

    assert verdict_on_reason(calls, "/flats.txt", reason).result == result


# Gate 5 accepts the reason for a citation if it has a value of the cited record.
#
# A script cites files with reasons: `{"/b-104.json": "has 3 copies left"}`. The record
# `{"id": "b-104", "copies": 3, "fee_cents": 1150}` has the 3, so the script has probably read it. One
# value is enough, in any spelling: "the fee is EUR 11.50" has the 1150 cents.


@pytest.mark.parametrize(
    "reason",
    [
        "b-104",
        "id `B-104` of the book",
        "evidence: 104",  # the number of b-104
        "has 3 copies left",
        "still 3 left",
        "3 remain",
        "supporting record 3",
        "evidence: 1150",
        "the fee is EUR 11.50",  # 1150 cents
    ],
)
def test_a_value_of_a_record_justifies_its_citation(reason: str) -> None:
    calls = CallsOfTrial()
    calls.read_text("/b-104.json", '{"id": "b-104", "copies": 3, "fee_cents": 1150}')

    reason_verdict = verdict_on_reason(calls, "/b-104.json", reason)

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


# Gate 5 accepts the reason for a citation if it has a value of the cited file.
#
# A script cites files with reasons: `{"/docs/Loans.md": "a loan runs 21 days"}`. This file says "A
# loan runs 21 days.", and the 21 shows that the script has read it. One value is enough, in any
# spelling and beside any other words.


@pytest.mark.parametrize(
    "reason",
    [
        "a loan runs 21 days",
        "see 21 there",
        "pipes valves taps hoses wrenches gaskets elbows washers, then 21",
        "wer Bücher renewed haben will: 21",
    ],
)
def test_a_number_of_a_text_justifies_its_citation(reason: str) -> None:
    calls = CallsOfTrial()
    calls.read_text(
        "/docs/Loans.md", "A loan runs 21 days. Reserved books are not renewed."
    )

    reason_verdict = verdict_on_reason(calls, "/docs/Loans.md", reason)

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


def test_the_number_of_a_cited_row_justifies_its_citation() -> None:
    """A row of a table is cited by its number, which is its first column here."""
    calls = CallsOfTrial()
    calls.read_text("/logs/lent.tsv", "row\tbook\n7\tb-104\n8\tb-105\n")

    reason_verdict = verdict_on_reason(calls, "/logs/lent.tsv#row=7", "row 7 was cited")

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


def test_a_value_that_a_program_printed_justifies_its_citation() -> None:
    calls = CallsOfTrial()
    calls.run("/bin/query", "select", stdout="b-104 lent on 2031-05-04")

    reason_verdict = verdict_on_reason(
        calls, "/bin/query", "gave 2031-05-04 for the book"
    )

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


# Gate 5 accepts the reason for a citation if it has a word that is typical of the cited file.
#
# A script cites files with reasons. `/docs/Loans.md` says "Books marked reserved cannot be renewed."
# So the reason "the rule on reserved books" passes, in any case, with any accents and endings.


@pytest.mark.parametrize(
    "reason",
    ["the rule on reserved books", "RENEWALS of reservations", "Loan policy"],
)
def test_a_word_of_a_text_justifies_its_citation_in_any_form(reason: str) -> None:
    """`reservations` has the stem of `reserved`, and `RENEWALS` that of `renewed`."""
    calls = CallsOfTrial()
    calls.read_text(
        "/docs/Loans.md",
        "A loan runs 21 days. Books marked reserved cannot be renewed.",
    )

    reason_verdict = verdict_on_reason(calls, "/docs/Loans.md", reason)

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


def test_a_word_of_a_record_justifies_its_citation_without_its_accents() -> None:
    calls = CallsOfTrial()
    calls.read_text("/b-104.json", '{"id": "b-104", "title": "Die Küste", "copies": 3}')

    reason_verdict = verdict_on_reason(
        calls, "/b-104.json", "title Die Kuste, as asked for"
    )

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


# Gates 3 to 5: a citation passes if it has its canonical form and cites what was read or run.
#
# A script cites with reasons: `refs_why = {"/docs/Loans.md": "a loan runs 21 days"}`. Gate 3 rejects
# another form of the path, gate 4 what the trial has not read, and gate 5 an empty reason.


@pytest.mark.parametrize(
    "refs",
    [
        pytest.param({}, id="none"),
        pytest.param(
            {"/shelves/north side/b-104.json": "b-104 has 3 copies"},
            id="path with a blank",
        ),
        pytest.param({"/docs/Loans.md": "21 days."}, id="reason of 8 characters"),
        pytest.param(
            {
                "/logs/lent.tsv#row=7": "row 7 is b-104",
                "/logs/lent.tsv#row=8": "row 8 is b-105",
            },
            id="two rows of a file",
        ),
        pytest.param({"/bin/query": "query output b-104"}, id="tool that was run"),
        pytest.param(
            {"/bin/query": "ran the query for b-104", "/docs/Loans.md": "runs 21 days"},
            id="tool and file",
        ),
    ],
)
def test_canonical_citations_of_what_was_read_pass(refs: dict[str, str]) -> None:
    judgement = judge_scratchpad(valid_scratchpad(refs_why=refs), calls_of_a_trial())

    for gate in (3, 4, 5):
        assert verdict_of(judgement, gate).result != "reject", judgement.message


# Gate 4: a citation of a path that no call of the trial accessed is rejected.
#
# A script cites files with reasons: `{"/docs/Loans.md": "a loan runs 21 days"}`. To see a file in the
# listing of a folder is not to read it, so `/empty.txt` may not be cited here.


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/empty.txt", id="listed, not read"),
        pytest.param("/docs/Fees.md", id="not in the listing of its folder"),
        pytest.param("/bin/ship", id="tool that was not run"),
    ],
)
def test_a_citation_of_what_was_not_accessed_is_rejected(path: str) -> None:
    scratchpad = valid_scratchpad(refs_why={path: "21 days of loan"})

    judgement = judge_scratchpad(scratchpad, calls_of_a_trial())

    assert verdict_of(judgement, 4).result == "reject"


# Gate 3: a solver without scripts cites by a list of paths alone.
#
# A script cites with reasons, `{"/docs/Loans.md": "a loan runs 21 days"}`. A solver that is a program
# of its own submits `["/docs/Loans.md"]`. For `["/docs/Loans.md", 7]` the gate says what is wrong:
# "the number `7` is not a path".


def verdict_on_paths(refs: object) -> Verdict:
    """Return gate 3's verdict on the cited paths `refs` of a solver without scripts."""
    submission = Submission(answer="21 days", outcome="OUTCOME_OK", refs=refs)
    judgement = judge(submission, calls_of_a_trial().evidence, Case("How long?"))
    return verdict_of(judgement, 3)


@pytest.mark.parametrize(
    ("refs", "reason"),
    [
        ("/docs/Loans.md", "it must be a list of paths"),
        (["/docs/Loans.md", 7], "the number `7` is not a path"),
    ],
)
def test_citations_of_a_solver_without_scripts_must_be_a_list_of_paths(
    refs: object, reason: str
) -> None:
    citation_verdict = verdict_on_paths(refs)

    assert citation_verdict.result == "reject"
    assert reason in citation_verdict.reason


def test_an_empty_list_of_citations_passes() -> None:
    assert verdict_on_paths([]).result != "reject"


# Rule `3/demanded-citation`: if a request demands that rows of a file are cited, the answer does so.
#
# The request says "Cite rows in this format: /logs/lent.tsv#row=<RowID> and answer with the sum." So
# the answer "EUR 7.00" has to cite rows, such as `/logs/lent.tsv#row=7`.

REQUEST_FOR_ROWS = (
    "Cite rows in this format: /logs/lent.tsv#row=<RowID> and answer with the sum."
)


@pytest.mark.parametrize(
    "refs",
    [
        pytest.param({"/logs/lent.tsv#row=7": "row 7 is b-104"}, id="row"),
        pytest.param(
            {
                "/docs/Loans.md": "a loan runs 21 days",
                "/logs/lent.tsv#row=7": "row 7 is b-104",
            },
            id="row and another file",
        ),
    ],
)
def test_rows_that_the_request_demands_are_cited(refs: dict[str, str]) -> None:
    assert objection_to_citations(REQUEST_FOR_ROWS, "EUR 7.00", refs) == ""


def test_a_file_does_not_stand_for_demanded_rows() -> None:
    """The sum is not 0, so that it comes from at least one row."""
    refs = {"/logs/lent.tsv": "the rows of b-104"}

    objection = objection_to_citations(REQUEST_FOR_ROWS, "EUR 7.00", refs)

    assert "rows are cited as `/logs/lent.tsv#row=<RowID>`" in objection


def test_a_file_stands_for_demanded_rows_if_the_sum_is_0() -> None:
    """A sum of 0 may come from no row, so that there is none to cite."""
    refs = {"/logs/lent.tsv": "the rows of b-104"}

    assert objection_to_citations(REQUEST_FOR_ROWS, "EUR 0.00", refs) == ""


# Rule `3/demanded-citation`: an answer cites the file that its request names as the source.
#
# The request says "Read the log /logs/lent.tsv and tell how many." So the answer has to cite the log,
# or rows of it: `{"/logs/lent.tsv#row=7": "row 7 is b-104"}`.

# The second file does not exist, so that it cannot be cited, and is not demanded.
REQUEST_ABOUT_THE_LOG = (
    "Read the log /logs/lent.tsv and tell how many."
    " Look at the list in /nowhere/x.tsv as well."
)


@pytest.mark.parametrize(
    "refs",
    [
        pytest.param({"/logs/lent.tsv": "the rows of b-104"}, id="file"),
        pytest.param({"/logs/lent.tsv#row=7": "row 7 is b-104"}, id="row of it"),
    ],
)
def test_a_source_that_the_request_names_is_cited(refs: dict[str, str]) -> None:
    assert objection_to_citations(REQUEST_ABOUT_THE_LOG, "2", refs) == ""


def test_a_source_that_the_request_names_must_be_cited() -> None:
    """The answer cites the loan rules instead."""
    refs = {"/docs/Loans.md": "a loan runs 21 days"}

    objection = objection_to_citations(REQUEST_ABOUT_THE_LOG, "2", refs)

    assert "`/logs/lent.tsv` is what the request is about" in objection


def test_a_request_that_names_no_file_demands_no_citation_of_one() -> None:
    refs = {"/docs/Loans.md": "a loan runs 21 days"}

    assert objection_to_citations("How many loans?", "2 of 3", refs) == ""


# Gate 3: a cited path is spelled as the file was read, and the objection says how.
#
# A script cites files with reasons: `refs_why = {"docs/Loans.md": "a loan runs 21 days"}`. This goes
# back to the model with "cite `/docs/Loans.md`", so that the model can correct the path. The trial
# has read `/docs/Loans.md` and `/logs/lent.tsv`.


@pytest.mark.parametrize(
    ("path", "correction"),
    [
        ("docs/Loans.md", "cite `/docs/Loans.md`"),
        ("/docs//Loans.md", "cite `/docs/Loans.md`"),
        ("/docs/../docs/Loans.md", "cite `/docs/Loans.md`"),
        (" /docs/Loans.md", "cite `/docs/Loans.md`"),
        ("/docs/loans.md", "was read as `/docs/Loans.md`"),
        ("/LOGS/lent.tsv#row=7", "cite `/logs/lent.tsv#row=7`"),
        # Files that were not read
        (
            "nowhere/x.md#1",
            "not an absolute canonical path: read and cite `/nowhere/x.md#1`",
        ),
        ("/nowhere/x/", "a folder or a misspelt file: read and cite `/nowhere/x`"),
    ],
)
def test_a_path_in_another_form_is_rejected_with_the_right_one(
    path: str, correction: str
) -> None:
    objection = objection_to_form({path: "a loan runs 21 days"})

    assert correction in objection


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        pytest.param("/docs", "is a folder", id="folder"),
        pytest.param("/docs/", "is a folder", id="folder with a slash"),
        pytest.param("/", "is not a file", id="root"),
        pytest.param("", "is not a file", id="empty"),
        pytest.param("/\ud800.md", "lone surrogate", id="not encodable as UTF-8"),
    ],
)
def test_a_path_that_is_not_a_files_is_rejected(path: str, fault: str) -> None:
    """The message says what is wrong, since there is no right form."""
    objection = objection_to_form({path: "a loan runs 21 days"})

    assert fault in objection


def test_a_second_spelling_of_a_cited_file_is_rejected() -> None:
    """A file counts as one citation, so it may have only one spelling."""
    objection = objection_to_form(
        {"/docs/Loans.md": "21 days", "/docs/loans.md": "a loan runs 21 days"}
    )

    assert "cite `/docs/Loans.md`" in objection


# Gate 3: each citation has a reason, a text of at least 8 characters.
#
# A script submits `refs_why = {"/docs/Loans.md": "a loan runs 21 days"}`. For the reason "rules" the
# gate objects "under 8 characters".


@pytest.mark.parametrize(
    ("refs", "fault"),
    [
        pytest.param(["/docs/Loans.md"], "a map of paths to reasons", id="a list"),
        pytest.param("/docs/Loans.md", "a map of paths to reasons", id="a text"),
        pytest.param({"/docs/Loans.md": "rules"}, "under 8 characters", id="short"),
        pytest.param(
            {"/docs/Loans.md": "   rules   "}, "under 8 characters", id="short, padded"
        ),
        pytest.param({"/docs/Loans.md": "規則"}, "under 8 characters", id="short, CJK"),
        pytest.param({"/docs/Loans.md": 21}, "the number `21`", id="a number"),
        pytest.param({"/docs/Loans.md": None}, "`None`", id="None"),
        # JSON cannot hold an object, so it is copied as None before it is judged.
        pytest.param(
            {"/docs/Loans.md": object()},
            "is `None`: say in words",
            id="an object, which JSON cannot hold",
        ),
    ],
)
def test_citations_without_reasons_of_8_characters_are_rejected(
    refs: object, fault: str
) -> None:
    assert fault in objection_to_form(refs)


@pytest.mark.parametrize("reason", ["食品は8%", "携程 12%", "대출 기한", "贷款期限"])
def test_few_signs_are_a_full_reason_where_each_is_as_much_as_a_word(
    reason: str,
) -> None:
    assert objection_to_form({"/docs/Loans.md": reason}) == ""


# Gate 6: a script may not declare a change that the trial did not make.
#
# The trial has written `/desk/order.json` and run `/bin/ship`, and nothing else. So `changes =
# ["order.json", "ship"]` is right, by the last part of each path, and `["order.json", "ship",
# "/desk/other.json"]` is sent back: "names `/desk/other.json`: the trace shows no such".


@pytest.mark.parametrize(
    ("changes", "objection"),
    [
        pytest.param(
            [{"path": "/desk/order.json", "action": "delete"}, "ship"],
            "names `/desk/order.json`: the trace shows no such",
            id="another action on the file",
        ),
        pytest.param(
            ["/desk/order.json", "/bin/ship", "/desk/other.json"],
            "names `/desk/other.json`: the trace shows no such",
            id="another file",
        ),
        pytest.param(
            ["/desk/order.json", "/sbin/ship"],
            "names `/sbin/ship`",
            id="a tool of the same name in another folder",
        ),
        pytest.param(
            ["order.json", "mail.send", "ship"],
            "names `mail.send`",
            id="another operation",
        ),
        pytest.param(
            ["order.json", "ship", "execute"], "names `execute`", id="an action alone"
        ),
        pytest.param(
            ["order.json", "ship", "json"], "names `json`", id="an extension alone"
        ),
    ],
)
def test_a_declared_change_that_was_not_made_is_rejected(
    changes: list[object], objection: str
) -> None:
    actual_objection = objection_to_changes(changes, calls_with_two_changes())

    assert objection in actual_objection


# Gate 6: the list of changes that a script declares has every change of the trial.
#
# A user must learn what an agent did to their files. So a script may declare `changes =
# ["/desk/order.json", "ship"]` or, with the action, `[{"path": "/desk/order.json", "action":
# "write"}]`. The gate compares the list with the calls of the trial.


@pytest.mark.parametrize(
    ("changes", "objection"),
    [
        pytest.param("none", "list at most 1000 paths", id="a text"),
        pytest.param(
            {"/desk/order.json": "write"}, "list at most 1000 paths", id="a mapping"
        ),
        pytest.param(
            [{"path": 3, "action": "write"}], "names nothing", id="a number as a path"
        ),
        pytest.param([""], "names nothing", id="an empty name"),
    ],
)
def test_changes_must_be_a_list_of_names(changes: object, objection: str) -> None:
    actual_objection = objection_to_changes(changes, calls_with_two_changes())

    assert objection in actual_objection


@pytest.mark.parametrize(
    ("changes", "objection"),
    [
        pytest.param(
            [],
            "leaves out write of `/desk/order.json`, execute of `/bin/ship`",
            id="both omitted",
        ),
        pytest.param(
            ["/desk/order.json"], "leaves out execute of `/bin/ship`", id="one omitted"
        ),
    ],
)
def test_a_declaration_that_omits_a_change_is_rejected(
    changes: list[str], objection: str
) -> None:
    actual_objection = objection_to_changes(changes, calls_with_two_changes())

    assert objection in actual_objection


# Gate 6 compares many declared changes with those of the trial in linear time.
#
# A script declares what it changed: `changes = ["/desk/order.json", "ship"]`. Twice as many changes
# must not take much more than twice the work.


def judge_a_third_of_the_changes(declared_count: int) -> None:
    """Judge a script that declares `["0.json", "1.json", …]`, a third of the files it wrote."""
    calls = CallsOfTrial()
    for number in range(3 * declared_count):
        calls.write(f"/desk/{number}.json")
    declared = [f"{number}.json" for number in range(declared_count)]

    objection = objection_to_changes(declared, calls)

    # The message names four of the other two thirds, and counts the rest.
    assert f"and {2 * declared_count - 4} more" in objection


def test_comparing_many_changes_is_linear_work() -> None:
    assert_linear(judge_a_third_of_the_changes, 100)


# Gate 6: the name of a declared change may have a prefix, as models write it.
#
# A script declares what it changed: `changes = ["tools.ship"]` is the run of the program `/bin/ship`.


def test_a_tool_may_be_declared_with_a_prefix() -> None:
    calls = CallsOfTrial()
    calls.run("/bin/ship", "b-104")

    assert objection_to_changes(["tools.ship"], calls) == ""


def test_a_hidden_file_may_not_be_declared_with_a_prefix() -> None:
    """The trial wrote a file called `.json`. `7.json` is another file, although it reads like
    that name with a prefix, as in `tools.ship`."""
    calls = CallsOfTrial()
    calls.write("/desk/.json")

    objection_to_path = objection_to_changes(["/desk/.json"], calls)
    objection_to_prefixed = objection_to_changes(["7.json"], calls)

    assert objection_to_path == ""
    assert "names `7.json`" in objection_to_prefixed


# Gate 6: a script may declare or omit the run of a program that may have changed something.
#
# A script declares what it changed: `changes = ["/desk/order.json", "ship"]`. The workspace does not
# say whether the program `/bin/odd` changes anything, so only the script knows. Only a run that
# failed has certainly changed nothing.

WAYS_TO_DECLARE_A_RUN_OF_ODD = pytest.mark.parametrize(
    "changes",
    [
        pytest.param(["/bin/odd"], id="path"),
        pytest.param(["odd"], id="name"),
        pytest.param([{"path": "/bin/odd", "action": "execute"}], id="path and action"),
    ],
)


@WAYS_TO_DECLARE_A_RUN_OF_ODD
def test_a_run_of_a_tool_of_unknown_kind_may_be_declared(changes: list[object]) -> None:
    calls = CallsOfTrial()
    calls.run("/bin/odd", "b-104")

    assert objection_to_changes(changes, calls) == ""


def test_a_run_of_a_tool_of_unknown_kind_may_be_omitted() -> None:
    calls = CallsOfTrial()
    calls.run("/bin/odd", "b-104")

    assert objection_to_changes([], calls) == ""


@WAYS_TO_DECLARE_A_RUN_OF_ODD
def test_a_failed_run_of_a_tool_of_unknown_kind_may_not_be_declared(
    changes: list[object],
) -> None:
    calls = CallsOfTrial()
    calls.run("/bin/odd", "b-104", exit_code=1)

    assert "the trace shows no such" in objection_to_changes(changes, calls)


def test_a_failed_run_of_a_tool_of_unknown_kind_may_be_omitted() -> None:
    calls = CallsOfTrial()
    calls.run("/bin/odd", "b-104", exit_code=1)

    assert objection_to_changes([], calls) == ""


# Gates reject many invented paths without comparing each with all files that were read.
#
# The message about a citation such as `/nowhere/0.md` names the nearest file that was read. A script
# that cites 200 invented paths after it has read 200 files must not cost 40,000 comparisons. So the
# message has this hint for the first 8 paths, and then says "and 192 more".


def calls_that_read_files(count: int) -> CallsOfTrial:
    """Return the calls of a trial that read `/shelf/0.json`, `/shelf/1.json` and so on."""
    calls = CallsOfTrial()
    for number in range(count):
        calls.read(f"/shelf/{number}.json")
    return calls


def cite_invented_paths(path_count: int) -> None:
    """Cite as many invented paths as files were read."""
    refs: dict[str, str] = {}
    for number in range(path_count):
        refs[f"/nowhere/{number}.md"] = "no such thing"

    judgement = judge_scratchpad(
        valid_scratchpad(refs_why=refs), calls_that_read_files(path_count)
    )

    # Gate 4 rejects a citation of a path that no call accessed.
    objection = objection_of(judgement, 4)
    assert objection.count("nearest that was read") == 8
    assert f"and {path_count - 8} more" in objection.splitlines()[-1]


def submit_facts_of_invented_paths(fact_count: int) -> None:
    """Submit as many facts as files were read, each with an invented path as its source."""
    facts: dict[str, object] = {}
    for number in range(fact_count):
        facts[f"fact {number}"] = {
            "value": 21,
            "description": "days of a loan",
            "source": f"/nowhere/{number}.md",
            "confidence": "verified",
        }

    judgement = judge_scratchpad(
        valid_scratchpad(facts=facts), calls_that_read_files(fact_count)
    )

    # Gate 2 rejects a fact whose source no call accessed.
    objection = objection_of(judgement, 2)
    assert objection.count("nearest that was read") == 8
    assert f"and {fact_count - 8} more" in objection.splitlines()[-1]


def test_rejecting_many_citations_of_invented_paths_is_linear_work() -> None:
    assert_linear(cite_invented_paths, 200)


def test_rejecting_many_facts_with_invented_sources_is_linear_work() -> None:
    assert_linear(submit_facts_of_invented_paths, 200)


# Gate 7: the script's own function `verify` must confirm the answer.
#
# The gate calls `verify` with the scratchpad, to which it must say yes, and with a blanked copy,
# which has no answer. A `verify` that says yes to this copy, too, checks nothing.

VERIFY_GATE = 7


class ConfirmsOnce(ScriptedVerify):
    """A `verify` that says yes only at its first call, to the scratchpad with the answer."""

    def ask(self, blanked: bool) -> VerifyAnswer:
        if self.asked:
            return VerifyAnswer(says_yes=False)
        return super().ask(blanked)


@pytest.mark.parametrize(
    ("verify", "reason"),
    [
        pytest.param(
            ScriptedVerify(as_submitted=VerifyAnswer(says_yes=False)),
            "did not return True",
            id="says no",
        ),
        pytest.param(
            ScriptedVerify(
                as_submitted=VerifyAnswer(says_yes=False, error="KeyError: 'total'")
            ),
            "KeyError: 'total'",
            id="raises",
        ),
        # An error counts whatever the call returned.
        pytest.param(
            ScriptedVerify(
                as_submitted=VerifyAnswer(says_yes=True, error="time-out after 5 s")
            ),
            "time-out after 5 s",
            id="hangs",
        ),
        pytest.param(
            ScriptedVerify(blanked=VerifyAnswer(says_yes=True)),
            "checks nothing",
            id="confirms the blanked copy",
        ),
        pytest.param(
            ConfirmsOnce(), "when it was asked again", id="says no the second time"
        ),
    ],
)
def test_an_answer_that_its_verify_does_not_confirm_is_rejected(
    verify: ScriptedVerify, reason: str
) -> None:
    """A script that does not confirm its own answer is mistaken in the answer or in the check.

    `as_submitted` is what `verify` says of the answer, and `blanked` what it says of the copy.
    """
    judgement = judge_scratchpad(valid_scratchpad(), verify=verify)

    verify_verdict = verdict_of(judgement, VERIFY_GATE)
    assert verify_verdict.result == "reject"
    assert reason in verify_verdict.reason


# A rule of a user rejects an answer by returning a fault, or a list of faults.
#
# Rule("sum", lambda submission, evidence, case: "count again")
# # Verdict(name="sum", result="reject", reason="count again", ...)


def test_a_verdict_names_the_rule_and_its_rule_set() -> None:
    verdict = verdict_on("count again", rule_set="library")

    assert verdict.gate == RULE_SET_GATE
    assert verdict.name == "library/sum"


@pytest.mark.parametrize("opinion", [None, "", []])
def test_a_rule_that_returns_no_fault_passes(opinion: Opinion) -> None:
    verdict = verdict_on(opinion)

    assert verdict.result == "pass"
    assert verdict.reason == ""


def test_a_rule_that_returns_a_fault_rejects() -> None:
    verdict = verdict_on("count again")

    assert verdict.result == "reject"
    assert verdict.reason == "count again"


def test_a_rule_that_returns_a_list_of_faults_rejects_for_all_of_them() -> None:
    """The second one is empty, and no fault."""
    verdict = verdict_on(["one", "", "two"])

    assert verdict.result == "reject"
    assert verdict.reason == "one\ntwo"


# A rule of a user does not apply if it cannot judge an answer, or returns something unexpected.
#
# A rule is a function that returns the fault of an answer, such as "count again". A number instead
# is a mistake of the rule, which must not cost the answer: "the rule failed: TypeError: 'int'
# object …".


def test_a_rule_that_cannot_judge_does_not_apply() -> None:
    verdict = verdict_on(Inapplicable("nothing to add up"))

    assert verdict.result == "not_applicable"
    assert verdict.reason == "nothing to add up"


def test_a_rule_that_returns_something_else_has_failed_and_does_not_apply() -> None:
    """A number alone is neither a fault nor a list of faults."""
    verdict = verdict_on(7)  # type: ignore[arg-type] # a rule's mistake

    assert verdict.result == "not_applicable"
    assert verdict.reason.startswith("the rule failed: TypeError: 'int' object")


def test_values_of_other_types_in_a_list_are_ignored() -> None:
    opinion: list[object] = [None, 7, "count again"]

    verdict = verdict_on(opinion)  # type: ignore[arg-type] # a rule's mistake

    assert verdict.result == "reject"
    assert verdict.reason == "count again"
