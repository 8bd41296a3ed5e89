"""Each gate and general rule: what it sends back, and what it leaves alone."""

from __future__ import annotations

import time

import pytest

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.submission import Case, Submission, Verdict
from controlplane.gates.support.answer_values import answer_values
from controlplane.gates.support.arithmetic.answer_arithmetic import shown_results
from controlplane.gates.support.arithmetic.shown_results import ShownResult
from tests.gates.sample_trials import (
    CallsOfTrial,
    ScriptedVerify,
    VerifyAnswer,
    judge_scratchpad,
    objection_of,
    valid_scratchpad,
    verdict_of,
)

# Gate 2
# --------------------------------------------------------------------------------------------------------------


def slot(
    value: object = 21,
    source: object = "/docs/Loans.md",
    confidence: object = "verified",
) -> dict[str, object]:
    """Return a fact of a scratchpad: by default, a loan runs 21 days, as the rules say."""
    return {
        "value": value,
        "description": "days of a loan",
        "source": source,
        "confidence": confidence,
    }


# In these tests, `days` is read from the rules, and `weeks` follows from it.
SOUND_FACTS: list[dict[str, object]] = [
    {},
    {"days": slot()},
    {"days": slot(source=["/docs/Loans.md"])},
    {"days": slot(source="/docs/loans.md")},
    {"days": slot(source="/docs/Loans.md#line=1")},
    {"days": {**slot(), "note": "extra keys are fine"}},
    {"rows": slot(source="/bin/query")},
    {"who": slot(source="task", confidence="derived")},
    {"who": slot(source="Identity", confidence="derived")},
    {"who": slot(source="the task text", confidence="derived")},
    {"days": slot(), "weeks": slot(3, "days", "derived")},
    {
        "days": slot(),
        "weeks": slot(3, "days / 7", "derived"),
        "more": slot(4, ["weeks"], "derived"),
    },
    {"days": slot(False)},
    {"days": slot(source=[None, " ", "/docs/Loans.md"])},
    {"days": slot(source="/docs/Loans.md", confidence="derived")},
    {
        "loan_days": slot(),
        "in-weeks": slot(3, "loan_days / 7", "derived"),
        "v.2": slot(4, "in-weeks + 1", "derived"),
    },
    {"loan days": slot(), "weeks": slot(3, "loan days", "derived")},
    {"Days": slot(), "weeks": slot(3, "(Days)/7", "derived")},
    {"a": slot(1, ["task", "b"], "derived"), "b": slot(1, "a", "derived")},
    {"days": slot(None, None, "pending")},
    {"days": {"description": "not looked up yet", "confidence": "pending"}},
]
UNSOUND_FACTS = [
    ("facts", "`facts`"),
    ([slot()], "a list of 1"),
    ({"days": 21}, "the number `21`"),
    ({"days": slot(confidence="sure")}, "`sure`"),
    ({"days": slot(confidence=None)}, "verified, derived, pending"),
    ({"days": {**slot(), "description": " "}}, "no description"),
    ({"days": {**slot(), "description": None}}, "no description"),
    (
        {"a": slot(None, "task", "pending"), "b": slot(1, "a", "derived")},
        "is no known fact",
    ),
    ({"days": slot(value=None)}, "without a value"),
    ({"days": slot(source="")}, "without a source"),
    ({"days": slot(source=None)}, "without a source"),
    ({"days": slot(source="/docs/Loan.md")}, "`/docs/Loans.md`"),
    ({"days": slot(source=["/docs/Loans.md", "/docs/Fees.md"])}, "`/docs/Fees.md`"),
    ({"days": slot(21, None, "pending")}, "pending and yet holds the number `21`"),
    ({"days": slot(source="/tmp/own.txt")}, "which was not read"),
    ({"days": slot(source="/tmp/own.txt", confidence="derived")}, "is no known fact"),
    ({"days": slot(source=None, confidence="derived")}, "is no known fact"),
    ({"days": slot(source="a guess", confidence="derived")}, "`a guess`"),
    ({"days": slot(source="days", confidence="derived")}, "is no known fact"),
    ({"a": slot(1, "b", "derived"), "b": slot(1, "a", "derived")}, "is no known fact"),
    ({"days": slot(), "weeks": slot(3, "DAYS / 7", "derived")}, "is no known fact"),
    (
        {"a": slot(None, None, "pending"), "b": slot(1, "a", "derived")},
        "is no known fact",
    ),
]


