"""What the server of `controlplane view` answers: pages of runs and trials, also running ones.

Lists can be searched, and runs compared. Pages of a running run show its last call, starts and
ends. Wrong addresses are not found, and damaged journals are named. Requests without the token, or
from other sites, read nothing. A page asked for before its trial was read is not called missing.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPResponse
from pathlib import Path
from threading import Lock
from types import SimpleNamespace

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from controlplane.agent.events import CallOutput
from controlplane.facts.run_facts import KnownJournals, run_facts
from controlplane.journal.journal_files import newest_first
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import AllottedTrial, RunNotice
from controlplane.journal.state_files import state_path
from controlplane.report.run_report import run_report
from controlplane.report.server import view_server, watched_folder
from controlplane.report.server.run_list import run_list_html
from controlplane.report.server.view_server import KEPT_PAGES, PageCache, ViewPages
from controlplane.report.server.watched_folder import WatchedFolder, WatchedRun
from tests.controlplane.report.hostile_journal import (
    HOSTILE_MARKUP,
    ReportedTrial,
    hostile_journal,
    journal_of_trials,
    journal_with_left_files,
    run_events,
    trial_events,
    unfinished_journal,
)
from tests.controlplane.report.listed_runs import (
    RunningView,
    rows_of_runs,
    serving_view,
)
from tests.controlplane.report.packed_data import packed_data
from tests.support.command import run_controlplane, wait_until
from tests.support.journals import write_journal

FIRST_RUN = [
    ReportedTrial("alpha.1", score=0.0, details=("no",), rejected_answers=1),
    ReportedTrial("beta.1", score=1.0),
    ReportedTrial("beta.2", score=1.0),
]
SECOND_RUN = [
    ReportedTrial("alpha.1", score=1.0),
    ReportedTrial("beta.1", score=1.0),
]


@pytest.fixture(scope="session")
def view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningView]:
    """A server over a folder of six journals.

    - `/runs/a`, named "first", and `/runs/b`, named "second": finished runs
    - `/runs/h`: a run with hostile text everywhere
    - `/runs/broken`: a file that is not a journal
    - `/loops/ended`: a finished loop of improvements
    - `/loops/lost`: a loop whose record cannot be read
    """
    folder = tmp_path_factory.mktemp("runs")

    # Each run is a file.
    journal_of_trials(folder / "a.jsonl", FIRST_RUN, name="first")
    journal_of_trials(folder / "b.jsonl", SECOND_RUN, name="second")
    hostile_journal(folder / "h.jsonl")
    (folder / "broken.jsonl").write_text("not a journal\n")

    # Each loop is a folder with its record.
    (folder / "lost").mkdir()
    (folder / "lost" / "loop.jsonl").write_text("not a record\n")
    (folder / "ended").mkdir()
    end = {
        "prev": "0",
        "kind": "loop_ended",
        "text": "0.17 → 1.00 on 12 tasks",
        "hash": "0",
    }
    (folder / "ended" / "loop.jsonl").write_text(json.dumps(end) + "\n")

    number_of_journals = 6
    with serving_view(folder) as view:
        wait_until(lambda: len(rows_of_runs(view)) == number_of_journals)
        yield view


# Texts, as they are encoded in addresses, that a page may take for a number, or fail at.
#
# A page such as `/runs/a/trial-1-2.json` has numbers in its address.

HOSTILE_NUMBERS = [
    "9" * 5_000,
    "-1",
    "0",
    "1.5",
    "1e9",
    "%D9%A1",  # one in Arabic digits
    "%EF%BC%91",  # one in full width
    "%C2%B2",  # two, as an exponent
    "%ED%A0%80",  # half a surrogate pair
    "%FF",  # not UTF-8
    "%00",  # the null character
    "%1B%5B31m",  # an escape sequence for terminals
]
"""Texts, as they are encoded in addresses, that a page may take for a number, or fail at."""


# A run that still plays, in whose journal a test writes events, and a server of its pages.
#
#     with live_run(folder) as (writer, view):
#         writer.write(start)
#         view.text("/runs/live")    ->    "... Running now ..."
#
# The run has the trials "a" and "b".


@contextmanager
def live_run(folder: Path) -> Iterator[tuple[JournalWriter, RunningView]]:
    """Yield the writer of the run's journal, and a server that has noticed that the run plays."""
    with (
        unfinished_journal(folder / "live.jsonl", "a", "b") as writer,
        serving_view(folder) as view,
    ):
        wait_until(lambda: "running" in rows_of_runs(view)[0])
        yield writer, view


