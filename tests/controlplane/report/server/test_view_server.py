"""The server of `view`: who may ask, what the pages
hold, and how news of a growing journal arrive."""

import json
from collections.abc import Iterator
from http import HTTPStatus
from http.client import HTTPResponse
from pathlib import Path
from threading import Lock

import pytest

from controlplane.agent.events import CallEvent, CallOutput
from controlplane.report.server.page_cache import KEPT_PAGES, PageCache
from tests.controlplane.report.reported_run import (
    HOSTILE_MARKUP,
    REJECTED_VERDICTS,
    ReportedTrial,
    hostile_journal,
    journal_of_trials,
    trial_events,
)
from tests.controlplane.report.viewed import (
    RunningView,
    serving_view,
    unfinished_journal,
)
from tests.support.command import wait_until

# The mean of 0, 1 and 1. `ReportedTrial` has the score 1 if it says nothing else.
MEAN_OF_FIRST_RUN = "0.67"
TRIALS_OF_FIRST_RUN = [
    ReportedTrial(
        "alpha.1", 0.0, ("no",), submissions=(REJECTED_VERDICTS, REJECTED_VERDICTS[1:])
    ),
    ReportedTrial("beta.1"),
    ReportedTrial("beta.2"),
]
TRIALS_OF_SECOND_RUN = [ReportedTrial("alpha.1", 1.0), ReportedTrial("beta.1")]
RESULT_OF_LOOP = "0.17 → 1.00 on 12 tasks"


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningView]:
    """A server over a folder of six journals.

    - `/runs/a`, named "first", and `/runs/b`, named "second": finished runs
    - `/runs/h`: a run with hostile text everywhere
    - `/runs/broken`: a file that is not a journal
    - `/loops/ended`: a finished loop of improvements
    - `/loops/lost`: a loop whose record cannot be read
    """
    folder = tmp_path_factory.mktemp("runs")
    journal_of_trials(folder / "a.jsonl", TRIALS_OF_FIRST_RUN, name="first")
    journal_of_trials(folder / "b.jsonl", TRIALS_OF_SECOND_RUN, name="second")
    hostile_journal(folder / "h.jsonl")
    (folder / "broken.jsonl").write_text("not a journal\n")
    (folder / "lost").mkdir()
    (folder / "lost" / "loop.jsonl").write_text("not a record\n")
    (folder / "ended").mkdir()
    end = {"prev": "0", "kind": "loop_ended", "text": RESULT_OF_LOOP, "hash": "0"}
    (folder / "ended" / "loop.jsonl").write_text(json.dumps(end) + "\n")
    with serving_view(folder) as view:
        wait_until(lambda: len(view.rows()) == 6)
        yield view


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, HTTPStatus.MISDIRECTED_REQUEST),
        ({"Host": "127.0.0.1:1"}, HTTPStatus.MISDIRECTED_REQUEST),
        ({"Origin": "http://evil.example"}, HTTPStatus.FORBIDDEN),
        ({"Origin": "null"}, HTTPStatus.FORBIDDEN),
        ({"Cookie": "controlplane_view=wrong"}, HTTPStatus.FORBIDDEN),
    ],
)
def test_a_foreign_host_origin_or_cookie_is_refused(
    view: RunningView, headers: dict[str, str], status: int
) -> None:
    sends_its_own_cookie = "Cookie" in headers
    answer = view.get("/runs/a", cookie=not sends_its_own_cookie, **headers)

    assert answer.status == status
    assert b"alpha" not in answer.body


def test_without_the_token_nothing_is_shown(view: RunningView) -> None:
    assert view.get("/", cookie=False).status == HTTPStatus.FORBIDDEN
    assert view.get("/?token=wrong", cookie=False).status == HTTPStatus.FORBIDDEN


def test_the_token_is_exchanged_for_a_cookie(view: RunningView) -> None:
    answer = view.get(f"/?token={view.token}", cookie=False)

    assert answer.status == HTTPStatus.SEE_OTHER
    assert answer.headers["location"] == "/"
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert "SameSite=strict" in answer.headers["set-cookie"]