def verdict_on_facts(facts: object) -> Verdict:
    """Return gate 2's verdict on facts, after a trial that read the rules and ran a query.

    The trial also read a file that it had written, which is not a source.
    """
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    calls.write("/tmp/own.txt", "21 days")
    calls.read("/tmp/own.txt")
    calls.run("/bin/query", "select 1", stdout="3 rows")
    return verdict_of(judge_scratchpad(valid_scratchpad(facts=facts), calls), 2)


@pytest.mark.parametrize("facts", SOUND_FACTS)
def test_facts_that_say_how_they_are_known_pass(facts: object) -> None:
    facts_verdict = verdict_on_facts(facts)

    assert facts_verdict.result == "pass"
    assert not facts_verdict.reason


@pytest.mark.parametrize(("facts", "reason"), UNSOUND_FACTS)
def test_facts_that_do_not_say_how_they_are_known_are_rejected(
    facts: object, reason: str
) -> None:
    facts_verdict = verdict_on_facts(facts)

    assert facts_verdict.result == "reject"
    assert reason in facts_verdict.reason


class Fickle(ScriptedVerify):
    """Says yes only the first time that it is asked about the real answer."""

    def ask(self, blanked: bool) -> VerifyAnswer:
        if self.asked:
            return VerifyAnswer(False)
        return super().ask(blanked)


@pytest.mark.parametrize(
    ("verify", "reason"),
    [
        (ScriptedVerify(as_submitted=VerifyAnswer(False)), "did not return True"),
        (
            ScriptedVerify(as_submitted=VerifyAnswer(False, "KeyError: 'total'")),
            "KeyError: 'total'",
        ),
        (
            ScriptedVerify(as_submitted=VerifyAnswer(True, "time-out after 5 s")),
            "time-out after 5 s",
        ),
        (ScriptedVerify(blanked=VerifyAnswer(True)), "checks nothing"),
        (Fickle(), "when it was asked again"),
    ],
)
def test_a_verify_that_does_not_vouch_for_this_answer_is_rejected(
    verify: ScriptedVerify, reason: str
) -> None:
    verify_verdict = verdict_of(judge_scratchpad(valid_scratchpad(), verify=verify), 7)

    assert verify_verdict.result == "reject"
    assert reason in verify_verdict.reason


BOOK = "/shelves/north side/b-104.json"
RULES = "/docs/Loans.md"


def calls_of_a_trial() -> CallsOfTrial:
    """Return a trial's calls: it listed two folders, read three files, and ran a query."""
    calls = CallsOfTrial()
    calls.list("/", "/empty.txt", folders=("/docs", "/shelves", "/logs"))
    calls.list("/docs", "/docs/Loans.md")
    calls.read("/docs/Loans.md", BOOK, "/logs/lent.tsv")
    calls.run("/bin/query", "select", stdout="b-104")
    return calls


# Gate 3
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "refs",
    [
        {},
        {BOOK: "b-104 has 3 copies"},
        {"/docs/Loans.md": "21 days."},
        {
            "/logs/lent.tsv#row=7": "row 7 is b-104",
            "/logs/lent.tsv#row=8": "row 8 is b-105",
        },
        {"/bin/query": "query output b-104"},
        {"/bin/query": "ran the query for b-104", "/docs/Loans.md": "runs 21 days"},
    ],
)
def test_canonical_citations_of_what_was_read_pass(refs: dict[str, str]) -> None:
    judgement = judge_scratchpad(valid_scratchpad(refs_why=refs), calls_of_a_trial())

    citation_gates = (3, 4, 5)
    for gate in citation_gates:
        assert verdict_of(judgement, gate).result != "reject", judgement.message