# Addresses of pages with hostile numbers in them do not make the server of `view` fail.
#
# A page such as `/runs/a/trial-1-2.json` has numbers in its address. In their place stand numbers of
# 5,000 digits, signs that Python's `int` takes for a number, or nothing. Such a page is not found.

ADDRESSES_WITH_A_NUMBER = [
    "/runs/{}",
    "/runs/a,{}",
    "/runs/a/trial-{}-1.json",
    "/runs/a/trial-1-{}.json",
    "/runs/a/trial-1-{}/requests.json",
    "/runs/a/{}.json",
    "/runs/{}/events",
    "/loops/{}",
    "/{}",
]
"""Addresses of pages; a hostile number replaces the braces."""


@pytest.mark.parametrize("address", ADDRESSES_WITH_A_NUMBER)
def test_an_address_with_a_hostile_number_is_not_found(
    view: RunningView, address: str
) -> None:
    """The server must not answer with an error of its own (500)."""
    for number in HOSTILE_NUMBERS:
        status = view.get(address.format(number)).status
        assert status == HTTPStatus.NOT_FOUND, (address, number)


@pytest.mark.parametrize(
    "address",
    [
        "/runs/",
        "/runs/a/trial--1.json",
        "/runs/a/trial-1-.json",
        "/runs/a/trial-1-/requests.json",
        "/runs/a/.json",
        "/runs//events",
        "/loops/",
    ],
)
def test_an_address_without_its_number_is_not_found(
    view: RunningView, address: str
) -> None:
    """A redirection to the address without its last slash is right, too."""
    status = view.get(address).status

    assert status in (HTTPStatus.NOT_FOUND, HTTPStatus.TEMPORARY_REDIRECT)


# Any text can be searched in the pages of `view`.
#
#     /runs/a?find=((((((    ->    a page without matches
#
# The text is not a pattern, so that a bracket is no error, and a star takes no time.


@pytest.mark.parametrize("page", ["/", "/runs/a"])
def test_any_text_can_be_searched(view: RunningView, page: str) -> None:
    patterns = ["(" * 2_000, "a*" * 1_000, "%5B"]
    for text in ["", *HOSTILE_NUMBERS, *patterns]:
        answer = view.get(f"{page}?find={text}")
        assert answer.status == HTTPStatus.OK, text


# Pages of a run that still plays show the last call of a trial, and what the call prints.
#
# A test writes events of the trial "a" to the run's journal, as a run does: the start, the opening of
# the conversation, a reply of the model, and the two events of a call that reads /doc-1.md.


def test_the_last_call_of_a_running_trial_is_shown(tmp_path: Path) -> None:
    start, opening, reply, begun_call, ended_call, *_ = trial_events(
        "a", ReportedTrial("a")
    )
    with live_run(tmp_path) as (writer, view):
        writer.write(start)
        wait_until(lambda: "Running now" in view.text("/runs/live"))

        for event in (opening, reply, begun_call, ended_call):
            writer.write(event)
        wait_until(lambda: "read /doc-1.md</td>" in view.text("/runs/live"))


def test_what_a_call_prints_is_shown_until_the_call_is_over(tmp_path: Path) -> None:
    start, opening, reply, begun_call, *_ = trial_events("a", ReportedTrial("a"))
    output = CallOutput(trial_id="a", text="CC main.o\n<b>warning</b>")
    # An empty output says that the call is over.
    end_of_output = CallOutput(trial_id="a", text="")
    with live_run(tmp_path) as (writer, view):
        for event in (start, opening, reply, begun_call, output):
            writer.write(event)
        wait_until(lambda: "CC main.o\n&lt;b&gt;warning" in view.text("/runs/live"))

        writer.write(end_of_output)
        wait_until(lambda: "CC main.o" not in view.text("/runs/live"))


# Pages of a run that still plays show when a trial starts, and when it ends.
#
# A test writes events of the trial "a" to the run's journal, as a run does, and looks at the pages that
# the server makes of them. Browsers read a stream of events, and load the page again when there is news.


def wait_for_server_event(stream: HTTPResponse) -> None:
    """Read an event stream until the server says that there is news: a line "data: ..."."""
    while True:
        line = stream.readline()
        assert line, "the stream ended"
        if line.startswith(b"data:"):
            return