def test_the_token_redirects_to_no_other_host(view: RunningView) -> None:
    answer = view.get(f"//evil.example/?token={view.token}", cookie=False)

    assert answer.status == HTTPStatus.SEE_OTHER
    # With two slashes, browsers would go to the host evil.example.
    assert answer.headers["location"] == "/evil.example/"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_can_be_changed(view: RunningView, method: str) -> None:
    assert view.get("/", method=method).status == HTTPStatus.METHOD_NOT_ALLOWED


@pytest.mark.parametrize("path", ["/", "/runs/a", "/runs/a,b"])
def test_no_page_may_run_what_stands_in_it(view: RunningView, path: str) -> None:
    answer = view.get(path)
    policy = answer.headers["content-security-policy"]
    page = answer.body.decode()

    assert "script-src 'self'" in policy
    assert "'unsafe" not in policy
    assert "<style" not in page
    # Every script is a file of the server.
    assert page.count("<script") == page.count('<script src="/static/')


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        (
            "/runs/a",
            [
                ">first<",
                ">finished<",
                "trials </span>3<",
                f">{MEAN_OF_FIRST_RUN}<",
                "0.21 to 0.94",  # the confidence interval of two successes in three
                "canned",  # the model
            ],
        ),
        ("/loops/ended", [">finished<", ">loop<", RESULT_OF_LOOP]),
        ("/loops/lost", [">cut off<"]),
        ("/runs/broken", [">damaged<", "not a journal"]),
    ],
)
def test_the_list_has_a_row_for_each_journal(
    view: RunningView, path: str, parts: list[str]
) -> None:
    (row,) = [row for row in view.rows() if path in row]
    for part in parts:
        assert part in row


def test_the_list_is_searched_and_runs_are_chosen_without_scripts(
    view: RunningView,
) -> None:
    assert "/runs/b" in view.text("/?find=SECOND")
    assert "/runs/a" not in view.text("/?find=SECOND")

    answer = view.get("/?run=a&run=b")
    assert answer.status == HTTPStatus.SEE_OTHER
    assert answer.headers["location"] == "/runs/a%2Cb"


def test_a_run_shows_scores_by_family_and_groups_with_commands_to_copy(
    view: RunningView,
) -> None:
    text = view.text("/runs/a")
    families = text.partition('id="h-families"')[2]

    assert families.index(">alpha<") < families.index(">beta<")
    assert "rerun" in text
    assert "--trials alpha.1" in text
    assert 'data-source="/runs/a"' in text


def test_a_trial_comes_as_data_and_its_requests_whole(view: RunningView) -> None:
    trial = view.json("/runs/a/trial-1-1.json")

    assert trial["task"] == "alpha.1"
    assert trial["score"] == 0.0
    # The opening, two steps with a submission each, and the end.
    assert len(trial["pages"]) == 4
    # A command to which the page adds the number of the step that is shown.
    assert trial["fork"].endswith("--step ")
    # `reported_run` writes journals without requests to a model.
    assert view.json("/runs/a/trial-1-1/requests.json") == []


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


HOSTILE_NUMBERS = (
    "9" * 5_000,
    "-1",
    "0",
    "1.5",
    "1e9",
    "%D9%A1",  # one in Arabic digits
    "%EF%BC%91",  # one in full width
    "%C2%B2",  # two, as an exponent
    "%ED%A0%80",  # half a surrogate pair
    "%FF",
    "%00",
    "%1B%5B31m",
    "",
)
HOSTILE_PLACES = (
    "/runs/{}",
    "/runs/a,{}",
    "/runs/a/trial-{}-1.json",
    "/runs/a/trial-1-{}.json",
    "/runs/a/trial-1-{}/requests.json",
    "/runs/a/{}.json",
    "/runs/{}/events",
    "/loops/{}",
    "/{}",
)


