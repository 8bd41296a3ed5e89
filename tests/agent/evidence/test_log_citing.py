"""Which files an answer may cite, and which texts of them count as evidence.

A file is evidence of what a call has shown of it. Words of the script itself are none, in an
argument, an option, a filter, standard input or a file that the script may have written. A file is
cited by its own path, and is not taken for one with a similar name. A quotation differs from the
text in blanks and case at most, and rows and lines of searches can be cited as well.
"""

from __future__ import annotations

import random

import pytest

from controlplane.agent.events import Citation
from controlplane.agent.evidence import EvidenceLog
from controlplane.agent.evidence.citations import CitedPlace
from controlplane.agent.evidence.paths import TEXT_OVERHEAD_BYTES
from controlplane.gates.trial import SeenText
from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Parameter,
    ResultField,
    ToolSchema,
    bounds,
)
from tests.agent.evidence.citing_trial import CitingTrial
from tests.gates.judged_scratchpads import (
    TOOL_SCHEMA,
    CallsOfTrial,
    judge_scratchpad,
    valid_scratchpad,
    verdict_of,
)
from tests.support.ended_calls import add_call

# Random calls of a trial on paths that could be taken for one another, by their case or accents.
#
# `make_random_call(calls, random.Random(4))` reads "/a/X", say, or lists "/A/x".

CONFUSABLE_PATHS = [
    "/a/x",
    "/a/X",
    "/A/x",
    "/x",
    "/b/x",
    "/b/y#1",  # a file of this name, or part 1 of the file /b/y
    "/b/y",
    "/a",
    "/c/é",
    "/c/e\u0301",  # the same letter as an e with an accent
]


def make_random_call(calls: CallsOfTrial, chance: random.Random) -> None:
    """List a folder, read a file, write or delete one.

    In "read elsewhere", the environment says that it has read a file at another path.
    """
    path = chance.choice(CONFUSABLE_PATHS)
    other_path = chance.choice(CONFUSABLE_PATHS)
    match chance.choice(("list", "read", "read elsewhere", "write", "delete")):
        case "list":
            is_folder = chance.random() < 0.2
            is_truncated = chance.random() < 0.5
            entry = {"name": "n", "path": other_path, "is_dir": is_folder}
            result = {"entries": [entry], "truncated": is_truncated}
            calls.record("list", {"path": path}, result)
        case "read":
            calls.read_text(path, "ten words")
        case "read elsewhere":
            result = {"path": other_path, "content": "ten words", "truncated": False}
            calls.record("read", {"path": path}, result)
        case "write":
            calls.write(path, "c")
        case "delete":
            calls.delete(path)


# The calls of a trial with one search, which found places in the file `/docs/Loans.md`.
#
#     calls = calls_with_lines({4: "The archive is opened", 5: "by the night porter alone."})
#     calls.cite("/docs/Loans.md", "who opens it", quotation="is opened by the night porter")
#
# A *match* is a place that a search has found, with its `line` and its `text`.


def calls_with_lines(lines: dict[int, str]) -> CallsOfTrial:
    """Return the calls of a trial whose search found these lines, in this order."""
    matches = [{"line": number, "text": text} for number, text in lines.items()]
    return calls_with_matches(*matches)


def calls_with_matches(*matches: dict[str, object]) -> CallsOfTrial:
    """Return the calls of a trial whose search returned these matches.

    If the text of a match begins with lines before the found one, `first` is the line where it
    begins: `{"line": 7, "first": 6, "text": "line 6\\nline 7"}`.
    """
    found = [{"path": "/docs/Loans.md", **match} for match in matches]
    calls = CallsOfTrial()
    calls.record("search", {"pattern": "e", "root": "/"}, {"matches": found})
    return calls


# A program reads only those of its arguments that are declared to be files.
#
# `/bin/pick FILTER FILE...` and `/bin/stock FILE ID...` do not read a file whose path is passed as the
# filter or the id, so it cannot be cited for what they print.