def test_browsers_are_told_that_a_trial_has_started(tmp_path: Path) -> None:
    """They read a stream of events, and load the page again when there is news."""
    start, *_ = trial_events("a", ReportedTrial("a"))
    with live_run(tmp_path) as (writer, view):
        assert "Running now" not in view.text("/runs/live")

        with view.open_response("/runs/live/events") as stream:
            writer.write(start)
            wait_for_server_event(stream)

        wait_until(lambda: "Running now" in view.text("/runs/live"))


def test_a_trial_that_has_ended_is_counted_and_has_its_score(tmp_path: Path) -> None:
    """The page was shown while the trial still played."""
    start, opening, reply, begun_call, ended_call, *end = trial_events(
        "a", ReportedTrial("a", score=0.5)
    )
    with live_run(tmp_path) as (writer, view):
        for event in (start, opening, reply, begun_call, ended_call):
            writer.write(event)
        wait_until(lambda: "Running now" in view.text("/runs/live"))

        for event in end:
            writer.write(event)
        wait_until(lambda: "1 of 2" in rows_of_runs(view)[0])
        assert view.json("/runs/live/trial-1-1.json")["score"] == 0.5


# The page "/" of `controlplane view` lists the journals of a folder: runs, loops, and damaged files.
#
# The command is a web server that shows recorded runs in a browser. A loop changes prompts, and plays
# runs with them. The list has a row for each, with a link: "/runs/a" or "/loops/ended".


@pytest.mark.parametrize(
    ("path", "texts_in_row"),
    [
        (
            "/runs/a",
            [
                ">first<",
                ">finished<",
                "trials </span>3<",
                ">0.67<",  # the mean of the scores 0, 1 and 1
                "0.21 to 0.94",  # the confidence interval of two successes in three
                "canned",  # the model
            ],
        ),
        ("/loops/ended", [">finished<", ">loop<", "0.17 → 1.00 on 12 tasks"]),
        ("/loops/lost", [">cut off<"]),
        ("/runs/broken", [">no journal<", "not a journal"]),
    ],
)
def test_the_list_of_runs_has_a_row_for_each_journal(
    view: RunningView, path: str, texts_in_row: list[str]
) -> None:
    """A row has a link to the page of its run, and says how the run ended."""
    (row,) = [row for row in rows_of_runs(view) if path in row]
    for text in texts_in_row:
        assert text in row


def test_questions_are_listed_apart_by_their_texts(tmp_path: Path) -> None:
    """The journal of a question is that of a run of one trial, of the benchmark `files`."""
    opened, *events = run_events("q", "", [ReportedTrial("ask", score=None)])
    question = opened.model_copy(update={"benchmark": "files:/me/docs"})
    write_journal(tmp_path / "q.jsonl", [question, *events])
    journal_of_trials(tmp_path / "a.jsonl", [ReportedTrial("alpha.1")])
    with serving_view(tmp_path) as view:
        wait_until(lambda: len(rows_of_runs(view)) == 2)
        runs, questions = view.text("/").split("<caption>Questions</caption>")
        trial = view.json("/runs/q/trial-1-1.json")
    page = "".join(run_report([tmp_path / "q.jsonl"]).pieces)

    assert ">first</a>" in runs
    assert ">What does ask ask?</a>" not in runs
    assert ">What does ask ask?</a>" in questions
    assert "· docs<" in questions
    assert "<h1>What does ask ask?</h1>" in page
    assert trial["task"] == "What does ask ask?"
    # The page of a question shows its answer, and no figures of a benchmark's run.
    assert '<p class="answer">answer of ask</p>' in page
    assert "mean score" not in page
    assert ">Perfect<" not in page
    # Its only trial is the answer: a table of it, and sections without content, are left out.
    for anchor in ("h-trials", "h-failures", "h-gates"):
        assert anchor not in page


def test_the_page_of_a_question_without_an_answer_tells_what_went_wrong(
    tmp_path: Path,
) -> None:
    failed = ReportedTrial(
        "ask", score=None, how="fallback", reason="no step left", rejected_answers=1
    )
    opened, *events = run_events("q", "", [failed])
    question = opened.model_copy(update={"benchmark": "files:/me/docs"})
    write_journal(tmp_path / "q.jsonl", [question, *events])
    page = "".join(run_report([tmp_path / "q.jsonl"]).pieces)

    assert 'id="h-failures"' in page
    assert 'id="h-gates"' in page
    assert "h-trials" not in page