@pytest.mark.parametrize(
    ("refs", "reason"),
    [
        (["/docs/Loans.md"], "a map of paths to reasons"),
        ("/docs/Loans.md", "a map of paths to reasons"),
        ({"/docs/Loans.md": "rules"}, "under 8 characters"),
        ({"/docs/Loans.md": "   rules   "}, "under 8 characters"),
        ({"/docs/Loans.md": 21}, "the number `21`"),
        ({"/docs/Loans.md": None}, "`None`"),
        ({"/docs/Loans.md": object()}, "is `None`: say in words"),
        ({"docs/Loans.md": "a loan runs 21 days"}, "cite `/docs/Loans.md`"),
        (
            {"nowhere/x.md#1": "a loan runs 21 days"},
            "not an absolute canonical path: read and cite `/nowhere/x.md#1`",
        ),
        (
            {"/nowhere/x/": "a loan runs 21 days"},
            "a folder or a misspelt file: read and cite `/nowhere/x`",
        ),
        ({"/docs//Loans.md": "a loan runs 21 days"}, "cite `/docs/Loans.md`"),
        ({"/docs/../docs/Loans.md": "a loan runs 21 days"}, "cite `/docs/Loans.md`"),
        ({"/docs/loans.md": "a loan runs 21 days"}, "was read as `/docs/Loans.md`"),
        ({" /docs/Loans.md": "a loan runs 21 days"}, "cite `/docs/Loans.md`"),
        ({"/LOGS/lent.tsv#row=7": "row 7 is b-104"}, "cite `/logs/lent.tsv#row=7`"),
        ({"/docs": "where the loan rules are"}, "is a folder"),
        ({"/docs/": "where the loan rules are"}, "is a folder"),
        ({"/": "where everything stands"}, "is not a file"),
        ({"": "where everything stands"}, "is not a file"),
        (
            {"/docs/Loans.md": "21 days", "/docs/loans.md": "a loan runs 21 days"},
            "cite `/docs/Loans.md`",
        ),
        ({"/\ud800.md": "a loan runs 21 days"}, "lone surrogate"),
    ],
)
def test_citations_in_another_form_are_rejected_with_the_right_one(
    refs: object, reason: str
) -> None:
    citation_verdict = verdict_of(
        judge_scratchpad(valid_scratchpad(refs_why=refs), calls_of_a_trial()), 3
    )

    assert citation_verdict.result == "reject"
    assert reason in citation_verdict.reason


def verdict_on_paths(refs: object) -> Verdict:
    """Return gate 3's verdict on a submission that was not made by a script."""
    submission = Submission(answer="21 days", outcome="OUTCOME_OK", refs=refs)
    evidence = calls_of_a_trial().evidence
    return verdict_of(judge(submission, evidence, Case("How long?")), 3)


@pytest.mark.parametrize(
    ("refs", "reason"),
    [
        ("/docs/Loans.md", "it must be a list of paths"),
        (["/docs/Loans.md", 7], "the number `7` is not a path"),
    ],
)
def test_citations_without_reasons_must_be_a_list_of_paths(
    refs: object, reason: str
) -> None:
    citation_verdict = verdict_on_paths(refs)

    assert citation_verdict.result == "reject"
    assert reason in citation_verdict.reason


def test_an_empty_list_of_citations_without_reasons_passes() -> None:
    assert verdict_on_paths([]).result != "reject"


ROWS = "Cite rows in this format: /logs/lent.tsv#row=<RowID> and answer with the sum."
"""An instruction that demands rows as citations."""
SOURCE = "Read the log /logs/lent.tsv and tell how many. Look at the list in /nowhere/x.tsv as well."
"""An instruction that names a file that exists, and one that does not."""


@pytest.mark.parametrize(
    ("instruction", "answer", "refs", "objection"),
    [
        (ROWS, "EUR 7.00", {"/logs/lent.tsv#row=7": "row 7 is b-104"}, ""),
        (
            ROWS,
            "EUR 7.00",
            {
                "/docs/Loans.md": "runs 21 days",
                "/logs/lent.tsv#row=7": "row 7 is b-104",
            },
            "",
        ),
        (
            ROWS,
            "EUR 7.00",
            {"/logs/lent.tsv": "the rows of b-104"},
            "rows are cited as `/logs/lent.tsv#row=<RowID>`",
        ),
        (ROWS, "EUR 0.00", {"/logs/lent.tsv": "the rows of b-104"}, ""),
        (SOURCE, "2", {"/logs/lent.tsv": "the rows of b-104"}, ""),
        (SOURCE, "2", {"/logs/lent.tsv#row=7": "row 7 is b-104"}, ""),
        (
            SOURCE,
            "2",
            {"/docs/Loans.md": "a loan runs 21 days"},
            "`/logs/lent.tsv` is what the request is about",
        ),
        ("How many loans?", "2 of 3", {"/docs/Loans.md": "a loan runs 21 days"}, ""),
    ],
)
def test_rows_and_sources_that_the_instruction_names_are_cited(
    instruction: str, answer: str, refs: dict[str, str], objection: str
) -> None:
    """An empty `objection` stands for a submission that passes."""
    judgement = judge_scratchpad(
        valid_scratchpad(answer=answer, refs_why=refs),
        calls_of_a_trial(),
        instruction=instruction,
    )

    actual_objection = objection_of(judgement, "3/demanded-citation")
    assert objection in actual_objection
    assert bool(actual_objection) == bool(objection)