def test_a_path_as_the_filter_does_not_make_a_file_citable() -> None:
    """The first argument of `/bin/pick FILTER FILE` is a filter. Without a file, it is applied
    to standard input, and nothing is read."""
    trial = CitingTrial()
    trial.run(
        "/bin/pick", "/docs/Secret.md", stdin="{}", stdout="the vault opens at noon"
    )

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_a_path_that_is_looked_up_in_a_file_is_not_citable() -> None:
    """`/bin/stock FILE ID` reads the first file only. The script passes the path as the id,
    which is looked up in that file, and printed."""
    trial = CitingTrial()
    trial.run(
        "/bin/stock",
        "/shelves/store.json",
        "/docs/Secret.md",
        stdout="/docs/Secret.md\t0\n",
    )

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_a_relative_path_does_not_make_the_absolute_one_citable() -> None:
    """Nobody knows in which folder the program runs, so `docs/Secret.md` may be any file."""
    trial = CitingTrial()
    trial.run("/bin/show", "docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


# A filter of jq may print a text of its own though it looks as if it only picked values.
#
# `/bin/pick FILTER FILE` runs jq. Its output is evidence of the file if the filter only picks:
#
#     .opens         prints a field of the file: evidence
#     "the vault"    prints this text for every file: no evidence
#
# A *condition*, `select("text")`, passes on what it gets. Here, the texts in two conditions have brackets.
# If jq's quotation marks are overlooked, what stands between the conditions seems to be within these
# brackets, but jq prints it.


@pytest.mark.parametrize(
    ("filter_parts", "stdout"),
    [
        pytest.param(
            ['select(")")', '|"the vault opens at noon"|', 'select("(")'],
            '"the vault opens at noon"\n',
            id="text, as if within the condition `select(...)`",
        ),
        pytest.param(
            [
                'select(")|.[")',
                ",({vault:1,opens:1,noon:1}|keys),",
                'select("]|select(")',
            ],
            '{}\n["noon","opens","vault"]\n{}\n',
            id="keys of a mapping, as if within the name of a field `.[...]`",
        ),
        pytest.param(
            ['select(")', ' | "the vault opens at noon" | ', 'select("'],
            '"the vault opens at noon"\n',
            id="text, and jq would refuse the filter as it is not closed",
        ),
    ],
)
def test_the_output_of_a_filter_with_a_text_of_its_own_is_no_evidence(
    filter_parts: list[str], stdout: str
) -> None:
    filter_text = "".join(filter_parts)
    trial = CitingTrial()
    trial.run("/bin/pick", filter_text, "/docs/Secret.md", stdout=stdout)

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


# Output in which a script's own words stand beside those of a file is no evidence of the file.
#
# The output does not say which word is from where, so all of it may be the script's own:
#
#     /bin/show FILE...           prints files, and standard input (`-`)
#     /bin/pick FILTER FILE...    runs jq on them; the filter `.` prints all


def test_output_of_jq_for_standard_input_and_a_file_is_no_evidence() -> None:
    trial = CitingTrial()
    trial.run(
        "/bin/pick",
        ".",
        "-",
        "/docs/Secret.md",
        stdin='"the vault opens at noon"',
        stdout=(
            '"the vault opens at noon"\n'  # from standard input
            '"The archive opens at seven."\n'  # from the file
        ),
    )

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("/docs/Secret.md",), id="stdin that no argument asks for"),
        pytest.param(("-", "/docs/Secret.md"), id="stdin before the file"),
    ],
)
def test_output_with_standard_input_in_it_is_no_evidence(
    arguments: tuple[str, ...],
) -> None:
    trial = CitingTrial()
    trial.run(
        "/bin/show",
        *arguments,
        stdin="the vault opens at noon.",
        stdout=(
            "the vault opens at noon."  # from standard input
            "The archive opens at seven."  # from the file
        ),
    )

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_output_with_a_file_of_the_script_in_it_is_no_evidence() -> None:
    trial = CitingTrial()
    trial.write("/tmp/own", "the vault opens at noon.")
    trial.run(
        "/bin/show",
        "/tmp/own",
        "/docs/Secret.md",
        stdout=(
            "the vault opens at noon."  # from /tmp/own
            "The archive opens at seven."  # from /docs/Secret.md
        ),
    )

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


# An option may make a program print something else than the file that it is given.
#
# It is declared which options a program has: `/bin/show [-n] FILE...`. With another one, what the
# program prints is no evidence of the file, which cannot be cited for it.


def test_output_with_a_declared_option_is_evidence() -> None:
    trial = CitingTrial()
    trial.run("/bin/show", "-n", "/docs/Secret.md", stdout="the vault opens at noon")

    assert trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_output_with_an_undeclared_option_is_no_evidence() -> None:
    trial = CitingTrial()
    trial.run(
        "/bin/show",
        "--version",
        "/docs/Secret.md",
        stdout="the vault opens at noon",
    )

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_output_with_an_option_that_takes_a_text_is_no_evidence() -> None:
    """jq's option `--arg x TEXT` defines a variable, which the filter `$x` prints."""
    trial = CitingTrial()
    trial.run(
        "/bin/pick",
        "--arg",
        "x",
        "the vault opens at noon",
        "$x",
        "/docs/Secret.md",
        stdout='"the vault opens at noon"\n',
    )

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


# A filter of jq that only picks values of a file makes what it prints evidence of the file.
#
# `/bin/pick FILTER FILE` prints what the filter picks. `trial.run(...)` is such a call, with its output
# as `stdout`; then the script may cite the file for these words.


@pytest.mark.parametrize("filter_text", [".opens", "select(.opens)", ".[0].opens"])
def test_what_a_filter_has_picked_is_evidence(filter_text: str) -> None:
    trial = CitingTrial()
    trial.run(
        "/bin/pick",
        filter_text,
        "/docs/Secret.md",
        stdout='"the vault opens at noon"\n',
    )

    assert trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


# A filter of jq that can print a text of its own makes what it prints no evidence of the file.
#
# `/bin/pick '"the vault opens at noon"' /docs/Secret.md` prints this text, whatever is in the file. The
# script must not be able to cite the file for such words.


def test_the_output_of_a_filter_that_is_a_text_is_no_evidence() -> None:
    trial = CitingTrial()
    trial.run(
        "/bin/pick",
        '"the vault opens at noon"',
        "/docs/Secret.md",
        stdout='"the vault opens at noon"\n',
    )

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_the_output_of_a_filter_that_computes_a_number_is_no_evidence() -> None:
    trial = CitingTrial()
    trial.run(
        "/bin/pick",
        "1442401|sqrt",  # the square root
        "/docs/Secret.md",
        stdout="1201\n",
    )

    assert not trial.can_cite("/docs/Secret.md", reason="1201 are there")


def test_the_output_of_a_filter_that_calls_another_function_is_no_evidence() -> None:
    """jq's function `debug` prints the text before it to standard error."""
    trial = CitingTrial()
    trial.run(
        "/bin/pick",
        'select("the vault opens at noon"|debug)',
        "/docs/Secret.md",
        stdout='{"opens": "seven"}',
        stderr='["DEBUG:","the vault opens at noon"]',
    )

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


# A program that is not declared to read files does not make a file citable whose path it gets.
#
# A script runs a program with the path `/docs/Secret.md`, and it prints "the vault opens at noon". Of
# these programs, none is declared to read files: `/bin/query`, `/bin/ship`, which changes something, and
# `/bin/nowhere`, of which nothing is declared.


