"""The web server of `controlplane view`, which shows recorded runs in a browser.

It serves a list of the journals in a folder at "/", a run at "/runs/a", and two runs side by side
at "/runs/a,b". Only a browser that got the server's secret token may read it, nothing can be
changed through it, and the page of a run that still goes on follows its journal.
"""

import json
from collections.abc import Iterator
from http import HTTPStatus

import pytest

from tests.controlplane.report.hostile_journal import HOSTILE_MARKUP, hostile_journal
from tests.controlplane.report.reported_run import (
    ReportedTrial,
    journal_of_trials,
)
from tests.controlplane.report.viewed import (
    RunningView,
    serving_view,
)
from tests.support.command import wait_until

TRIALS_OF_FIRST_RUN = [
    ReportedTrial(
        "alpha.1",
        score=0.0,
        details=("no",),
        rejected_answers=1,
    ),
    ReportedTrial("beta.1", score=1.0),
    ReportedTrial("beta.2", score=1.0),
]
MEAN_OF_FIRST_RUN = "0.67"
"""The mean of the scores 0, 1 and 1."""
TRIALS_OF_SECOND_RUN = [
    ReportedTrial("alpha.1", score=1.0),
    ReportedTrial("beta.1", score=1.0),
]
RESULT_OF_LOOP = "0.17 → 1.00 on 12 tasks"
"""What the record of a loop of improvements says at its end."""


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

    # Each run is a file.
    journal_of_trials(folder / "a.jsonl", TRIALS_OF_FIRST_RUN, name="first")
    journal_of_trials(folder / "b.jsonl", TRIALS_OF_SECOND_RUN, name="second")
    hostile_journal(folder / "h.jsonl")
    (folder / "broken.jsonl").write_text("not a journal\n")

    # Each loop is a folder with its record.
    (folder / "lost").mkdir()
    (folder / "lost" / "loop.jsonl").write_text("not a record\n")
    (folder / "ended").mkdir()
    end = {"prev": "0", "kind": "loop_ended", "text": RESULT_OF_LOOP, "hash": "0"}
    (folder / "ended" / "loop.jsonl").write_text(json.dumps(end) + "\n")

    number_of_journals = 6
    with serving_view(folder) as view:
        wait_until(lambda: len(view.rows()) == number_of_journals)
        yield view


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param(
            {"Host": "evil.example"}, HTTPStatus.MISDIRECTED_REQUEST, id="another host"
        ),
        pytest.param(
            {"Host": "127.0.0.1:1"}, HTTPStatus.MISDIRECTED_REQUEST, id="another port"
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
    request of theirs may have the right cookie, as `view.get` sends it: browsers add cookies."""
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


def test_the_token_is_exchanged_for_a_cookie(view: RunningView) -> None:
    """The user opens the address with the token once. Scripts cannot read the cookie
    (HttpOnly), and requests from other sites do not carry it (SameSite)."""
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


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_a_request_that_would_change_something_is_refused(
    view: RunningView, method: str
) -> None:
    """The server only shows what was recorded."""
    assert view.get("/", method=method).status == HTTPStatus.METHOD_NOT_ALLOWED


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


@pytest.mark.parametrize(
    ("path", "texts_in_row"),
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
def test_the_list_of_runs_has_a_row_for_each_journal(
    view: RunningView, path: str, texts_in_row: list[str]
) -> None:
    """A row has a link to the page of its run, and says how the run ended."""
    (row,) = [row for row in view.rows() if path in row]
    for text in texts_in_row:
        assert text in row


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


def test_the_page_of_a_run_has_the_scores_of_families_worst_first(
    view: RunningView,
) -> None:
    """Tasks such as beta.1 and beta.2 are a family."""
    _, _, families = view.text("/runs/a").partition('id="h-families"')

    assert families.index(">alpha<") < families.index(">beta<")


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


@pytest.mark.parametrize("page", ["/", "/runs/a"])
def test_any_text_can_be_searched(view: RunningView, page: str) -> None:
    """The text is not a pattern, so that a bracket is no error, and a star takes no time."""
    patterns = ["(" * 2_000, "a*" * 1_000, "%5B"]
    for text in ["", *HOSTILE_NUMBERS, *patterns]:
        answer = view.get(f"{page}?find={text}")
        assert answer.status == HTTPStatus.OK, text


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


def test_the_page_of_two_runs_compares_them_and_pairs_their_trials(
    view: RunningView,
) -> None:
    """Both runs have trials of alpha.1 and beta.1."""
    page = view.text("/runs/a,b")

    assert "The second run against the first" in page
    link_to_both_trials_of_alpha = 'href="#trial-1-1~trial-2-1"'
    assert link_to_both_trials_of_alpha in page


def test_hostile_text_of_a_run_is_escaped(view: RunningView) -> None:
    """The journal has HTML in all texts, which would end elements and run scripts."""
    assert HOSTILE_MARKUP[:40] not in view.text("/runs/h")
    assert "<img src=x" not in view.text("/runs/h")
