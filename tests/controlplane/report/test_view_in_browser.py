"""The pages of `view` in a real browser: the list, a trial that moves, two trials side by side, widths, the policy."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controlplane.report.reported_run import (
    SENT_BACK,
    Played,
    hostile_journal,
    journal,
    step_events,
    trial_events,
)
from tests.controlplane.report.viewed import NO_OVERFLOW, ON_TRIAL, View, choose, growing, viewing
from tests.support.browser import Browser
from tests.support.command import controlplane

pytestmark = pytest.mark.second_tier

DOCS = Path(__file__).parents[3] / "docs"
ROWS = "document.querySelectorAll('.trials tbody tr')"


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[View]:
    folder = tmp_path_factory.mktemp("runs")
    journal(folder / "a.jsonl", [Played("alpha", 0.0, ("no",), submissions=(SENT_BACK, SENT_BACK[1:])), Played("beta")])
    journal(folder / "b.jsonl", [Played("alpha", 1.0), Played("beta")], name="second")
    hostile_journal(folder / "h.jsonl")
    with viewing(folder) as found:
        browser.size(1280)
        browser.visit(found.address)
        browser.wait(f"{ROWS}.length === 3")
        yield found
        assert browser.complaints == []


def page(view: View, path: str) -> str:
    return f"http://127.0.0.1:{view.port}{path}"


def test_the_list_is_searched_and_runs_are_chosen_for_a_comparison(browser: Browser, view: View) -> None:
    browser.visit(page(view, "/"))
    browser.wait(f"{ROWS}.length === 3")
    choose(browser, "search", "second")
    assert browser.value(f"[...{ROWS}].filter(e => !e.hidden).map(e => e.querySelector('a').textContent)") == ["second"]
    choose(browser, "search", "")
    browser.value("document.querySelectorAll('.pick[value=a], .pick[value=b]').forEach(e => e.click())")
    browser.value("document.querySelector('#chosen button').click()")
    browser.wait("location.pathname.startsWith('/runs/') && document.getElementById('h-compared') !== null")


def test_what_the_model_saw_opens_in_a_dialog(browser: Browser, view: View) -> None:
    browser.visit(page(view, "/runs/a#trial-1-1"))
    browser.wait(f"{ON_TRIAL} && document.querySelectorAll('.step-tools button').length > 0")
    browser.value(
        "[...document.querySelectorAll('.step-tools button')].find(e => e.textContent.startsWith('What')).click()"
    )
    browser.wait("document.getElementById('show').open")
    assert "step 1" in browser.value("document.getElementById('shown-name').textContent")


def test_a_command_is_copied_or_shown_to_be_copied(browser: Browser, view: View) -> None:
    browser.visit(page(view, "/runs/a#trial-1-1"))
    browser.wait(f"{ON_TRIAL} && document.querySelectorAll('.step-tools button').length > 1")
    for grants in (True, False):
        browser.value(f"navigator.clipboard.writeText = async (text) => {{ if ({str(not grants).lower()}) throw 0; }}")
        browser.value("document.querySelectorAll('.step-tools')[1].lastChild.click()")
        if grants:
            browser.wait("document.getElementById('said').textContent === 'Copied.'")
        else:
            browser.wait("document.getElementById('show').open")
            assert browser.value("document.querySelector('#show pre').textContent").endswith(" --step 1")


def test_two_trials_stand_side_by_side_from_the_first_difference(browser: Browser, view: View) -> None:
    browser.visit(page(view, "/runs/a,b#trial-1-1~trial-2-1"))
    browser.wait(f"{ON_TRIAL} && document.querySelectorAll('#trial .pair').length > 1")
    assert browser.value("document.querySelectorAll('#trial .pair .step').length") >= 3
    assert browser.value("document.querySelector('#trial > h2').textContent") == "From here on they differ: step 1"
    browser.visit(page(view, "/runs/a,b#trial-1-2~trial-2-2"))
    browser.wait(f"{ON_TRIAL} && document.querySelector('#trial > details')?.textContent === 'All steps are the same'")


def test_a_citation_and_a_claim_open_the_file_at_their_line(browser: Browser, view: View, tmp_path: Path) -> None:
    del view
    example = DOCS / "examples"
    played = ("--model", f"scripted:{example / 'ask.toml'}")
    asked = controlplane("ask", "Until when may loan-02 be kept?", example / "library" / "desk", *played, cwd=tmp_path)
    assert asked.code == 0, asked.err
    with viewing(tmp_path, "runs") as live:
        browser.visit(live.address)
        browser.wait(f"{ROWS}.length === 1")
        browser.visit(browser.value("document.querySelector('.trials tbody a').href") + "#trial-1-1")
        browser.wait(f"{ON_TRIAL} && document.querySelectorAll('.file').length === 2")
        for at in (0, 1):
            browser.value(f"document.querySelectorAll('.file')[{at}].click()")
            assert '"due": "2027-03-19"' in browser.value("document.querySelector('#show .here').textContent")
            browser.value("document.getElementById('show').close()")
        browser.send("Page.navigate", url="about:blank")


@pytest.mark.parametrize("width", [400, 800, 1600])
@pytest.mark.parametrize("path", ["/", "/runs/a", "/runs/h", "/runs/a,b", "/runs/h#trial-1-1"])
def test_no_page_is_wider_than_its_window(browser: Browser, view: View, width: int, path: str) -> None:
    browser.size(width)
    browser.visit(page(view, path))
    assert browser.value(NO_OVERFLOW)
    browser.size(1280)


def test_a_running_trial_moves_by_itself(browser: Browser, view: View, tmp_path: Path) -> None:
    del view
    with growing(tmp_path / "live.jsonl", "a") as writer, viewing(tmp_path) as live:
        browser.visit(live.address)
        browser.wait("document.querySelector('.trials .state')?.textContent === 'running'")
        browser.visit(page(live, "/runs/live"))
        for event in trial_events("a", Played("a"))[:2]:
            writer.write(event)
        browser.wait("document.getElementById('h-live') !== null")
        browser.value("location.hash = 'trial-1-1'")
        browser.wait(f"{ON_TRIAL} && document.querySelectorAll('#trial .step').length === 1")
        for event in step_events("a", 1, (), "seen"):
            writer.write(event)
        browser.wait("document.getElementById('step-1') !== null")
        assert browser.value("document.getElementById('lost').hidden") is True
    browser.wait("!document.getElementById('lost').hidden")
    browser.send("Page.navigate", url="about:blank")
    browser.complaints.clear()  # of the connection that ended