def test_an_argument_of_a_query_does_not_make_a_file_citable() -> None:
    """`/bin/query` is declared to take no files as arguments, so its output is not from this
    file."""
    trial = CitingTrial()
    trial.run("/bin/query", "/docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_a_path_that_a_query_prints_does_not_make_a_file_citable() -> None:
    """The query selects the path and the words as constants, and reads no file."""
    trial = CitingTrial()
    query = "select '/docs/Secret.md', 'the vault opens at noon'"
    trial.run(
        "/bin/query",
        stdin=query,
        stdout="/docs/Secret.md,the vault opens at noon\n",
    )

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_an_undeclared_program_does_not_make_a_file_citable() -> None:
    """Nothing is declared of `/bin/nowhere`, so nobody knows what it does with its argument."""
    trial = CitingTrial()
    trial.run("/bin/nowhere", "/docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_a_changing_program_does_not_make_a_file_citable() -> None:
    """`/bin/ship` changes something. It is not declared to print files."""
    trial = CitingTrial()
    trial.run("/bin/ship", "/docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


# A tool repeats its argument as JSON, in which a line break is written as a backslash and an n.
#
#     the argument        the<line break>oon
#     in the result       {"said": "the\noon", "by": 4471}
#     a misread word      noon
#
# A script may cite the result because of what the tool has added, the number 4471. The misread word is
# no such reason, since it comes from the script's own argument.

SAY = Operation(
    name="notes.say",
    parameters=(Parameter("text", "str"),),
    fields=(ResultField("call_path"), ResultField("text")),
    summary="says a text",
    effect=Effect.RETURNS,
    subject="",
)
"""The tool, which changes nothing. Its result is cited by the path `call_path`."""


def trial_with_said_text() -> CitingTrial:
    """Return a trial that has called the tool, whose result can be cited as `/said/1`."""
    trial = CitingTrial(ToolSchema(operations=(SAY,)))
    arguments = {"text": "the\noon"}
    result = {"call_path": "/said/1", "text": r'{"said": "the\noon", "by": 4471}'}
    trial.call("notes.say", arguments, result)
    return trial


def test_a_word_misread_in_the_repeated_argument_is_not_a_reason() -> None:
    trial = trial_with_said_text()

    assert not trial.has_shown("/said/1", reason='"the vault opens at noon"')


def test_what_the_tool_adds_to_the_repeated_argument_is_a_reason() -> None:
    trial = trial_with_said_text()

    assert trial.has_shown("/said/1", reason="4471 said so")


# A tool that repeats its question in its reply: the words of the question prove nothing.
#
# `ask(page, question)` reads a page. "You asked whether the vault opens at noon. It opens at seven." can
# be cited for what the page adds, "it opens at seven", and not for the script's own words.

ASK = Operation(
    name="ask",
    parameters=(Parameter("page", "str"), Parameter("question", "str")),
    fields=(ResultField("reply"),),
    summary="what a page says to a question",
    effect=Effect.READS,
    subject="page",
)
"""`ask(page, question)` reads a page, and repeats the question in its reply."""


def trial_with_question() -> CitingTrial:
    """Return a trial that has asked the page `/faq` whether the vault opens at noon."""
    trial = CitingTrial(ToolSchema(operations=(ASK,)))
    trial.call(
        "ask",
        {"page": "/faq", "question": "the vault opens at noon"},
        {"reply": "You asked whether the vault opens at noon. It opens at seven."},
    )
    return trial


def test_a_question_that_a_reply_repeats_is_not_a_reason() -> None:
    trial = trial_with_question()

    assert not trial.has_shown("/faq", reason='"the vault opens at noon"')


def test_what_a_reply_adds_to_the_question_is_a_reason() -> None:
    trial = trial_with_question()

    assert trial.has_shown("/faq", reason='it "opens at seven"')


# Paths that can be cited: rows of a file, names with a hash sign, and what the script itself did.
#
# In a citation, `#` separates a row from its file, `/docs/Loans.md#row=1`, but a file's name may have
# one, too.


def test_a_row_of_a_read_file_is_citable() -> None:
    trial = CitingTrial()
    trial.read("/docs/Loans.md", "The archive opens at seven.")

    assert trial.can_cite("/docs/Loans.md#row=1", reason='it "opens at seven"')


def test_a_file_whose_name_has_a_hash_sign_is_citable() -> None:
    trial = CitingTrial()
    trial.read("/notes/a#b.txt", "The archive opens at seven.")

    assert trial.can_cite("/notes/a#b.txt", reason='it "opens at seven"')


def test_a_written_file_is_citable_as_written() -> None:
    trial = CitingTrial()
    trial.write("/tmp/x", "the vault opens at noon")

    assert trial.can_cite("/tmp/x", reason="written as asked")


def test_a_program_that_ran_is_citable_as_run() -> None:
    trial = CitingTrial()
    trial.run("/bin/query", "select 1", stdout="1")

    assert trial.can_cite("/bin/query", reason="the query that was run")


# A file can be cited for a value that a program picked from it.
#
# The programs read `{"opens": "seven", "rows": [{"id": "b-104", "copies": 17}]}`. What a script passes to
# a program may only choose a value: words of its arguments are not shown by the file.


def test_a_value_that_a_filter_picked_is_citable() -> None:
    """`/bin/pick FILTER FILE` prints what a jq filter picks."""
    trial = CitingTrial()
    trial.run("/bin/pick", ".opens", "/shelves/store.json", stdout='"seven"\n')

    assert trial.can_cite("/shelves/store.json", reason='it opens at "seven"')


def test_a_value_of_the_row_that_a_filter_chose_is_citable() -> None:
    """The filter has the id "b-104", but not the printed 17."""
    filter_text = '.rows[] | select(.id == "b-104") | .copies'
    trial = CitingTrial()
    trial.run("/bin/pick", filter_text, "/shelves/store.json", stdout="17\n")

    assert trial.can_cite("/shelves/store.json", reason="17 copies are there")


def test_the_id_in_a_filter_may_have_a_quotation_mark() -> None:
    filter_text = r'.rows[] | select(.id == "b\"104") | .copies'
    trial = CitingTrial()
    trial.run("/bin/pick", filter_text, "/shelves/store.json", stdout="17\n")

    assert trial.can_cite("/shelves/store.json", reason="17 copies are there")


def test_a_value_that_was_looked_up_by_an_id_is_citable() -> None:
    """`/bin/stock FILE ID` prints the id, and its number of copies."""
    trial = CitingTrial()
    trial.run("/bin/stock", "/shelves/store.json", "b-104", stdout="b-104\t17\n")

    assert trial.can_cite("/shelves/store.json", reason="17 of b-104")


# A file can be cited for a text that a call has shown of it.
#
# The file may be read, found by a search, or printed by a program that is declared to print files:
# `/bin/show /docs/Secret.md` prints "The archive opens at seven." -> the file can be cited for "it opens
# at seven".


def test_a_read_file_is_citable_for_what_it_says() -> None:
    trial = CitingTrial()
    trial.read("/docs/Secret.md", "The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason='it "opens at seven"')
    assert not trial.can_cite("/docs/Secret.md", reason='"the vault is empty"')


def test_a_file_that_a_program_printed_is_citable() -> None:
    trial = CitingTrial()
    trial.run("/bin/show", "/docs/Secret.md", stdout="The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason='it "opens at seven"')


def test_the_first_of_two_printed_files_is_citable() -> None:
    trial = CitingTrial()
    trial.run(
        "/bin/show",
        "/docs/Secret.md",
        "/docs/Loans.md",
        stdout="The archive opens at seven.A loan runs 21 days.",
    )

    assert trial.can_cite("/docs/Secret.md", reason='it "opens at seven"')


def test_a_line_that_a_search_showed_makes_its_file_citable() -> None:
    trial = CitingTrial()
    match = {"path": "/docs/Secret.md", "line": 1, "text": "It opens at seven."}
    trial.call("search", {"pattern": "opens", "root": "/"}, {"matches": [match]})

    assert trial.can_cite("/docs/Secret.md", reason='it "opens at seven"')


def test_an_empty_file_is_citable_for_being_empty() -> None:
    trial = CitingTrial()
    trial.read("/empty.txt", "")

    assert trial.can_cite("/empty.txt", reason="it holds no lines")


# A file that a script wrote or deleted is not taken for a file with a similar name.
#
# The script has written `/docs/Secret.md#row=7`, which is a file of this name and not a row, and cites
# `/docs/Secret.md`.


def test_writing_a_name_that_imitates_a_row_does_not_make_the_file_citable() -> None:
    """The written file is not row 7 of the cited file, but its name looks like it."""
    trial = CitingTrial()
    trial.write("/docs/Secret.md#row=7", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


@pytest.mark.parametrize(
    ("listed_path", "written_path"),
    [
        pytest.param("/docs/Secret.md", "/docs/Secret.md ", id="a blank at the end"),
        pytest.param("/docs/Secret.md", "/docs/secret.md", id="another case"),
        pytest.param("/docs/k.md", "/docs/\u212a.md", id="the Kelvin sign for a k"),
        pytest.param(
            "/docs/Secret.md",
            "/tmp/Secret.md",
            id="the same name in another folder",
        ),
    ],
)
def test_writing_a_similar_name_does_not_make_a_listed_file_citable(
    listed_path: str, written_path: str
) -> None:
    """A search has shown that the cited file exists. The script writes a file with another
    name, and must not be taken to have written the cited one."""
    trial = CitingTrial()
    trial.find(listed_path)
    trial.write(written_path, "the vault opens at noon")

    assert not trial.can_cite(listed_path, reason='"the vault opens at noon"')


def test_writing_a_name_with_an_invisible_sign_does_not_make_a_file_citable() -> None:
    """On a screen, the written path looks like the cited one: U+200B is a space without
    width."""
    trial = CitingTrial()
    trial.write("/docs/Sec\u200bret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_a_deleted_file_does_not_make_its_neighbour_citable() -> None:
    """The script deleted `/docs/Secret.md.bak`, and claims to have deleted
    `/docs/Secret.md`."""
    trial = CitingTrial()
    trial.delete("/docs/Secret.md.bak")

    assert not trial.can_cite("/docs/Secret.md", reason="deleted as asked")


# What a script may cite by its function `cite`, the gates accept, too, after any calls.
#
# A script cites files while a trial runs, and the gates check the citations when it submits its answer.
# If `cite("/A/x", reason)` cites the file by `/a/x`, the gates must know it by this path; and if they
# would refuse the path, `cite` must refuse it at once.


def citation_by_gates(calls: CallsOfTrial, path: str) -> str | None:
    """Return the spelling of a path by which the gates accept its citation; None if they refuse.

    They refuse a path that no call has accessed, and a folder.
    """
    cited_file = calls.evidence.find(path)
    if cited_file.access is None or cited_file.is_directory:
        return None
    return cited_file.citation


def citation_by_cite(calls: CallsOfTrial, path: str) -> str | None:
    """Return the spelling of a path by which `cite` cites it; None if it refuses the path."""
    try:
        return calls.cite(path, "a reason that is long enough").spelling
    except ValueError:
        return None


@pytest.mark.parametrize("seed", range(40))
def test_cite_and_the_gates_agree_on_every_path_after_any_calls(seed: int) -> None:
    """Both are asked about every path after each of 60 random calls."""
    calls = CallsOfTrial()
    chance = random.Random(seed)

    for _ in range(60):
        make_random_call(calls, chance)
        for path in CONFUSABLE_PATHS:
            assert citation_by_cite(calls, path) == citation_by_gates(calls, path)


# A quotation is evidence once its citation counts, and not because it was looked for.
#
# A trial that repeats its recorded steps checks its citations again. One that was refused when it was
# recorded stays refused, even if the file has the quotation today. Then it must not support an answer.

PATH = "/docs/Loans.md"
QUOTATION = "A loan runs 21 days."
REASON = "it has the days of a loan"


def log_of_read_file() -> EvidenceLog:
    """Return the evidence of a trial that has read the file with the quotation."""
    log = EvidenceLog(TOOL_SCHEMA)
    result = {"path": PATH, "content": QUOTATION}
    add_call(log, "read", {"path": PATH}, result, error=None)
    return log


def test_a_quotation_that_was_only_looked_for_is_not_evidence() -> None:
    log = log_of_read_file()

    place = log.citations.check(PATH, REASON, QUOTATION)

    assert place.line == 1
    assert log.view().quotations == {}


def test_the_quotation_of_a_citation_that_counts_is_evidence() -> None:
    log = log_of_read_file()
    accepted = Citation(
        path=PATH, reason=REASON, quote=QUOTATION, after_calls=1, spelling=PATH, line=1
    )

    log.add_citation(accepted)

    assert log.view().quotations == {PATH: (QUOTATION,)}


def test_the_quotation_of_a_refused_citation_is_not_evidence() -> None:
    log = log_of_read_file()
    refused = Citation(
        path=PATH, reason=REASON, quote=QUOTATION, after_calls=1, error="was not read"
    )

    log.add_citation(refused)

    assert log.view().quotations == {}


# A path in another case than in the listing is cited as it is listed.
#
# Models spell paths freely: `/DOCS/loans.md` for `/docs/Loans.md`.


def path_in_other_case_cited_path(calls: CallsOfTrial, path: str) -> str:
    """Return the path by which `cite` cites a file, with some reason."""
    return calls.cite(path, "a reason that is long enough").spelling


def test_a_path_in_another_case_than_listed_is_cited_as_listed() -> None:
    calls = CallsOfTrial()
    calls.list_folder("/docs", "/docs/Loans.md")
    calls.read("/DOCS/loans.md")

    assert path_in_other_case_cited_path(calls, "/DOCS/loans.md") == "/docs/Loans.md"
    assert path_in_other_case_cited_path(calls, "/docs/Loans.md") == "/docs/Loans.md"


def test_a_part_of_a_file_is_cited_by_the_listed_path_of_the_file() -> None:
    """`#2` stands for part 2 of the file."""
    calls = CallsOfTrial()
    calls.list_folder("/docs", "/docs/Loans.md")
    calls.read("/DOCS/loans.md")

    assert (
        path_in_other_case_cited_path(calls, "/DOCS/loans.md#2") == "/docs/Loans.md#2"
    )


def test_a_note_tells_the_model_the_listed_path() -> None:
    calls = CallsOfTrial()
    calls.list_folder("/docs", "/docs/Loans.md")

    (note,) = calls.read("/DOCS/loans.md")

    assert note == "`/DOCS/loans.md` is `/docs/Loans.md`: cite it by that path."


def test_a_path_is_cited_as_listed_even_if_it_is_listed_later() -> None:
    """When the script reads the file, the right spelling is not known yet, so there is no
    note."""
    calls = CallsOfTrial()

    notes = calls.read("/DOCS/loans.md")
    calls.list_folder("/docs", "/docs/Loans.md")

    assert notes == ()
    assert path_in_other_case_cited_path(calls, "/DOCS/loans.md") == "/docs/Loans.md"
    assert (
        path_in_other_case_cited_path(calls, "/DOCS/loans.md#2") == "/docs/Loans.md#2"
    )


# A file that was read is not taken for another file, whose path is similar.
#
# In a citation, `#` separates a row from its file, but a file's name may have one, too: `/docs/Loans.md#1`
# may be row 1 of `/docs/Loans.md`, or another file.


def test_a_file_whose_name_imitates_a_row_does_not_stand_for_the_file() -> None:
    """Here `/docs/Secret.md#row=7` is a file. Reading it shows nothing of `/docs/Secret.md`."""
    trial = CitingTrial()
    trial.read("/docs/Secret.md#row=7", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_a_listed_file_whose_name_imitates_a_row_must_be_read_itself() -> None:
    """The listing shows that `/docs/Loans.md#1` is a file, and not row 1 of `/docs/Loans.md`.
    Only the latter was read."""
    trial = CitingTrial()
    trial.list("/docs", "/docs/Loans.md", "/docs/Loans.md#1")
    trial.read("/docs/Loans.md", "The archive opens at seven.")

    assert not trial.can_cite("/docs/Loans.md#1", reason='it "opens at seven"')


def test_a_path_with_dots_does_not_stand_for_another_file() -> None:
    """`/docs/../docs/Secret.md` is `/docs/Secret.md`, which was not read. Another file was."""
    trial = CitingTrial()
    trial.read("/docs/Loans.md", "The archive opens at seven.")

    path_with_dots = "/docs/../docs/Secret.md"
    assert not trial.can_cite(path_with_dots, reason='it "opens at seven"')
    assert not trial.can_cite(path_with_dots, reason='"the vault opens at noon"')


# A citation needs a file that was read, and a reason that says something.
#
# A script cites a file by `cite(path, reason)`: `cite("/docs/Loans.md", "rules")` is refused with a
# `ValueError`, since the reason is too short.


def test_citing_an_unread_path_names_the_nearest_one_that_was_read() -> None:
    """The script has read `/docs/Loans.md` and another file, and cites `/docs/loan.md`."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md", "/shelves/north side/b-104.json")

    with pytest.raises(
        ValueError, match=r"`/docs/loan\.md` was not read .*`/docs/Loans\.md`"
    ):
        calls.cite("/docs/loan.md", "a reason that is long enough")


def test_citing_with_a_short_reason_is_refused() -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")

    with pytest.raises(ValueError, match="under 8 characters"):
        calls.cite("/docs/Loans.md", "rules")


def test_citing_a_folder_is_refused() -> None:
    """A folder says nothing that an answer could rest on. The listing shows that `/docs` is
    one."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    calls.list_folder("/docs", "/docs/Loans.md")

    with pytest.raises(ValueError, match="is a folder"):
        calls.cite("/docs/", "a reason that is long enough")


# A number that a query has computed can be a reason for a citation, and not a quotation.
#
# `harness.table("/t.csv")` returns rows of a file, or what a query computes from them. The log gets both as
# a `read` of the file, with the `columns` of the result, and with the `lines` of the file that its rows
# are. A computed result has no such lines: here 1261, a number of rows.


@pytest.fixture
def calls_with_query() -> CallsOfTrial:
    """Return the calls of a trial whose query counted rows of `/t.csv`. The count, `n`, is 1261."""
    calls = CallsOfTrial()
    query_result = {"content": "n\n1261\n", "columns": ["n"], "lines": []}
    calls.record("read", {"path": "/t.csv"}, query_result)
    return calls


REASON_GATE = 5
"""The gate that rejects a citation if no call has shown what its reason names."""


def test_the_result_of_a_query_justifies_a_citation_of_its_table(
    calls_with_query: CallsOfTrial,
) -> None:
    scratchpad = valid_scratchpad(refs_why={"/t.csv": "1261 rows lack a time"})

    judgement = judge_scratchpad(scratchpad, calls_with_query)

    assert verdict_of(judgement, REASON_GATE).result == "pass"


def test_another_number_than_the_result_does_not_justify_a_citation(
    calls_with_query: CallsOfTrial,
) -> None:
    """The query has counted 1261 rows."""
    scratchpad = valid_scratchpad(refs_why={"/t.csv": "1262 rows lack a time"})

    judgement = judge_scratchpad(scratchpad, calls_with_query)

    assert verdict_of(judgement, REASON_GATE).result == "reject"


def test_the_result_of_a_query_cannot_be_quoted(calls_with_query: CallsOfTrial) -> None:
    """The query has computed 1261. A quotation must be in the file itself."""
    with pytest.raises(ValueError, match="was written or computed by a script"):
        calls_with_query.cite("/t.csv", "how many rows lack a time", "1261")


# A path that lacks a folder is cited by the only listed path with its name.
#
# The book is at `/shelves/north side/b-104.json`, and the model reads `/shelves/b-104.json`. Some
# environments find the file nevertheless. A note tells the model the whole path, as soon as both the
# short path was read and the whole one was listed.


def cited_path(calls: CallsOfTrial, path: str) -> str:
    """Return the path by which `cite` cites a file, with some reason."""
    return calls.cite(path, "a reason that is long enough").spelling


def test_a_short_path_is_noted_when_it_is_read_after_the_listings() -> None:
    """`/shelves` has no `b-104.json`. The only listed file of this name is in `north side`."""
    calls = CallsOfTrial()
    calls.list_folder("/shelves", folders=("/shelves/north side",))
    calls.list_folder("/shelves/north side", "/shelves/north side/b-104.json")

    notes = calls.read("/shelves/b-104.json")

    assert notes == (
        "`/shelves/b-104.json` is `/shelves/north side/b-104.json`: cite it by that path.",
    )
    cited = cited_path(calls, "/shelves/b-104.json")
    assert cited == "/shelves/north side/b-104.json"


def test_a_short_path_is_noted_when_the_listings_come_later() -> None:
    """The note comes with the listing that shows the book."""
    calls = CallsOfTrial()
    assert calls.read("/shelves/b-104.json") == ()
    calls.list_folder("/shelves", folders=("/shelves/north side",))

    notes = calls.list_folder("/shelves/north side", "/shelves/north side/b-104.json")

    assert notes == (
        "`/shelves/b-104.json` is `/shelves/north side/b-104.json`: cite it by that path.",
    )
    cited = cited_path(calls, "/shelves/b-104.json")
    assert cited == "/shelves/north side/b-104.json"


def test_a_program_that_changes_something_does_not_affect_a_short_path() -> None:
    """`/bin/ship` may have moved the file. But until a call shows another path, the log cites
    the file by the listed one."""
    calls = CallsOfTrial()
    calls.list_folder("/shelves", folders=("/shelves/north side",))
    calls.list_folder("/shelves/north side", "/shelves/north side/b-104.json")
    calls.read("/shelves/b-104.json")

    calls.run("/bin/ship", "b-104")

    cited = cited_path(calls, "/shelves/b-104.json")
    assert cited == "/shelves/north side/b-104.json"


# A quotation may differ from the text of the cited file in blanks and case, and in nothing else.
#
# A script cites a file with a quotation: `cite("/docs/Loans.md", reason, "opened by the porter")`. It is
# looked for in the texts that calls have shown of this file. Here the file says "Fee 12 34 a", "Total 5"
# and "6 b", in three lines.


def test_a_quotation_may_differ_in_blanks_and_case() -> None:
    """Models seldom copy blanks exactly."""
    calls = CallsOfTrial()
    calls.read_text("/docs/Loans.md", "Fee 12 34 a\nTotal 5\n6 b")

    cited_place = calls.cite("/docs/Loans.md", "what the fee is", "12  34A")

    assert cited_place == CitedPlace("/docs/Loans.md", line=1)


@pytest.mark.parametrize(
    "quotation",
    [
        pytest.param("1234", id="12 and 34, with a blank between"),
        pytest.param("56 b", id="5 and 6, with a line break between"),
    ],
)
def test_two_numbers_are_not_quoted_as_one(quotation: str) -> None:
    """Blanks and line breaks don't count, except between two digits."""
    calls = CallsOfTrial()
    calls.read_text("/docs/Loans.md", "Fee 12 34 a\nTotal 5\n6 b")

    with pytest.raises(ValueError, match="is not in what was read"):
        calls.cite("/docs/Loans.md", "what the fee is", quotation)


# A search may find equal lines. Each keeps its number, and they take the room of one text.
#
# The room is that of the evidence log, which keeps all texts that calls have shown, up to a limit. A text
# takes its length and `TEXT_OVERHEAD_BYTES`.


def test_equal_lines_of_two_files_keep_their_own_numbers() -> None:
    """Both files have a line `fee: 70`, which is line 3 of the one, and line 9 of the other."""
    calls = CallsOfTrial()
    matches = [
        {"path": "/docs/a.md", "line": 3, "text": "fee: 70"},
        {"path": "/docs/b.md", "line": 9, "text": "fee: 70"},
    ]
    calls.record("search", {"path": "/", "pattern": "fee"}, {"matches": matches})

    (first,) = calls.access_to("/docs/a.md").seen
    (second,) = calls.access_to("/docs/b.md").seen
    assert first.lines == (3,)
    assert second.lines == (9,)


def test_equal_lines_of_a_file_take_no_room_from_other_texts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """There is room for one line of the log, and for the file that is read after the search. A
    second line of the log would leave too little."""
    line_of_log = len("state: open") + TEXT_OVERHEAD_BYTES
    file_read_later = len("fee: 70") + TEXT_OVERHEAD_BYTES
    monkeypatch.setattr(bounds, "MOST_EVIDENCE_BYTES", line_of_log + file_read_later)
    calls = CallsOfTrial()
    matches = [
        {"path": "/log.txt", "line": 3, "text": "state: open"},
        {"path": "/log.txt", "line": 9, "text": "state: open"},
    ]
    calls.record("search", {"path": "/", "pattern": "open"}, {"matches": matches})
    calls.read_text("/docs/a.md", "fee: 70")

    (seen,) = calls.access_to("/docs/a.md").seen
    assert seen.text == "fee: 70"


# A search shows texts of several lines. Adjacent ones are put together.
#
# A *match* is a place that the search has found. Its text begins at `line`, or, if lines before the place
# are shown as well, at `first`:
#
#     {"line": 7, "first": 6, "text": "line 6\nline 7"}


def seen_texts(calls: CallsOfTrial) -> tuple[SeenText, ...]:
    """Return the texts that the trial has seen in the file."""
    return calls.access_to("/docs/Loans.md").seen


def test_a_match_with_context_begins_at_the_first_line_of_context() -> None:
    """The search found line 7, and shows lines 5 and 6 before it."""
    calls = calls_with_matches(
        {"line": 7, "first": 5, "text": "The archive\nis opened\nby the night porter"}
    )

    (seen,) = seen_texts(calls)
    (first_line,) = seen.lines
    assert first_line == 5


def test_a_match_without_context_begins_at_its_line() -> None:
    """The search found a text that goes over three lines and begins at line 7."""
    calls = calls_with_matches(
        {"line": 7, "text": "The archive\nis opened\nby the night porter"}
    )

    (seen,) = seen_texts(calls)
    (first_line,) = seen.lines
    assert first_line == 7


def test_matches_are_one_text_if_the_second_begins_in_the_next_line() -> None:
    """The first match shows lines 5 and 6, and the second one line 7. A sentence may go over all three."""
    calls = calls_with_matches(
        {"line": 5, "first": 5, "text": "The archive\nis opened"},
        {"line": 7, "first": 7, "text": "by the night porter"},
    )

    assert len(seen_texts(calls)) == 1


def test_matches_are_two_texts_if_the_second_begins_within_the_first() -> None:
    """The first match shows lines 5 and 6, and the second one begins at line 6 with another
    text. They do not fit together."""
    calls = calls_with_matches(
        {"line": 5, "first": 5, "text": "The archive\nis opened"},
        {"line": 7, "first": 6, "text": "by the night porter"},
    )

    assert len(seen_texts(calls)) == 2


# A sentence that goes over two lines of a file can be quoted if a search has shown both lines.
#
# A search shows single lines. They must be adjacent in the file: lines 4 and 5, "The archive is opened"
# and "by the night porter alone.", -> the quotation "is opened by the night porter". Lines 4 and 9 must
# not be joined to a sentence that the file does not have.

IN_FILE = CitedPlace("/docs/Loans.md", line=0)
"""A place whose line is unknown, which 0 stands for: a search shows only parts of the file."""


def quote(calls: CallsOfTrial, quotation: str) -> CitedPlace:
    """Cite the file with a quotation. Raises `ValueError` if it is refused."""
    return calls.cite("/docs/Loans.md", "who opens the archive", quotation)


def test_adjacent_lines_can_be_quoted_together_and_alone() -> None:
    calls = calls_with_lines(
        {4: "The archive is opened", 5: "by the night porter alone."}
    )

    assert quote(calls, "is opened by the night porter") == IN_FILE
    assert quote(calls, "The archive is opened") == IN_FILE
    assert quote(calls, "by the night porter alone.") == IN_FILE


def test_adjacent_lines_are_joined_even_if_they_end_with_line_breaks() -> None:
    """Some environments return lines with their line breaks."""
    calls = calls_with_lines({5: "The archive is opened\n", 6: "by the night porter\n"})

    assert quote(calls, "opened by the night porter") == IN_FILE


@pytest.mark.parametrize(
    ("first_line", "second_line"),
    [
        pytest.param(4, 9, id="with other lines between"),
        pytest.param(9, 4, id="in reverse order"),
    ],
)
def test_lines_that_are_not_adjacent_can_only_be_quoted_alone(
    first_line: int, second_line: int
) -> None:
    calls = calls_with_lines(
        {first_line: "The archive is opened", second_line: "by the night porter alone."}
    )

    with pytest.raises(ValueError, match="is not in what was read"):
        quote(calls, "is opened by the night porter")

    assert quote(calls, "The archive is opened") == IN_FILE
    assert quote(calls, "by the night porter alone.") == IN_FILE


# A file proves nothing by words of the script that may have been copied to it.
#
# The script writes into `/tmp/x`, and cites `/docs/Secret.md`. `/bin/ship` is a program that may change
# any file.


def test_a_file_is_believed_if_the_script_wrote_something_else() -> None:
    trial = CitingTrial()
    trial.write("/tmp/x", "the garden is closed")
    trial.run("/bin/ship", "/tmp/x", "/docs/Secret.md")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')


def test_a_written_file_that_is_shown_under_another_name_proves_nothing() -> None:
    """The script reads its own file, and the environment says that it is another one, for
    example because one path is a link to the other."""
    trial = CitingTrial()
    trial.write("/tmp/x", "the vault opens at noon")
    result = {"path": "/docs/Secret.md", "content": "the vault opens at noon"}
    trial.call("read", {"path": "/tmp/x"}, result)

    assert not trial.can_quote("/docs/Secret.md", quotation="the vault opens at noon")


def test_a_written_file_that_is_shown_translated_under_another_name_proves_nothing() -> (
    None
):
    """The environment shows other words than those that the script has written, but of this file."""
    trial = CitingTrial()
    trial.write("/tmp/x", "gur inhyg bcraf ng abba")  # each letter moved by 13
    result = {"path": "/docs/Secret.md", "content": "the vault opens at noon"}
    trial.call("read", {"path": "/tmp/x"}, result)

    assert not trial.can_quote("/docs/Secret.md", quotation="the vault opens at noon")


def test_a_copy_of_a_written_file_proves_nothing() -> None:
    """`/bin/ship` has copied the script's own file over another one. The copy ends with a line
    break, so the two texts are not the same."""
    trial = CitingTrial()
    trial.write("/tmp/x", "the vault opens at noon")
    trial.run("/bin/ship", "/tmp/x", "/docs/Secret.md")
    trial.read("/docs/Secret.md", "the vault opens at noon\n")

    assert not trial.can_quote("/docs/Secret.md", quotation="the vault opens at noon")


def test_a_copy_of_a_written_file_with_a_further_line_proves_nothing() -> None:
    """`/bin/ship` has put a line of its own, "page 1", before the script's words."""
    trial = CitingTrial()
    trial.write("/tmp/x", "the vault opens at noon")
    trial.run("/bin/ship", "/tmp/x")
    trial.read("/docs/Secret.md", "page 1\nthe vault opens at noon\n")

    assert not trial.can_quote("/docs/Secret.md", quotation="the vault opens at noon")


# A file proves nothing if the script may have written what it says.
#
# The file may have been written by a call that seemed to fail, or by a program. Or the script has
# written more than the log keeps, so that nobody knows any more what it wrote.


def test_a_file_whose_writing_seemed_to_fail_proves_nothing() -> None:
    """The error `unknown` does not tell whether the words were written."""
    trial = CitingTrial()
    arguments = {"path": "/docs/Secret.md", "content": "the vault opens at noon"}
    trial.fail("write", arguments, code="unknown")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_quote("/docs/Secret.md", quotation="the vault opens at noon")


def test_a_file_that_was_deleted_and_made_anew_proves_nothing() -> None:
    """`/bin/ship` may change any file. It may have made this one anew, with whatever text the
    script wanted there."""
    trial = CitingTrial()
    trial.delete("/docs/Secret.md")
    trial.run("/bin/ship", "/docs/Secret.md")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_quote("/docs/Secret.md", quotation="the vault opens at noon")


def test_a_file_proves_nothing_once_more_was_written_than_is_kept() -> None:
    """The log keeps up to `MOST_EVIDENCE_BYTES` of what the script wrote, to recognise it later.
    Ten files of a tenth each have more, since a text takes some bytes beside its characters.
    Any later text could be one that was written and not kept, so even a true one is refused."""
    trial = CitingTrial()
    chars_of_file = bounds.MOST_EVIDENCE_BYTES // 10
    for digit in "0123456789":
        trial.write(f"/tmp/{digit}", digit * chars_of_file)
    trial.read("/docs/Secret.md", "The archive opens at seven.")

    assert not trial.can_cite("/docs/Secret.md", reason='it "opens at seven"')
    # Nor can the file be cited for words that it does not have.
    assert not trial.can_cite("/docs/Secret.md", reason='"the vault opens at noon"')
