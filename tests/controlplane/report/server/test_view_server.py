"""The server of `view`: who may ask, what the pages
hold, and how news of a growing journal arrive."""

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

import pytest

from controlplane.agent.events import CallOutput
from controlplane.report.server.page_cache import KEPT_PAGES, PageCache
from tests.controlplane.report.reported_run import (
    HOSTILE,
    SENT_BACK,
    Played,
    hostile_journal,
    journal,
    trial_events,
)
from tests.controlplane.report.viewed import View, growing, viewing
from tests.support.command import wait_until

TRIALS = [
    Played("alpha.1", 0.0, ("no",), submissions=(SENT_BACK, SENT_BACK[1:])),
    Played("beta.1"),
    Played("beta.2"),
]


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[View]:
    folder = tmp_path_factory.mktemp("runs")
    journal(folder / "a.jsonl", TRIALS)
    journal(
        folder / "b.jsonl", [Played("alpha.1", 1.0), Played("beta.1")], name="second"
    )
    hostile_journal(folder / "h.jsonl")
    (folder / "broken.jsonl").write_text("not a journal\n")
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
    with viewing(folder) as found:
        wait_until(lambda: len(found.rows()) == 6)
        yield found


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Cookie": "controlplane_view=wrong"}, 403),
    ],
)
def test_a_foreign_host_origin_or_cookie_is_refused(
    view: View, headers: dict[str, str], status: int
) -> None:
    answer = view.get("/runs/a", cookie="Cookie" not in headers, **headers)
    assert answer.status == status
    assert b"alpha" not in answer.body


def test_without_the_token_nothing_is_shown_and_with_it_a_cookie_is_set(
    view: View,
) -> None:
    assert view.get("/", cookie=False).status == 403
    assert view.get("/?token=wrong", cookie=False).status == 403
    other = view.get(f"//evil.example/?token={view.token}", cookie=False)
    assert (other.status, other.headers["location"]) == (303, "/evil.example/")
    answer = view.get(f"/?token={view.token}", cookie=False)
    assert (answer.status, answer.headers["location"]) == (303, "/")
    assert all(
        word in answer.headers["set-cookie"] for word in ("HttpOnly", "SameSite=strict")
    )


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_can_be_changed(view: View, method: str) -> None:
    assert view.get("/", method=method).status == 405


def test_no_page_may_run_what_stands_in_it(view: View) -> None:
    for path in ("/", "/runs/a", "/runs/a,b"):
        answer = view.get(path)
        text, policy = answer.body.decode(), answer.headers["content-security-policy"]
        assert "'unsafe" not in policy
        assert "script-src 'self'" in policy
        assert "<style" not in text
        assert text.count("<script") == text.count('<script src="/static/')


def test_the_list_has_a_row_for_each_journal(view: View) -> None:
    rows = view.rows()
    first = next(row for row in rows if "/runs/a" in row)
    parts = (
        ">first<",
        ">finished<",
        "trials </span>3<",
        ">0.67<",
        "0.21 to 0.94",
        "canned",
    )

    assert [part for part in parts if part not in first] == []
    ended = next(row for row in rows if "/loops/ended" in row)
    assert [
        part
        for part in (">finished<", ">loop<", "0.17 → 1.00 on 12 tasks")
        if part not in ended
    ] == []
    assert ">cut off<" in next(row for row in rows if "/loops/lost" in row)
    broken = next(row for row in rows if "/runs/broken" in row)
    assert (">damaged<" in broken, "not a journal" in broken) == (True, True)


def test_the_list_is_searched_and_chosen_runs_are_compared_without_script(
    view: View,
) -> None:
    assert "/runs/b" in view.text("/?find=SECOND")
    assert "/runs/a" not in view.text("/?find=SECOND")
    answer = view.get("/?run=a&run=b")
    assert (answer.status, answer.headers["location"]) == (303, "/runs/a%2Cb")


def test_a_run_shows_scores_by_family_and_groups_with_commands_to_copy(
    view: View,
) -> None:
    text = view.text("/runs/a")
    families = text.partition('id="h-families"')[2]

    assert families.index(">alpha<") < families.index(">beta<")
    assert "rerun" in text
    assert "--trials alpha.1" in text
    assert 'data-source="/runs/a"' in text


def test_a_trial_comes_as_data_and_its_requests_whole(view: View) -> None:
    trial = view.json("/runs/a/trial-1-1.json")
    assert (trial["task"], trial["score"], len(trial["pages"])) == ("alpha.1", 0.0, 4)
    assert trial["fork"].endswith("--step ")
    # The made journal asked no model.
    assert view.json("/runs/a/trial-1-1/requests.json") == []


@pytest.mark.parametrize(
    "path",
    [
        "/runs/none",
        "/runs/a/trial-1-9.json",
        "/runs/a/trial-2-1.json",
        "/runs/../a",
        "/runs/..%2fa",
        "/loops/a",
        "/x",
    ],
)
def test_what_is_not_there_is_told(view: View, path: str) -> None:
    assert view.get(path).status == 404


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
    view: View, place: str
) -> None:
    for number in HOSTILE_NUMBERS:
        if number == "" and place in ("/{}", "/runs/a,{}"):
            continue  # the list, and the page of `a`
        status = view.get(place.format(number)).status
        assert status in (307, 404), (place, number)


def test_any_words_can_be_searched(view: View) -> None:
    for words in (*HOSTILE_NUMBERS, "(" * 2_000, "a*" * 1_000, "%5B"):
        for page in ("/", "/runs/a"):
            assert view.get(f"{page}?find={words}").status == 200, (page, words)


def test_a_damaged_journal_says_what_is_wrong(view: View) -> None:
    for path, why in (
        ("/runs/broken", b"is not a journal"),
        ("/loops/lost", b"loop.jsonl"),
    ):
        answer = view.get(path)
        assert (answer.status, why in answer.body) == (422, True), answer.body


def test_two_runs_are_compared_and_paired(view: View) -> None:
    text = view.text("/runs/a,b")
    assert "The second run against the first" in text
    assert 'href="#trial-1-1~trial-2-1"' in text


def test_hostile_text_stays_text(view: View) -> None:
    assert HOSTILE[:40] not in view.text("/runs/h")
    assert "<img src=x" not in view.text("/runs/h")


def test_a_growing_journal_is_news(tmp_path: Path) -> None:
    with (
        growing(tmp_path / "live.jsonl", "a", "b") as writer,
        viewing(tmp_path) as view,
    ):
        wait_until(lambda: "running" in view.rows()[0])
        assert "Running now" not in view.text("/runs/live")
        events = trial_events("a", Played("a", 0.5))
        with view.asking("/runs/live/events") as news:
            writer.write(events[0])
            assert next(
                line for line in iter(news.readline, b"") if line.startswith(b"data:")
            )
        wait_until(lambda: "Running now" in view.text("/runs/live"))
        for event in events[1:5]:
            writer.write(event)
        wait_until(lambda: "read /doc-1.md</td>" in view.text("/runs/live"))
        writer.write(CallOutput(trial_id="a", text="CC main.o\n<b>warning</b>"))
        wait_until(lambda: "CC main.o\n&lt;b&gt;warning" in view.text("/runs/live"))
        writer.write(CallOutput(trial_id="a", text=""))
        wait_until(lambda: "CC main.o" not in view.text("/runs/live"))
        for event in events[5:]:
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
