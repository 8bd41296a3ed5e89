"""The pages of `controlplane view`, a web server for recorded runs, in a real browser.

"/" lists the runs of a folder, "/runs/a" shows one, and "/runs/a,b#trial-1-1~trial-2-1" shows two
trials side by side. Tests press buttons in a headless Chromium, and read what is shown, with
expressions of JavaScript.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controlplane.journal.journal_writer import JournalWriter
from tests.controlplane.report.browser.page_expressions import (
    NOTHING_SCROLLS_SIDEWAYS,
    TRIAL_IS_SHOWN,
    fill_in_field,
)
from tests.controlplane.report.hostile_journal import hostile_journal
from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_steps import step_events
from tests.controlplane.report.reported_trial import ReportedTrial, trial_events
from tests.controlplane.report.running_view import RunningView, serving_view
from tests.controlplane.report.unfinished_journal import unfinished_journal
from tests.support.browser import Browser
from tests.support.command import ROOT, run_controlplane

pytestmark = pytest.mark.second_tier
WIDE_WINDOW = 1280
LISTED_RUNS = "document.querySelectorAll('.trials tbody tr')"
"""The rows of the list of runs, on the first page of `view`."""


@pytest.fixture(scope="module")
def view(
    tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> Iterator[RunningView]:
    """A server over three runs, "first" (/runs/a), "second" (/runs/b) and a hostile one
    (/runs/h), which the browser may read: it has opened the address with the token."""
    folder = tmp_path_factory.mktemp("runs")
    first_trials = [
        ReportedTrial("alpha", score=0.0, details=("no",), rejected_answers=1),
        ReportedTrial("beta", score=1.0),
    ]
    second_trials = [
        ReportedTrial("alpha", score=1.0),
        ReportedTrial("beta", score=1.0),
    ]
    journal_of_trials(folder / "a.jsonl", first_trials)
    journal_of_trials(folder / "b.jsonl", second_trials, name="second")
    hostile_journal(folder / "h.jsonl")
    with serving_view(folder) as view:
        browser.size(WIDE_WINDOW)
        browser.visit(view.address)
        browser.wait(f"{LISTED_RUNS}.length === 3")
        yield view
        assert browser.complaints == []


def visit(browser: Browser, view: RunningView, path: str) -> None:
    """Open a page of the view, such as "/runs/a"."""
    browser.visit(f"http://127.0.0.1:{view.port}{path}")


class TestListOfRuns:
    """The first page lists three runs, which the user searches, or chooses to compare.

    The runs are "first" (/runs/a), "second" (/runs/b), and one with hostile texts (/runs/h).
    """

    def test_the_list_of_runs_is_searched(
        self, browser: Browser, view: RunningView
    ) -> None:
        """The list of `view` has three runs; one of them is called "second"."""
        visit(browser, view, "/")
        browser.wait(f"{LISTED_RUNS}.length === 3")
        fill_in_field(browser, "search", "second")

        visible_names = browser.value(
            f"[...{LISTED_RUNS}].filter(row => !row.hidden)"
            ".map(row => row.querySelector('a').textContent)"
        )
        assert visible_names == ["second"]

    def test_two_runs_are_chosen_in_the_list_and_compared(
        self, browser: Browser, view: RunningView
    ) -> None:
        """Each row has a box to tick; a button opens the page that compares the chosen runs."""
        visit(browser, view, "/")
        browser.wait(f"{LISTED_RUNS}.length === 3")
        boxes_of_two_runs = ".pick[value=a], .pick[value=b]"
        browser.value(
            f"document.querySelectorAll('{boxes_of_two_runs}').forEach(box => box.click())"
        )
        browser.value("document.querySelector('#chosen button').click()")

        browser.wait("location.pathname.startsWith('/runs/')")
        browser.wait("document.getElementById('h-compared') !== null")


BUTTONS_OF_STEP_1 = "[...document.querySelectorAll('#step-1 .step-tools button')]"
"""The buttons of a trial's first step: "What the model saw" and "Copy fork command"."""


def open_first_trial_of_first_run(browser: Browser, view: RunningView) -> None:
    """Open the trial of "alpha", and wait until its first step has its buttons."""
    visit(browser, view, "/runs/a#trial-1-1")
    browser.wait(TRIAL_IS_SHOWN)
    browser.wait(f"{BUTTONS_OF_STEP_1}.length > 0")