@pytest.mark.parametrize("place", HOSTILE_PLACES)
def test_an_address_with_any_number_or_text_is_not_found(
    view: RunningView, place: str
) -> None:
    """Or is redirected to the address without its last slash, if the number is empty."""
    for number in HOSTILE_NUMBERS:
        if number == "" and place in ("/{}", "/runs/a,{}"):
            continue  # the list, and the page of `a`
        status = view.get(place.format(number)).status
        if number == "" and status == HTTPStatus.TEMPORARY_REDIRECT:
            continue
        assert status == HTTPStatus.NOT_FOUND, (place, number)


def test_any_words_can_be_searched(view: RunningView) -> None:
    for words in (*HOSTILE_NUMBERS, "(" * 2_000, "a*" * 1_000, "%5B"):
        for page in ("/", "/runs/a"):
            answer = view.get(f"{page}?find={words}")
            assert answer.status == HTTPStatus.OK, (page, words)


@pytest.mark.parametrize(
    ("path", "reason"),
    [("/runs/broken", "is not a journal"), ("/loops/lost", "loop.jsonl")],
)
def test_a_damaged_journal_says_what_is_wrong(
    view: RunningView, path: str, reason: str
) -> None:
    answer = view.get(path)

    assert answer.status == HTTPStatus.UNPROCESSABLE_ENTITY
    assert reason in answer.body.decode()


def test_two_runs_are_compared_and_paired(view: RunningView) -> None:
    text = view.text("/runs/a,b")
    assert "The second run against the first" in text
    assert 'href="#trial-1-1~trial-2-1"' in text


def test_hostile_text_stays_text(view: RunningView) -> None:
    assert HOSTILE_MARKUP[:40] not in view.text("/runs/h")
    assert "<img src=x" not in view.text("/runs/h")


def wait_for_news(stream: HTTPResponse) -> None:
    """Read an event stream until the server sends an event."""
    while True:
        line = stream.readline()
        assert line, "the stream ended"
        if line.startswith(b"data:"):
            return


def test_a_growing_journal_is_news(tmp_path: Path) -> None:
    """The pages of a run with the trials `a` and `b`, while `a` is written to it:
    its start, its first call, what the call prints, and its score."""
    opening, *step_and_end = trial_events("a", ReportedTrial("a", 0.5))
    call_begins = [isinstance(event, CallEvent) for event in step_and_end].index(True)
    until_call = step_and_end[: call_begins + 2]  # The call under way and its result.
    after_call = step_and_end[call_begins + 2 :]
    with (
        unfinished_journal(tmp_path / "live.jsonl", "a", "b") as writer,
        serving_view(tmp_path) as view,
    ):
        wait_until(lambda: "running" in view.rows()[0])
        assert "Running now" not in view.text("/runs/live")

        with view.asking("/runs/live/events") as stream:
            writer.write(opening)
            wait_for_news(stream)
        wait_until(lambda: "Running now" in view.text("/runs/live"))

        for event in until_call:
            writer.write(event)
        wait_until(lambda: "read /doc-1.md</td>" in view.text("/runs/live"))

        writer.write(CallOutput(trial_id="a", text="CC main.o\n<b>warning</b>"))
        wait_until(lambda: "CC main.o\n&lt;b&gt;warning" in view.text("/runs/live"))
        writer.write(CallOutput(trial_id="a", text=""))
        wait_until(lambda: "CC main.o" not in view.text("/runs/live"))

        for event in after_call:
            writer.write(event)
        wait_until(lambda: "1 of 2" in view.rows()[0])
        assert view.json("/runs/live/trial-1-1.json")["score"] == 0.5


def test_a_page_that_is_rendered_again_takes_no_other_out_of_the_cache() -> None:
    cache = PageCache(Lock())
    rendered: list[str] = []

    def show(address: str, version: int) -> None:
        def render() -> str:
            rendered.append(address)
            return address

        assert cache.html(address, "", [version], render) == address

    addresses = [f"/runs/{number}" for number in range(KEPT_PAGES)]
    for address in addresses:
        show(address, 1)
    growing_run = addresses[-1]
    show(growing_run, 2)
    for address in addresses[:-1]:
        show(address, 1)

    assert rendered == [*addresses, growing_run]
    show("/", 1)  # Takes the place of the oldest page.
    show(addresses[0], 1)
    assert rendered[-2:] == ["/", addresses[0]]