# Gate 4
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/empty.txt", "/docs/Fees.md", "/bin/ship"])
def test_a_path_that_was_not_touched_is_rejected_though_it_may_be_listed(
    path: str,
) -> None:
    submission = valid_scratchpad(refs_why={path: "21 days of loan"})

    judgement = judge_scratchpad(submission, calls_of_a_trial())

    assert verdict_of(judgement, 4).result == "reject"


def test_thousands_of_invented_paths_are_rejected_in_bounded_time() -> None:
    """A trial read 3,000 files, and names 3,000 others, as sources and as citations."""
    calls = CallsOfTrial()
    calls.read(*(f"/shelf/{number}.json" for number in range(3_000)))
    invented_paths = [f"/nowhere/{number}.md" for number in range(3_000)]
    submission = valid_scratchpad(
        refs_why=dict.fromkeys(invented_paths, "no such thing"),
        facts={path: slot(source=path) for path in invented_paths},
    )

    started = time.process_time()
    judgement = judge_scratchpad(submission, calls)
    assert time.process_time() - started < 2

    # Gate 2 checks the sources, gate 4 the citations. Each spells out 8 of the 3,000 paths.
    for gate in (2, 4):
        lines = verdict_of(judgement, gate).reason.splitlines()
        assert sum("nearest that was read" in line for line in lines) == 8
        assert "and 2992 more" in lines[-1]


# Gate 5
# --------------------------------------------------------------------------------------------------------------


def calls_with_reasons() -> CallsOfTrial:
    """Return the calls of a trial that accessed every path that the reasons below are for."""
    calls = CallsOfTrial()
    calls.read(
        RULES, BOOK, "/shelves/north side/b-105.json", "/logs/lent.tsv", "/empty.txt"
    )
    calls.see("/dull.txt", "the data file")
    calls.see("/part.txt", "the data file", truncated=True)
    calls.see("/docs/quagga.md", "A quagga is no zebra.")
    calls.run("/bin/query", "select", stdout="b-104 lent on 2031-05-04")
    calls.run("/bin/ship", "b-104", stdout="shipped")
    calls.write("/exports/list.txt", "one line for the librarian, see /logs/lent.tsv")
    calls.delete("/tmp/old.txt")
    return calls.see(
        RESULTS,
        "home,guest,score\nAjo,Bel,3:1\nCor,Dax,0:0\nEsk,Fio,2:2\nGil,Hub,1:4\n",
    )


RESULTS = "/results/week-07.csv"
SPECIFIC_REASONS = [
    (BOOK, "supporting record 3"),
    (RESULTS, "4 games were played"),
    (RULES, "a loan runs 21 days"),
    (RULES, "the rule on reserved books"),
    (RULES, "Loan policy"),
    (RULES, "pipes valves taps hoses wrenches gaskets elbows washers, then 21"),
    (RULES, "see 21 there"),
    (RULES, "RENEWALS of reservations"),
    (RULES, "wer Bücher renewed haben will: 21"),
    (BOOK, "b-104"),
    (BOOK, "id `B-104` of the book"),
    (BOOK, "title Die Kuste, as asked for"),
    (BOOK, "the fee is EUR 11.50"),
    (BOOK, "has 3 copies left"),
    (BOOK, "still 3 left"),
    (BOOK, "3 remain"),
    (BOOK, "evidence: 1150"),
    (BOOK, "evidence: 104"),
    ("/logs/lent.tsv#row=7", "row 7 was cited"),
    ("/logs/lent.tsv", "no row for b-999 in this log"),
    ("/logs/lent.tsv", "nothing about b-999"),
    ("/logs/lent.tsv", "Die Küste does not appear, nothing about `Harbour`"),
    ("/empty.txt", "is empty, no lines"),
    ("/bin/query", "gave 2031-05-04 for the book"),
    ("/bin/query", "query was executed to find it"),
    ("/bin/ship", "executed to ship the book"),
    ("/exports/list.txt", "written as the export"),
    ("/exports/list.txt", "file I created"),
    ("/tmp/old.txt", "deleted on request"),
]
UNSPECIFIC_REASONS = [
    ("/exports/list.txt", "a fresh file for the librarian"),
    (RESULTS, "four games were played"),
    (RESULTS, "all results of week 7"),
    ("/part.txt", "a quagga was there"),
    ("/dull.txt", "it holds data"),
    ("/dull.txt", "a quagga would be here"),
    (RESULTS, "the latest of the week"),
    (RESULTS, "the dates of signing"),
    (RULES, "die Ausleihe ist auf drei Wochen begrenzt"),
    (RULES, "la durée du prêt est fixée ici"),
    (RULES, "cited from memory without having read it"),
    (RESULTS, "14 games were played"),
    (RULES, RULES),
    (RULES, "see /docs/Loans.md"),
    (RULES, "Loans.md, Loans.md"),
    (RULES, "/docs/./Loans.md"),
    (RULES, "//docs//Loans.md, //docs//Loans.md"),
    ("/docs/quagga.md", "/docs/./quagga.md"),
    ("/docs/quagga.md", "quagga.md, see (quagga.md)"),
    (RULES, "relevant document"),
    (RULES, "relevant document for this answer"),
    (RULES, "used as evidence"),
    (RULES, "invoice 4711 of the plumber"),
    (RULES, "order 4711-x of the plumber"),
    (BOOK, "b-999 is on this shelf"),
    (BOOK, "no such thing here"),
    (BOOK, "b b b b b"),
    ("/empty.txt", "relevant file"),
    ("/dull.txt", "relevant evidence"),
    ("/tmp/old.txt", "relevant file"),
    ("/exports/list.txt", "see the list.txt"),
]