def test_a_notice_of_all_runs_is_shown_once(tmp_path: Path) -> None:
    paths = []
    for name in ("first", "second"):
        path = tmp_path / f"{name}.jsonl"
        opened, *events = run_events(name, name, FIRST_RUN)
        notice = RunNotice(text="the endpoint is slow")
        write_journal(path, [opened, notice, *events])
        paths.append(path)
    page = "".join(run_report(paths).pieces)

    assert page.count('<p class="note">the endpoint is slow</p>') == 1
    assert page.count("the endpoint is slow") == 1


def test_the_page_of_a_run_that_was_cut_off_counts_trials_that_are_unfinished(
    tmp_path: Path,
) -> None:
    over = journal_of_trials(tmp_path / "a.jsonl", [ReportedTrial("a")], closed=False)
    opened, started, *events = run_events(
        "b", "", [ReportedTrial("b"), ReportedTrial("c")]
    )
    cut = write_journal(
        tmp_path / "b.jsonl", [opened, started, *events[: len(events) // 2]]
    )

    assert "The run was cut off.</p>" in "".join(run_report([over]).pieces)
    page = "".join(run_report([cut]).pieces)
    assert "The run was cut off. 1 of its trials is unfinished.</p>" in page


def test_the_totals_of_a_report_count_trials_that_it_leaves_out(tmp_path: Path) -> None:
    allotted = [AllottedTrial(trial_id=f"t{number}") for number in range(1_000)]
    opened, started, *events = run_events("a", "", [ReportedTrial("t0")])
    started = started.model_copy(update={"trials": (*started.trials, *allotted)})
    journal = write_journal(tmp_path / "a.jsonl", [opened, started, *events])

    page = "".join(run_report([journal]).pieces)

    assert "500 trials that never began left out" in page
    assert "of 1,001 trials" in page


def test_a_run_without_scores_counts_no_perfect_trials(tmp_path: Path) -> None:
    trials = [
        ReportedTrial("alpha.1", score=None),
        ReportedTrial("alpha.2", score=None),
    ]
    journal_of_trials(tmp_path / "a.jsonl", trials)
    page = "".join(run_report([tmp_path / "a.jsonl"]).pieces)

    assert "no scores</span>" in page
    assert "of 2 trials</span>" in page
    assert ">Perfect<" not in page


def test_remarks_of_the_grader_stand_beside_trials_that_lack_the_full_score(
    tmp_path: Path,
) -> None:
    """As in the table of trials on the terminal."""
    trials = [
        ReportedTrial("alpha.1", score=1.0, details=("all rows are right",)),
        ReportedTrial("alpha.2", score=0.5, details=("expected 4 rows",)),
    ]
    journal_of_trials(tmp_path / "a.jsonl", trials)
    page = "".join(run_report([tmp_path / "a.jsonl"]).pieces)

    assert "<span>expected 4 rows</span>" in page
    assert "<span>all rows are right</span>" not in page


def test_the_list_is_searched_by_its_address(view: RunningView) -> None:
    """The server searches, so that it works in a browser without scripts, too."""
    page = view.text("/?find=SECOND")

    assert "/runs/b" in page  # named "second"
    assert "/runs/a" not in page


def test_choosing_two_runs_leads_to_their_comparison(view: RunningView) -> None:
    """Without scripts, the form of the list sends the chosen runs in the address."""
    answer = view.get("/?run=a&run=b")

    assert answer.status == HTTPStatus.SEE_OTHER
    assert answer.headers["location"] == "/runs/a%2Cb"


# Addresses of nothing, of damaged journals, and of a run with hostile texts, at `controlplane view`.
#
# `broken.jsonl` is a text and no journal, `lost` is a loop whose record is damaged, and all texts of the
# run `h` are HTML that would run scripts.


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/runs/none", id="no such run"),
        pytest.param("/runs/a/trial-1-9.json", id="a trial behind the last"),
        pytest.param("/runs/a/trial-2-1.json", id="a second run on a page of one"),
        pytest.param("/runs/../a", id="the folder above"),
        pytest.param("/runs/..%2fa", id="the folder above, its slash encoded"),
        pytest.param("/loops/a", id="a run as a loop"),
        pytest.param("/x", id="no such page"),
    ],
)
def test_what_does_not_exist_is_not_found(view: RunningView, path: str) -> None:
    assert view.get(path).status == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize(
    ("path", "reason"),
    [("/runs/broken", "is not a journal"), ("/loops/lost", "loop.jsonl")],
)
def test_the_page_of_a_damaged_journal_says_what_is_wrong(
    view: RunningView, path: str, reason: str
) -> None:
    """The files broken.jsonl and lost/loop.jsonl have a line of text that is not an event."""
    answer = view.get(path)

    assert answer.status == HTTPStatus.UNPROCESSABLE_ENTITY
    assert reason in answer.body.decode()