def press_button_of_step_1(browser: Browser, first_word: str) -> None:
    """Press the button of the first step whose text begins with this word."""
    browser.value(f"""
        {BUTTONS_OF_STEP_1}
            .find(button => button.textContent.startsWith({first_word!r}))
            .click()
    """)


class TestStepButtons:
    """A step of a trial has the buttons "What the model saw" and "Copy fork command".

    The page is /runs/a#trial-1-1, the trial of the task alpha in the first run.
    """

    def test_what_the_model_saw_opens_in_a_dialog(
        self, browser: Browser, view: RunningView
    ) -> None:
        """Each step has a button that shows the request to the model."""
        open_first_trial_of_first_run(browser, view)
        press_button_of_step_1(browser, "What")

        browser.wait("document.getElementById('show').open")
        dialog_title = browser.value(
            "document.getElementById('shown-name').textContent"
        )
        assert "step 1" in dialog_title

    def test_a_command_is_copied_to_the_clipboard(
        self, browser: Browser, view: RunningView
    ) -> None:
        """The button copies the command that plays the trial again from step 1 on. The browser's
        function for the clipboard is replaced by one that succeeds."""
        open_first_trial_of_first_run(browser, view)
        browser.value("navigator.clipboard.writeText = async (text) => {}")
        press_button_of_step_1(browser, "Copy")

        browser.wait("document.getElementById('said').textContent === 'Copied.'")

    def test_a_command_is_shown_if_the_browser_refuses_the_clipboard(
        self, browser: Browser, view: RunningView
    ) -> None:
        """The user can then copy it by hand."""
        open_first_trial_of_first_run(browser, view)
        browser.value("navigator.clipboard.writeText = async (text) => { throw 0; }")
        press_button_of_step_1(browser, "Copy")

        browser.wait("document.getElementById('show').open")
        command = browser.value("document.querySelector('#show pre').textContent")
        assert command.endswith(" --step 1")


class TestTwoTrials:
    """Two trials of a task stand side by side: /runs/a,b#trial-1-1~trial-2-1.

    The runs have a trial each of alpha and of beta. Those of alpha differ. TRIAL_IS_SHOWN is
    an expression of JavaScript that is true while the page shows trials.
    """

    def test_two_trials_stand_side_by_side_from_their_first_difference(
        self, browser: Browser, view: RunningView
    ) -> None:
        """In the first run the answer of "alpha" was sent back, in the second it was not."""
        visit(browser, view, "/runs/a,b#trial-1-1~trial-2-1")
        browser.wait(TRIAL_IS_SHOWN)
        browser.wait("document.querySelectorAll('#trial .pair').length > 1")

        steps = browser.value("document.querySelectorAll('#trial .pair .step').length")
        assert steps >= 3
        heading = browser.value("document.querySelector('#trial > h2').textContent")
        assert heading == "From here on they differ: step 1"

    def test_two_equal_trials_are_said_to_be_the_same(
        self, browser: Browser, view: RunningView
    ) -> None:
        """The task beta has one trial in each of the two runs, with the same steps."""
        visit(browser, view, "/runs/a,b#trial-1-2~trial-2-2")
        browser.wait(TRIAL_IS_SHOWN)

        heading = "document.querySelector('#trial > details')?.textContent"
        browser.wait(f"{heading} === 'All steps are the same'")


class TestAnswerOfAQuestion:
    """The answer to a question has a claim, a date, and a citation of the file that says so.

    The question is "Until when may loan-02 be kept?", and a model replies from a file.
    """

    @pytest.mark.usefixtures("view")  # It sets the browser up.
    def test_a_citation_and_a_claim_open_the_file_at_their_line(
        self, browser: Browser, tmp_path: Path
    ) -> None:
        """Both links show the file with the line marked that has the date, 2027-03-19."""
        question = "Until when may loan-02 be kept?"
        examples = ROOT / "docs/examples"
        source = examples / "library" / "desk"
        model = f"scripted:{examples / 'ask.toml'}"
        asked = run_controlplane(
            "ask", question, source, "--model", model, cwd=tmp_path
        )
        assert asked.code == 0, asked.err

        with serving_view(tmp_path, journals="runs") as view_of_question:
            browser.visit(view_of_question.address)
            browser.wait(f"{LISTED_RUNS}.length === 1")
            run = browser.value("document.querySelector('.trials tbody a').href")
            browser.visit(f"{run}#trial-1-1")
            browser.wait(TRIAL_IS_SHOWN)
            browser.wait("document.querySelectorAll('.file').length === 2")
            # The claim and the citation each have a link to the file.
            for link in (0, 1):
                browser.value(f"document.querySelectorAll('.file')[{link}].click()")
                marked_line = browser.value(
                    "document.querySelector('#show .here').textContent"
                )
                assert '"due": "2027-03-19"' in marked_line
                browser.value("document.getElementById('show').close()")
            browser.send("Page.navigate", url="about:blank")