@pytest.mark.parametrize(("path", "reason"), SPECIFIC_REASONS)
def test_a_reason_that_names_something_that_was_found_there_passes(
    path: str, reason: str
) -> None:
    reason_verdict = verdict_of(
        judge_scratchpad(
            valid_scratchpad(refs_why={path: reason}), calls_with_reasons()
        ),
        5,
    )

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


@pytest.mark.parametrize(("path", "reason"), UNSPECIFIC_REASONS)
def test_a_reason_that_names_nothing_that_was_found_there_is_rejected(
    path: str, reason: str
) -> None:
    reason_verdict = verdict_of(
        judge_scratchpad(
            valid_scratchpad(refs_why={path: reason}), calls_with_reasons()
        ),
        5,
    )

    assert reason_verdict.result == "reject"
    assert path in reason_verdict.reason


@pytest.mark.parametrize(
    "reason",
    [
        "warum auch immer es zählt",
        "relevant document here",
        "raison quelconque",
        "根拠となる規則の文書です",
    ],
)
def test_a_quotation_that_was_found_satisfies_it_in_any_language(reason: str) -> None:
    calls = calls_of_a_trial()
    calls.see("/docs/fr.md", "Un prêt dure\n21  jours, sauf avis contraire.")
    spelling, line = calls.evidence_log.citations.check(
        "/docs/fr.md", reason, "dure 21 JOURS"
    )

    assert (spelling, line) == ("/docs/fr.md", 1)
    assert not objection_of(
        judge_scratchpad(valid_scratchpad(refs_why={spelling: reason}), calls), 5
    )


@pytest.mark.parametrize("quotation", ["Books marked as reserved", "b-104", "xy"])
def test_a_quotation_that_is_not_there_is_refused_where_it_is_given(
    quotation: str,
) -> None:
    with pytest.raises(ValueError, match="quot"):
        calls_of_a_trial().evidence_log.citations.check(
            RULES, "a loan runs 21 days", quotation
        )


# Gate 6
# --------------------------------------------------------------------------------------------------------------