def test_hostile_text_of_a_run_is_escaped(view: RunningView) -> None:
    """The journal has HTML in all texts, which would end elements and run scripts."""
    assert HOSTILE_MARKUP[:40] not in view.text("/runs/h")
    assert "<img src=x" not in view.text("/runs/h")


# The page "/runs/a" of `controlplane view` shows a recorded run, and "/runs/a,b" compares two.
#
# The run a has the tasks alpha.1 (score 0), beta.1 and beta.2 (score 1), and the run b has alpha.1 and
# beta.1. The page of a trial is loaded as JSON when the user opens it.


def test_the_page_of_a_run_has_the_scores_of_families_of_several_tasks(
    view: RunningView,
) -> None:
    """Tasks such as beta.1 and beta.2 are a family. The score of alpha.1, which is alone in its
    family, stands in the table of trials already."""
    _, _, families = view.text("/runs/a").partition('id="h-families"')

    assert ">beta<" in families
    assert ">alpha<" not in families


def test_the_page_of_a_run_has_commands_to_copy(view: RunningView) -> None:
    """Such as one that plays the failed trial, of the task alpha.1, again."""
    page = view.text("/runs/a")

    assert "rerun" in page
    assert "--trials alpha.1" in page
    assert 'data-source="/runs/a"' in page


def test_a_trial_is_served_as_json(view: RunningView) -> None:
    """The page of the run loads it when the user opens the trial."""
    trial = view.json("/runs/a/trial-1-1.json")

    assert trial["task"] == "alpha.1"
    assert trial["score"] == 0.0
    # The opening, two steps with a submission each, and the end.
    assert len(trial["pages"]) == 4
    # A command to which the page adds the number of the step that is shown.
    assert trial["fork"].endswith("--step ")


def test_the_requests_of_a_trial_are_served_as_json(view: RunningView) -> None:
    """The journals of these tests have no requests to a model."""
    assert view.json("/runs/a/trial-1-1/requests.json") == []


REFUSED_NAMES = (
    *("link", "folder/key", "verifier", "gone"),
    *("..%2F..%2Fkey", "%2Fetc%2Fhostname", "verifier%2F..%2F..%2F..%2Fkey", "%00"),
)


def test_a_trial_has_the_files_that_it_left(tmp_path: Path) -> None:
    """Their texts are opened as texts, whatever they hold, and no link is followed."""
    folder = journal_with_left_files(tmp_path)

    with serving_view(tmp_path) as view:
        left = view.json("/runs/a/trial-1-1.json")["left"]
        file = view.get("/runs/a/trial-1-1/left/verifier/ctrf.json")
        statuses = [
            view.get(f"/runs/a/trial-1-1/left/{name}").status for name in REFUSED_NAMES
        ]

    assert left["folder"] == str(folder)
    assert left["address"] == folder.as_uri()
    assert left["names"] == ["verifier/ctrf.json", "verifier/test-stdout.txt"]
    assert left["output"].endswith("line 198\nline 199")
    assert "line 0\n" not in left["output"]
    assert (file.status, file.body) == (200, b"<script>1</script>")
    assert file.headers["content-type"] == "text/plain; charset=utf-8"
    assert file.headers["x-content-type-options"] == "nosniff"
    assert statuses == [404] * len(REFUSED_NAMES)


def test_a_report_names_the_files_that_a_trial_left(tmp_path: Path) -> None:
    folder = journal_with_left_files(tmp_path)

    html = "".join(run_report([tmp_path / "a.jsonl"]).pieces)

    left = packed_data(html)["data-trial-1-1"]["left"]
    assert left["address"] == folder.as_uri()
    assert left["output"].endswith("line 199")


def test_a_trial_that_left_nothing_has_no_files(view: RunningView) -> None:
    assert view.json("/runs/a/trial-1-1.json")["left"] is None


def test_the_page_of_two_runs_compares_them_and_pairs_their_trials(
    view: RunningView,
) -> None:
    """Both runs have trials of alpha.1 and beta.1."""
    page = view.text("/runs/a,b")

    assert "The second run against the first" in page
    # The same conclusion as `compare` prints.
    assert "<b>no difference shown; fewer than 6 tasks changed; about" in page
    link_to_both_trials_of_alpha = 'href="#trial-1-1~trial-2-1"'
    assert link_to_both_trials_of_alpha in page