NARROW_WINDOW = 400
"""The width of a phone, in pixels, at which the rows of tables are laid out as cards."""


class TestNarrowWindows:
    """Every page fits its window, on a phone and on a wide screen.

    The runs are "first" (/runs/a), "second" (/runs/b) and one with long hostile texts
    (/runs/h).
    """

    @pytest.mark.parametrize("width", [NARROW_WINDOW, 800, 1600])
    @pytest.mark.parametrize(
        "path", ["/", "/runs/a", "/runs/h", "/runs/a,b", "/runs/h#trial-1-1"]
    )
    def test_no_page_of_the_view_is_wider_than_its_window(
        self, browser: Browser, view: RunningView, width: int, path: str
    ) -> None:
        """The run /runs/h has hostile texts, which are long, too."""
        browser.size(width)
        visit(browser, view, path)

        assert browser.value(NOTHING_SCROLLS_SIDEWAYS)
        browser.size(WIDE_WINDOW)


@contextmanager
def live_run(browser: Browser, folder: Path) -> Iterator[JournalWriter]:
    """Open the page of a run of the trial "a", which plays for the length of the block, and yield
    the writer of its journal."""
    with (
        unfinished_journal(folder / "live.jsonl", "a") as writer,
        serving_view(folder) as view_of_live_run,
    ):
        browser.visit(view_of_live_run.address)
        state = "document.querySelector('.trials .state')?.textContent"
        browser.wait(f"{state} === 'running'")
        visit(browser, view_of_live_run, "/runs/live")
        yield writer


@pytest.fixture
def browser_to_be_left(browser: Browser, view: RunningView) -> Iterator[Browser]:
    """The browser, for a page whose server ends. Other tests share the browser: the page must not
    go on to ask the ended server, and not leave complaints of the lost connection."""
    yield browser
    browser.send("Page.navigate", url="about:blank")
    browser.wait("document.URL === 'about:blank'")
    browser.complaints.clear()


class TestRunningTrial:
    """The page of a run that still plays follows its journal.

    A test writes the journal of a trial "a", event by event, as a run does. The page is not
    loaded again by the test.
    """

    def test_the_page_of_a_running_trial_follows_its_journal(
        self, browser_to_be_left: Browser, tmp_path: Path
    ) -> None:
        """The test writes the trial's start, and then its first step. The page shows each of them
        without being loaded again."""
        page = browser_to_be_left
        start, conversation_opening, *_ = trial_events("a", ReportedTrial("a"))
        with live_run(page, tmp_path) as writer:
            # The page of the run gets a part about running trials.
            writer.write(start)
            writer.write(conversation_opening)
            page.wait("document.getElementById('h-live') !== null")

            # The page of the trial has the opening, which is shown as a step, and gets the first
            # step.
            page.value("location.hash = 'trial-1-1'")
            page.wait(TRIAL_IS_SHOWN)
            page.wait("document.querySelectorAll('#trial .step').length === 1")
            for event in step_events("a", 1, text="seen"):
                writer.write(event)
            page.wait("document.getElementById('step-1') !== null")

    def test_a_page_says_that_the_connection_to_its_server_is_lost(
        self, browser_to_be_left: Browser, tmp_path: Path
    ) -> None:
        """The note is hidden until the server has ended."""
        page = browser_to_be_left
        start, conversation_opening, *_ = trial_events("a", ReportedTrial("a"))
        with live_run(page, tmp_path) as writer:
            writer.write(start)
            writer.write(conversation_opening)
            page.wait("document.getElementById('h-live') !== null")
            page.value("location.hash = 'trial-1-1'")
            page.wait(TRIAL_IS_SHOWN)
            assert page.value("document.getElementById('lost').hidden") is True

        page.wait("!document.getElementById('lost').hidden")