def calls_with_changes() -> CallsOfTrial:
    """Return the calls of a trial that made two changes: it wrote an order, and shipped."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    calls.write("/desk/order.json")
    calls.run("/bin/ship", "b-104")
    return calls


@pytest.mark.parametrize(
    ("answer", "objection"),
    [
        (21, "the number `21`"),
        (None, "missing"),
        (["21"], "a list of 1"),
        (object(), "missing"),
        ("", "is empty"),
        (" \n", "is empty"),
        ("a\ud800b", "lone surrogate at character 1"),
        pytest.param("x" * 10_000_000, "10000000 characters", id="long"),
    ],
)
def test_an_answer_that_is_no_sendable_text_is_rejected(
    answer: object, objection: str
) -> None:
    assert objection in objection_of(
        judge_scratchpad(valid_scratchpad(answer=answer)), 6
    )


@pytest.mark.parametrize(
    ("changes", "objection"),
    [
        ("none", "list at most 1000 paths"),
        ({"/desk/order.json": "write"}, "list at most 1000 paths"),
        ([{"path": 3, "action": "write"}], "names nothing"),
        ([""], "names nothing"),
        ([], "leaves out write of `/desk/order.json`, execute of `/bin/ship`"),
        (["/desk/order.json"], "leaves out execute of `/bin/ship`"),
        (
            [{"path": "/desk/order.json", "action": "delete"}, "ship"],
            "names `/desk/order.json`: the trace shows no such",
        ),
        (
            ["/desk/order.json", "/bin/ship", "/desk/other.json"],
            "names `/desk/other.json`: the trace shows no such",
        ),
        (["/desk/order.json", "/sbin/ship"], "names `/sbin/ship`"),
        (["order.json", "mail.send", "ship"], "names `mail.send`"),
        (["order.json", "ship", "execute"], "names `execute`"),
        (["order.json", "ship", "json"], "names `json`"),
    ],
)
def test_changes_must_tell_exactly_what_the_trace_shows(
    changes: object, objection: str
) -> None:
    assert objection in objection_of(
        judge_scratchpad(valid_scratchpad(changes=changes), calls_with_changes()), 6
    )


DECLARATIONS_OF_ODD: list[list[object]] = [
    ["/bin/odd"],
    ["odd"],
    [{"path": "/bin/odd", "action": "execute"}],
]
"""A run of `/bin/odd`, of which is not known whether it changes anything, as a change."""


@pytest.mark.parametrize("changes", [*DECLARATIONS_OF_ODD, []])
def test_a_run_of_a_tool_of_unknown_kind_may_be_declared_or_left_out(
    changes: list[object],
) -> None:
    calls = CallsOfTrial()
    calls.run("/bin/odd", "b-104")

    assert not objection_of(
        judge_scratchpad(valid_scratchpad(changes=changes), calls), 6
    )


@pytest.mark.parametrize("changes", DECLARATIONS_OF_ODD)
def test_a_failed_run_of_a_tool_of_unknown_kind_may_not_be_declared(
    changes: list[object],
) -> None:
    calls = CallsOfTrial()
    calls.run("/bin/odd", "b-104", exit_code=1)

    assert objection_of(judge_scratchpad(valid_scratchpad(changes=changes), calls), 6)


def test_a_failed_run_of_a_tool_of_unknown_kind_may_be_left_out() -> None:
    calls = CallsOfTrial()
    calls.run("/bin/odd", "b-104", exit_code=1)

    assert not objection_of(judge_scratchpad(valid_scratchpad(changes=[]), calls), 6)


def test_a_prefix_is_free_for_a_tool_but_not_for_a_hidden_file() -> None:
    calls = CallsOfTrial()
    calls.run("/bin/ship", "b-104")
    calls.write("/desk/.json")

    # `tools.ship` is `ship` with a prefix, but `7.json` is not `.json` with one.
    objection = objection_of(
        judge_scratchpad(
            valid_scratchpad(changes=["tools.ship", "/desk/.json"]), calls
        ),
        6,
    )
    assert not objection
    objection = objection_of(
        judge_scratchpad(valid_scratchpad(changes=["tools.ship", "7.json"]), calls), 6
    )
    assert "names `7.json`" in objection


def test_many_changes_are_compared_in_time() -> None:
    """A trial wrote 3,000 files and declares 1,000. The objection names 4 of the others."""
    calls = CallsOfTrial()
    for number in range(3_000):
        calls.write(f"/desk/{number}.json")
    declared = [f"{number}.json" for number in range(1_000)]

    started = time.perf_counter()
    objection = objection_of(
        judge_scratchpad(valid_scratchpad(changes=declared), calls), 6
    )

    assert "and 1996 more" in objection
    assert time.perf_counter() - started < 3


@pytest.mark.parametrize(
    ("outcome", "answer", "instruction", "objection"),
    [
        (
            "OUTCOME_OK",
            "OUTCOME_NONE_UNSUPPORTED",
            "Which book?",
            "names an outcome class",
        ),
        (
            "OUTCOME_NONE_CLARIFICATION",
            "OUTCOME_OK",
            "Which book?",
            "names an outcome class",
        ),
        ("OUTCOME_DENIED_SECURITY", "OUTCOME_DENIED_SECURITY", "Which book?", ""),
        ("OUTCOME_OK", "It is OUTCOME_OK.", "Say whether OUTCOME_OK is a class.", ""),
        ("OUTCOME_NONE_CLARIFICATION", "b-104", "Which book?", "asks nothing"),
        ("OUTCOME_NONE_CLARIFICATION", "b-104 or b-105?", "Which book?", ""),
        ("OUTCOME_NONE_CLARIFICATION", "Which?", "Lend me the book.", ""),
        (
            "OUTCOME_NONE_CLARIFICATION",
            "您要借b-104还是b-105？",
            "Lend me the book.",
            "",
        ),
        (
            "OUTCOME_NONE_CLARIFICATION",
            "请说明是哪一本书：b-104，b-105。",
            "Lend me the book.",
            "",
        ),
        ("OUTCOME_NONE_UNSUPPORTED", "b-104", "Which book?", ""),
    ],
)
def test_the_answers_own_words_fit_the_outcome(
    outcome: str, answer: str, instruction: str, objection: str
) -> None:
    """An empty `objection` stands for an answer that passes."""
    submission = valid_scratchpad(outcome=outcome, answer=answer)

    actual_objection = objection_of(
        judge_scratchpad(submission, instruction=instruction), "6/wording"
    )

    assert objection in actual_objection
    assert bool(actual_objection) == bool(objection)


GIVES_UP = valid_scratchpad(
    outcome="OUTCOME_ERR_INTERNAL", answer="the desk does not respond"
)


def calls_with_outage() -> CallsOfTrial:
    """Return the calls of a trial in which the environment failed."""
    calls = CallsOfTrial()
    calls.fail("read", "/desk/order.json")
    return calls


def test_giving_up_after_a_failed_call_is_objected_to_once() -> None:
    calls = calls_with_outage()

    first = judge_scratchpad(GIVES_UP, calls)
    second = judge_scratchpad(GIVES_UP, calls, internal_errors_before=1)

    assert "for failed tooling alone" in objection_of(first, "6/internal-error")
    assert not objection_of(second, "6/internal-error")


def test_giving_up_while_no_call_has_failed_is_always_objected_to() -> None:
    calls = CallsOfTrial()
    calls.fail("read", "/nowhere.md", "not_found")  # a wrong call, and no outage

    fourth = judge_scratchpad(GIVES_UP, calls, internal_errors_before=3)

    objection = objection_of(fourth, "6/internal-error")
    assert "No call of the environment has failed" in objection


def test_the_rule_on_giving_up_does_not_apply_to_another_outcome() -> None:
    judgement = judge_scratchpad(
        valid_scratchpad(outcome="OUTCOME_OK"), calls_with_outage()
    )

    assert verdict_of(judgement, "6/internal-error").result == "not_applicable"


# Gate 8
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "tokens", "objection"),
    [
        ("b-104", ["b-104"], ""),
        ("b-104", "b-104", ""),
        ("the book (b-104).", ["b-104", "book"], ""),
        ("ja", [["ja", "nein"]], ""),
        ("<YES>", [["<YES>", "<NO>"]], ""),
        ("unavailable", [["available", "unavailable"]], ""),
        ("not available", [["available", "not available"]], ""),
        ("TRUE(1)", [["TRUE(1)", "FALSE(0)"]], ""),
        ("21 Tage", ["21"], ""),
        ("küste", [], ""),
        ("ja ja", [["ja", "nein"]], ""),
        ("b-1045", ["b-104"], "`b-104` is not in the answer"),
        ("xb-104", ["b-104"], "`b-104` is not in the answer"),
        ("unavailable", ["available"], "`available` is not in the answer"),
        ("naja", ["ja"], "`ja` is not in the answer"),
        ("jaé", ["ja"], "`ja` is not in the answer"),
        ("ja", ["ja", "nein"], "list inside the list"),
        ("ja oder nein", [["ja", "nein"]], "holds 2 of the alternatives"),
        ("vielleicht", [["ja", "nein"]], "holds none of the alternatives"),
        ("available or unavailable", [["available", "unavailable"]], "holds 2"),
        ("x", {"a": 1}, "a mapping of 1"),
        ("x", [3], "the number `3`"),
        ("x", [[]], "a list of 0"),
        ("x", [["a", 3]], "a list of 2"),
        ("x", [""], "holds ``"),
        ("x", [["", "x"]], "a list of 2"),
        ("x", ["x"] * 101, "declares 101 strings"),
        ("x", [["x"] * 51] * 2, "declares 102 strings"),
    ],
)
def test_answers_hold_what_they_declare(
    answer: str, tokens: object, objection: str
) -> None:
    """`tokens` are strings of the answer; a list in the list has alternatives.

    An empty `objection` stands for a submission that passes.
    """
    actual_objection = objection_of(
        judge_scratchpad(valid_scratchpad(answer=answer, tokens=tokens)), 8
    )

    assert objection in actual_objection
    assert bool(actual_objection) == bool(objection)


@pytest.mark.parametrize(
    ("instruction", "answer", "is_missing"),
    [
        ("How many? Answer as <COUNT:%d>.", "<COUNT:3>", False),
        ("How many? Answer as <COUNT:%d>.", "There are <COUNT:3> of them.", False),
        ("How many? Answer as <COUNT:%d>.", "3", True),
        ("How many? Answer as <COUNT:%d>.", "<COUNT:three>", True),
        ("Wie viele? Antworte als [ANZAHL: %d].", "[ANZAHL: 3]", False),
        ("Wie viele? Antworte als [ANZAHL: %d].", "3", True),
        ("Combien ? <NOMBRE:%d>", "<NOMBRE:3>", False),
        ("Answer <A:%d> or <B:%s>.", "<B:none>", False),
        ('They said "answer with <COUNT:%d> and so on". How many?', "3", False),
        ("How many?\n> Answer as <COUNT:%d>.\n", "3", False),
        ("How many?\n```\nAnswer as <COUNT:%d>.\n```", "3", False),
        ("How many? Answer as %d.", "three", False),
        ("How many? Answer as <COUNT:n>.", "3", False),
    ],
)
def test_a_placeholder_in_brackets_is_filled_in_by_an_ok_alone(
    instruction: str, answer: str, is_missing: bool
) -> None:
    ok = valid_scratchpad(answer=answer, outcome="OUTCOME_OK")
    objection = objection_of(judge_scratchpad(ok, instruction=instruction), 8)
    assert ("fill the placeholder in" in objection) == is_missing

    unsupported = valid_scratchpad(answer=answer, outcome="OUTCOME_NONE_UNSUPPORTED")
    judgement = judge_scratchpad(unsupported, instruction=instruction)
    assert verdict_of(judgement, 8).result == "not_applicable"


def test_many_places_of_alternatives_within_each_other_take_bounded_time() -> None:
    """The alternatives are `+`, `++` and so on, so that each is in all longer ones."""
    alternatives = ["+" * size for size in range(1, 41)]
    answer = " ".join(word for word in alternatives for _ in range(1_000))

    started = time.process_time()
    judgement = judge_scratchpad(valid_scratchpad(answer=answer, tokens=[alternatives]))

    assert time.process_time() - started < 2
    assert "holds 40 of the alternatives" in objection_of(judgement, 8)


def results_in(answer: str) -> list[ShownResult]:
    """Return the calculations that an answer spells out with their results."""
    return list(shown_results(answer, answer_values(answer)))


@pytest.mark.parametrize(
    ("answer", "is_right"),
    [
        ("4 × 1.240,00 EUR = 4.960,00 EUR", True),
        ("12 + 7 + 4 = 23", True),
        ("12 + 7 + 4 = 24", False),
        ("$5 + $6 = $11", True),
        ("10 / 3 = 3.33", True),
        ("10 / 3 = 3.34", False),
        ("About 5.3 %: (13.1 − 2.8) × 0.516 = 5.31.", True),
        ("(13.1 − 2.8) × 0.516 = 5.41", False),
        ("1,240 × 5 % = 62", True),
        ("1,500 - 500 = 1,000", True),
        ("801.5 of 5,204.3 MWh, i.e. 15.4 % of all", True),
        ("801.5 of 5,204.3 MWh, i.e. 18.2 % of all", False),
        ("12 of 80 (15 %)", True),
        ("12 of 80 (16 %)", False),
        ("T03: from 98.8 % to 90.4 %, a loss of 8.4 points", True),
        ("T03: from 98.8 % to 90.4 %, a loss of 9.4 points", False),
        ("from 200 to 150 EUR, a drop of 25 %", True),
        ("from 200 to 250, an increase of 25 %", True),
        ("EUR 77.56 (72.50 / 0.9347 = 77.56)", True),
        ("EUR 67.77 (72.50 / 0.9347 = 67.77)", False),
        ("Coût de 6,40 € : 3 + 5 = 8 pages", True),
    ],
)
def test_what_is_spelled_out_is_done_again(answer: str, is_right: bool) -> None:
    first_result = results_in(answer)[0]
    assert first_result.is_right == is_right

    submission = Submission(answer=answer, outcome="OUTCOME_OK")
    judgement = judge(submission, Evidence(), Case("How much?"))
    objection = objection_of(judgement, "6/arithmetic")
    assert (objection == "") == is_right


@pytest.mark.parametrize(
    "answer",
    [
        "2x + 3 = 11",
        "3 × 20 min = 1 h",
        "x=3, y=4",
        "a: 3 = 4",
        "2026-04-18 - 14 = 04",
        "pages 3-5 = part 2",
        "1 / 0 = 7",
        "12 of 80 kg and 15 % of the rest",
        "from 3 to 5, then 9",
        "```\n1 + 1 = 3\n```",
        "+" * 5_000 + "=" * 5_000,
        "1+" * 3_000 + "1 = 4",
        "(" * 3_000 + "1 + 1" + ")" * 3_000 + " = 5",
    ],
)
def test_what_is_no_arithmetic_is_left_alone(answer: str) -> None:
    assert results_in(answer) == []