# The facts of journals that were read before: a list of runs reads each journal once.


def test_journals_that_were_read_before_have_their_rows_at_once(tmp_path: Path) -> None:
    journal_of_trials(tmp_path / "a.jsonl", FIRST_RUN, name="first")
    journal_of_trials(tmp_path / "b.jsonl", SECOND_RUN, name="second")
    first = WatchedFolder(tmp_path)
    first.read(seconds=60)

    second = WatchedFolder(tmp_path)

    rows = {key: run.row for key, run in second.runs.items()}
    assert rows == {key: run.row for key, run in first.runs.items()}
    assert None not in rows.values()
    assert not any(run.has_more for run in second.runs.values())
    # The page of a run reads its journal, although the row is known.
    run = second.look_at("runs/a")
    assert isinstance(run, WatchedRun)
    second.read([run], seconds=60)
    assert run.journal is not None
    assert len(run.journal.trials) == len(FIRST_RUN)


def test_a_run_that_has_ended_is_in_the_list_without_being_read(tmp_path: Path) -> None:
    played = run_controlplane(
        "run", "calendar-date.1", "--model=baseline", cwd=tmp_path
    )
    assert played.code in (0, 1), played.err
    (journal,) = (tmp_path / "runs").iterdir()

    known = KnownJournals(journal.parent).facts_of(journal)

    with open_journal(journal) as opened:
        assert known == run_facts(opened.summary, journal)


def test_a_long_journal_has_its_row_before_it_is_read(tmp_path: Path) -> None:
    long_trial = ReportedTrial("alpha.1", score=0.5, text="seen " * 100_000)
    journal_of_trials(tmp_path / "a.jsonl", [long_trial, *FIRST_RUN], name="long one")
    journal_of_trials(tmp_path / "b.jsonl", SECOND_RUN, name="short one")
    folder = WatchedFolder(tmp_path)
    long_run = folder.runs["runs/a"]
    short_run = folder.runs["runs/b"]
    assert isinstance(long_run, WatchedRun)
    assert isinstance(short_run, WatchedRun)

    assert long_run.glance()
    assert not short_run.glance()

    first_row = long_run.row
    assert first_row is not None
    page = run_list_html(folder, "", [1])
    assert "2 being read" in page
    assert page.count('<span class="tag">tokens </span>…') == 1
    # What its ends tell is as the whole journal has it.
    folder.read(seconds=60)
    row = long_run.row
    assert row is not None
    assert not row.is_partial
    for name in ("title", "kind", "address", "last_ms", "about", "played"):
        assert getattr(first_row, name) == getattr(row, name)
    for name in (
        "run",
        "name",
        "model",
        "solver",
        "ended",
        "submitted",
        "trials_total",
    ):
        assert getattr(first_row.result, name) == getattr(row.result, name)
    assert row.result.tokens > first_row.result.tokens == 0
    assert "…" not in run_list_html(folder, "", [1])


def test_a_long_file_that_is_no_journal_has_no_row_before_it_is_read(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"a": 1}\n' * 50_000)
    folder = WatchedFolder(tmp_path)
    run = folder.runs["runs/a"]
    assert isinstance(run, WatchedRun)

    assert not run.glance()

    folder.read(seconds=60)
    assert run.row is not None
    assert run.row.result.ended == "no journal"


def test_a_journal_that_has_changed_is_read_again(tmp_path: Path) -> None:
    place = tmp_path / "a.jsonl"
    journal_of_trials(place, FIRST_RUN)
    known = KnownJournals(tmp_path)
    facts = known.read(place)
    known.save()
    assert KnownJournals(tmp_path).facts_of(place) == facts

    text = place.read_bytes()
    place.write_bytes(text.replace(b"alpha", b"ALPHA"))  # of the same size

    assert KnownJournals(tmp_path).facts_of(place) is None
    assert KnownJournals(tmp_path).read(place).ended == "damaged"


def test_a_journal_that_is_being_written_is_read_again(tmp_path: Path) -> None:
    place = tmp_path / "a.jsonl"
    with unfinished_journal(place, "a"):
        known = KnownJournals(tmp_path)
        assert known.read(place).ended == "running"
        known.save()

    assert KnownJournals(tmp_path).read(place).ended == "cut off"


def test_the_facts_of_removed_journals_are_forgotten(tmp_path: Path) -> None:
    for name in ("a", "b"):
        journal_of_trials(tmp_path / f"{name}.jsonl", SECOND_RUN)
    WatchedFolder(tmp_path).read(seconds=60)
    digest = hashlib.sha256(os.fsencode(tmp_path.resolve())).hexdigest()
    stored = state_path(f"controlplane/lists/{digest[:32]}.json")
    assert set(json.loads(stored.read_text())["journals"]) == {"a.jsonl", "b.jsonl"}

    (tmp_path / "b.jsonl").unlink()
    journal_of_trials(tmp_path / "c.jsonl", SECOND_RUN)
    WatchedFolder(tmp_path).read(seconds=60)

    assert set(json.loads(stored.read_text())["journals"]) == {"a.jsonl", "c.jsonl"}
    assert stored.stat().st_mode & 0o777 == 0o600


def test_reading_many_journals_leaves_little_time_to_looking_at_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To list the files of the folder takes a second of this clock, which each call moves a little."""
    for number in range(20):
        journal_of_trials(tmp_path / f"{number}.jsonl", SECOND_RUN)
    folder = WatchedFolder(tmp_path)
    now = 100.0
    listings = 0

    def monotonic() -> float:
        nonlocal now
        now += 0.01
        return now

    def list_files(path: Path, *, loops: bool) -> list[Path]:
        nonlocal now, listings
        now += 1
        listings += 1
        return newest_first(path, loops=loops)

    clock = SimpleNamespace(monotonic=monotonic)
    monkeypatch.setattr("controlplane.report.server.watched_folder.time", clock)
    name = "controlplane.report.server.watched_folder.newest_first"
    monkeypatch.setattr(name, list_files)

    reads = 1
    while folder.read(seconds=0.05):
        reads += 1

    assert all(run.row for run in folder.runs.values())
    assert listings < reads / 2


# The cache of rendered pages, which keeps the last version of at most `KEPT_PAGES` pages.
#
# The page of a run is rendered again only if its journal has grown, which is another version of the page.


class CountedPages:
    """A cache of pages that notes the address of each page that it has to render."""

    def __init__(self) -> None:
        self.cache = PageCache(Lock())
        self.rendered: list[str] = []

    def show(self, address: str, *, version: int) -> None:
        """Show a page of a run. It is rendered unless the cache has this version of it."""

        def render() -> str:
            self.rendered.append(address)
            return address

        page = self.cache.html(address, words="", versions=[version], render=render)
        assert page == address


def test_a_new_version_of_a_page_takes_the_place_of_the_old_one_in_the_cache() -> None:
    """The page of a running run changes all the time; the other pages must stay in the cache."""
    pages = CountedPages()
    addresses = [f"/runs/{number}" for number in range(KEPT_PAGES)]
    for address in addresses:
        pages.show(address, version=1)
    *other_addresses, growing_run = addresses

    pages.show(growing_run, version=2)
    for address in other_addresses:
        pages.show(address, version=1)

    assert pages.rendered == [*addresses, growing_run]


def test_another_page_takes_the_place_of_the_oldest_one_in_the_full_cache() -> None:
    """The oldest page is rendered again when it is shown next."""
    pages = CountedPages()
    addresses = [f"/runs/{number}" for number in range(KEPT_PAGES)]
    for address in addresses:
        pages.show(address, version=1)

    pages.show("/", version=1)
    pages.show(addresses[0], version=1)

    assert pages.rendered == [*addresses, "/", addresses[0]]


# A request to `controlplane view` without the token, or from a page of another site, reads nothing.
#
# The command serves pages about runs, and prints an address with a secret token, which the user opens
# once. A page of another site, in the user's browser, can send requests to the server, too. They have the
# user's cookie with the token, as `view.get` sends it, and name their site as `Origin`.


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param(
            {"Host": "evil.example"},
            HTTPStatus.MISDIRECTED_REQUEST,
            id="another host",
        ),
        pytest.param(
            {"Host": "127.0.0.1:1"},
            HTTPStatus.MISDIRECTED_REQUEST,
            id="another port",
        ),
        pytest.param(
            {"Origin": "http://evil.example"},
            HTTPStatus.FORBIDDEN,
            id="a script of another site",
        ),
        pytest.param(
            {"Origin": "null"}, HTTPStatus.FORBIDDEN, id="a script of no site"
        ),
    ],
)
def test_a_request_from_another_site_is_refused(
    view: RunningView, headers: dict[str, str], status: int
) -> None:
    """The user may have the page of another site open, whose scripts must not read the runs. A
    request of theirs may have the right cookie, as `view.get` sends it: browsers add
    cookies."""
    answer = view.get("/runs/a", **headers)

    assert answer.status == status
    assert b"alpha" not in answer.body


def test_a_request_with_a_wrong_cookie_is_refused(view: RunningView) -> None:
    """The cookie has to have the token that the server printed for the user."""
    wrong_cookie = "controlplane_view=wrong"
    answer = view.get("/runs/a", cookie=False, Cookie=wrong_cookie)

    assert answer.status == HTTPStatus.FORBIDDEN
    assert b"alpha" not in answer.body


def test_a_request_without_the_token_is_refused(view: RunningView) -> None:
    """Other users of the machine can reach the server, too."""
    assert view.get("/", cookie=False).status == HTTPStatus.FORBIDDEN
    assert view.get("/?token=wrong", cookie=False).status == HTTPStatus.FORBIDDEN


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_a_request_that_would_change_something_is_refused(
    view: RunningView, method: str
) -> None:
    """The server only shows what was recorded."""
    assert view.get("/", method=method).status == HTTPStatus.METHOD_NOT_ALLOWED


# The user opens the address that `controlplane view` prints, and gets a cookie with its secret token.
#
#     http://127.0.0.1:8765/?token=3f2a    ->    http://127.0.0.1:8765/
#
# The page then has an address without the token, which the user may show to others.


def test_the_token_is_exchanged_for_a_cookie(view: RunningView) -> None:
    """Scripts cannot read the cookie (HttpOnly), and requests from other sites do not carry it
    (SameSite)."""
    answer = view.get(f"/?token={view.token}", cookie=False)

    assert answer.status == HTTPStatus.SEE_OTHER
    assert answer.headers["location"] == "/"
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert "SameSite=strict" in answer.headers["set-cookie"]


def test_an_address_with_the_token_never_redirects_to_another_host(
    view: RunningView,
) -> None:
    """The location "//evil.example/", with two slashes, would be the host evil.example."""
    answer = view.get(f"//evil.example/?token={view.token}", cookie=False)

    assert answer.status == HTTPStatus.SEE_OTHER
    assert answer.headers["location"] == "/evil.example/"


@pytest.mark.parametrize("path", ["/", "/runs/a", "/runs/a,b"])
def test_browsers_run_no_script_that_is_written_in_a_page(
    view: RunningView, path: str
) -> None:
    """The policy in the header allows only scripts that are files of the server."""
    answer = view.get(path)
    policy = answer.headers["content-security-policy"]
    page = answer.body.decode()

    assert "script-src 'self'" in policy
    assert "'unsafe" not in policy
    assert "<style" not in page
    scripts_from_files = page.count('<script src="/static/')
    assert page.count("<script") == scripts_from_files


# A trial's page is asked for while the server has read only the beginning of the journal.
#
# The server reads a journal in slices of `SLICE_S` seconds, at least one event each. When a
# trial's page is asked for, it reads further slices for `READING_TRIAL_S` seconds.


def request_of(anchor: str) -> Request:
    """Return the request of a page about one trial of the run `a`, such as `trial-1-2`: of the
    first run of the page, the second trial."""
    return Request({"type": "http", "path_params": {"runs": "a", "anchor": anchor}})


def test_a_trial_that_is_not_read_yet_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server asks the browser to come again (503). Once it has read all, it finds the trial."""
    journal_of_trials(tmp_path / "a.jsonl", [ReportedTrial("alpha")])
    folder = WatchedFolder(tmp_path)
    pages = ViewPages(folder, page_of_loop=str)
    run = folder.look_at("runs/a")
    assert isinstance(run, WatchedRun)

    # 1. The server has read a slice of one event, and the page reads nothing more.
    monkeypatch.setattr(watched_folder, "SLICE_S", -1.0)
    monkeypatch.setattr(view_server, "READING_TRIAL_S", 0.0)
    run.advance()  # reads a slice
    with pytest.raises(HTTPException) as early:
        pages.recorded_trial(request_of("trial-1-1"))

    # 2. The page has the time to read the whole journal.
    monkeypatch.setattr(watched_folder, "SLICE_S", 60.0)
    monkeypatch.setattr(view_server, "READING_TRIAL_S", 60.0)
    trial = pages.recorded_trial(request_of("trial-1-1"))
    with pytest.raises(HTTPException) as missing:
        pages.recorded_trial(request_of("trial-1-2"))

    assert early.value.status_code == 503
    assert trial.trial_id.startswith("alpha")
    assert missing.value.status_code == 404
