"""Reports and the pages of `controlplane view` can be used in a real browser by everybody.

They fit a phone and a wide screen, work by keys and with screen readers, and show the table also
without scripts. Tables are sorted, filtered and searched, trials and steps have addresses, and
pages follow a running run. Hostile texts run nothing, and are shown as texts.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.report.run_report import run_report
from tests.controlplane.report.browser.written_reports import (
    NARROW_WINDOW,
    NOTHING_SCROLLS_SIDEWAYS,
    SUMMARY_IS_SHOWN,
    TITLE_OF_TRIAL,
    TRIAL_IS_SHOWN,
    VISIBLE_TASKS,
    WIDE_WINDOW,
    Reports,
    fill_in_field,
    leave_page,
    open_trial,
    viewed_runs,
    write_reports,
)
from tests.controlplane.report.hostile_journal import (
    HOSTILE_MARKUP,
    ReportedTrial,
    hostile_journal,
    journal_of_trials,
    journal_with_left_files,
    step_events,
    trial_events,
    unfinished_journal,
)
from tests.controlplane.report.listed_runs import RunningView, serving_view
from tests.support.browser import Browser
from tests.support.command import run_controlplane
from tests.support.product_files import ROOT


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """The files of three reports."""
    return write_reports(tmp_path_factory.mktemp("report"))


@pytest.fixture
def page(browser: Browser, reports: Reports) -> Iterator[Browser]:
    """The report of one run, open in a browser. The test fails if the browser complains,
    or if the report loads anything but itself."""
    browser.complaints.clear()
    browser.size(WIDE_WINDOW)
    browser.open(reports.of_one_run)
    yield browser
    assert browser.complaints == []
    (request,) = browser.requests
    assert request.startswith("file:")


# What a screen reader finds in a page, by the browser's own tree of accessible elements.
#
# For example:
#
#     accessible_elements(page)    ->    {("link", "alpha"), ("table", "Trials"), ...}


def accessible_elements(page: Browser) -> set[tuple[str, str]]:
    """Return role and name of each element that a screen reader finds: `{("link", "alpha"), ...}`.

    The tree of these elements is the browser's own.
    """
    elements = set()
    for node in page.send("Accessibility.getFullAXTree")["nodes"]:
        if not node.get("ignored") and "role" in node:
            name = str(node.get("name", {}).get("value", ""))
            elements.add((node["role"]["value"], name))
    return elements


def names_of(elements: set[tuple[str, str]]) -> set[str]:
    """Return the names of elements of whatever role: `{"alpha", ...}`."""
    return {name for _, name in elements}


# The element of a page that has the focus.
#
#     focused_text(page)    ->    "alpha"
#     focused_id(page)      ->    "step-1"
#
# The first is the link of a row in the table of trials, the second a step of a trial.


def focused_text(page: Browser) -> str:
    """Return the text of the element that has the focus: `"alpha"`, the link of a row."""
    return str(page.value("document.activeElement.textContent"))


def focused_id(page: Browser) -> str:
    """Return the id of the element that has the focus: `"step-1"`."""
    return str(page.value("document.activeElement.id"))


# A report fits its window, on a phone and on a screen.
#
# A report is one HTML file with a table of trials. `reports` are files about one run, about two, and
# about runs with hostile texts. Otherwise the user of a phone would have to scroll sideways.

narrow_windows_pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize("report", Reports._fields)
@pytest.mark.parametrize("width", [NARROW_WINDOW, WIDE_WINDOW])
def test_no_report_is_wider_than_its_window(
    page: Browser, reports: Reports, width: int, report: str
) -> None:
    """This holds for the table of trials and for the page of a trial. Otherwise the user of a
    phone would have to scroll sideways."""
    page.size(width)
    path = getattr(reports, report)

    page.open(path)
    page.wait(f"!({TRIAL_IS_SHOWN})")
    assert page.value(NOTHING_SCROLLS_SIDEWAYS)

    page.open(path, anchor="#trial-1-1")
    page.wait(TRIAL_IS_SHOWN)
    assert page.value(NOTHING_SCROLLS_SIDEWAYS)


def test_the_reasons_for_a_score_have_room_on_a_screen(
    page: Browser, tmp_path: Path
) -> None:
    """The long name of a file in a task must not take the room: it is broken into lines."""
    trial = ReportedTrial(
        "archive_payments_batch_export_of_the_first_quarter_n9MUGFCdop",
        score=0.0,
        details=("the amounts of two of the payments were not found",),
    )
    journal = journal_of_trials(tmp_path / "long.jsonl", [trial])
    report = tmp_path / "long.html"
    report.write_text("".join(run_report([journal]).pieces))

    page.open(report)
    page.wait(f"!({TRIAL_IS_SHOWN})")

    width = "document.querySelector('.trials .why').offsetWidth"
    width_of_table = "document.querySelector('.trials').offsetWidth"
    assert page.value(f"{width} / {width_of_table}") > 0.25


# A screen reader finds the tables, links and fields of a report by their roles and names.
#
# The window is as narrow as a phone, where the rows of the table are laid out as cards.
# `accessible_elements(page)` returns roles with names: `{("link", "alpha"), ...}`.

screen_readers_pytestmark = pytest.mark.second_tier


def test_a_screen_reader_finds_elements_by_role_and_name(page: Browser) -> None:
    """The window is narrow, in which the layout is another one."""
    page.size(NARROW_WINDOW)

    named_elements = {
        ("table", "Trials"),
        ("heading", "Why trials failed"),
        ("link", "alpha"),
        ("navigation", "Sections"),
        ("searchbox", "Search"),
        ("combobox", "Sort by"),
        ("combobox", "Show"),
    }
    assert accessible_elements(page) >= named_elements


def test_a_screen_reader_finds_cells_and_landmarks(page: Browser) -> None:
    """Cells keep their roles in the narrow window, where rows are laid out as cards."""
    page.size(NARROW_WINDOW)
    roles = {role for role, _ in accessible_elements(page)}

    assert {"row", "cell", "columnheader", "rowheader"} <= roles
    assert {"main", "search", "status"} <= roles


def test_every_control_and_image_has_a_name_for_screen_readers(page: Browser) -> None:
    page.size(NARROW_WINDOW)
    elements = accessible_elements(page)

    roles_with_names = ("button", "link", "combobox", "searchbox", "image")
    unnamed = [role for role, name in elements if role in roles_with_names and not name]
    assert unnamed == []
    image_names = [name for role, name in elements if role == "image"]
    assert "Mean score 0.625" in " ".join(image_names)


# A report shows the table of trials also in a browser that runs no scripts.
#
# Some companies' browsers run no scripts in files. The page is then made from HTML alone: without the
# fields to sort and search by, which would do nothing.

without_scripts_pytestmark = pytest.mark.second_tier


def markup_of(page: Browser, selector: str) -> str:
    """Return the HTML of the element with this selector, such as "#trials".

    Commands of the browser read it, not JavaScript, so that it works with scripts switched off.
    """
    root = page.send("DOM.getDocument")["root"]
    element = page.send("DOM.querySelector", nodeId=root["nodeId"], selector=selector)
    markup = page.send("DOM.getOuterHTML", nodeId=element["nodeId"])
    return str(markup["outerHTML"])


@pytest.fixture
def page_without_scripts(page: Browser, reports: Reports) -> Iterator[Browser]:
    """The report of one run, open in a browser that runs no scripts."""
    page.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.open(reports.of_one_run)
        yield page
    finally:
        page.send("Emulation.setScriptExecutionDisabled", value=False)


def test_without_scripts_the_report_has_the_table_of_trials(
    page_without_scripts: Browser,
) -> None:
    """Screen readers find the table, too."""
    assert "answer should be" in markup_of(page_without_scripts, "#trials")
    names = names_of(accessible_elements(page_without_scripts))
    assert {"alpha", "answer should be '4'", "Trials"} <= names


def test_without_scripts_the_report_has_no_controls(
    page_without_scripts: Browser,
) -> None:
    for name in names_of(accessible_elements(page_without_scripts)):
        assert "Sort by" not in name


# Keys move through the table of a report, as in a mail program.
#
#     j, k     the next and the previous row     Enter    open the trial
#     /, ?     search, and the list of keys      u        back to the table
#
# The table has the tasks alpha, beta, delta and gamma, in this order.

tables_pytestmark = pytest.mark.second_tier


def test_j_and_k_move_through_the_rows_of_the_table(page: Browser) -> None:
    page.press("j")
    assert focused_text(page) == "alpha"

    page.press("j")
    assert focused_text(page) == "beta"

    page.press("k")
    assert focused_text(page) == "alpha"


def test_enter_opens_the_trial_of_a_row_and_u_leads_back_to_it(page: Browser) -> None:
    page.press("j", "j", "Enter")
    page.wait(f"{TITLE_OF_TRIAL} === 'beta'")
    assert focused_text(page) == "beta"

    page.press("u")
    page.wait(SUMMARY_IS_SHOWN)
    assert focused_text(page) == "beta"


def test_a_slash_moves_to_the_field_for_a_search(page: Browser) -> None:
    page.press("/", "g", "a", "m")

    assert page.value(VISIBLE_TASKS) == ["gamma"]


def test_a_question_mark_opens_the_list_of_keys_also_after_a_search(
    page: Browser,
) -> None:
    """Escape leaves the field for a search, in which a question mark would be a letter."""
    page.press("/", "g", "Escape", "?")

    assert page.value("document.getElementById('help').open") is True


def test_keys_can_be_switched_off(page: Browser) -> None:
    """The switch is in the list of keys, which ? opens."""
    page.press("?")
    page.click("#keys-on")
    page.value("document.getElementById('help').close()")
    page.press("j")

    assert page.value("document.activeElement.matches('.trials a')") is False


# Keys move through the trials of a report and their steps, as in a mail program.
#
#     j, k     the next and the previous step      r    the next rejected answer
#     ], [     the next and the previous trial
#
# The trials are those of the tasks alpha, beta, delta and gamma, in this order.

trials_pytestmark = pytest.mark.second_tier


def test_j_and_k_move_through_the_steps_of_a_trial(page: Browser) -> None:
    """The first of them, `step-0`, is the initial prompt."""
    open_trial(page, "trial-1-2")

    page.press("j")
    assert focused_id(page) == "step-0"

    page.press("j")
    assert focused_id(page) == "step-1"

    page.press("k")
    assert focused_id(page) == "step-0"


def test_brackets_move_to_the_next_and_the_previous_trial(page: Browser) -> None:
    open_trial(page, "trial-1-2")

    page.press("]")
    page.wait(f"{TITLE_OF_TRIAL} === 'delta'")

    page.press("[")
    page.wait(f"{TITLE_OF_TRIAL} === 'beta'")

    page.press("[")
    page.wait(f"{TITLE_OF_TRIAL} === 'alpha'")


def test_r_moves_to_the_next_rejected_answer(page: Browser) -> None:
    """The answer of step 1 of alpha was sent back."""
    open_trial(page, "trial-1-1")

    page.press("r")

    assert focused_id(page) == "step-1"


# Texts in a report that try to become HTML and to run scripts are shown as texts, in a real browser.
#
# A report is one HTML file about recorded runs. Models, environments and users write texts in it: here
# every one tries to change the page's title by a script.

hostile_texts_pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    ("anchor", "awaited"),
    [
        pytest.param("", f"!({TRIAL_IS_SHOWN})", id="table"),
        pytest.param("#trial-1-1", TRIAL_IS_SHOWN, id="trial of the first run"),
        pytest.param("#trial-2-1/1", TRIAL_IS_SHOWN, id="step of the second run"),
    ],
)
def test_hostile_text_runs_nothing_and_is_shown_as_text(
    page: Browser, reports: Reports, anchor: str, awaited: str
) -> None:
    """Every text of the two runs tries to change the page's title by a script. The key f
    unfolds all that is folded."""
    page.open(reports.of_hostile_runs, anchor=anchor)
    page.wait(awaited)
    page.press("f")

    assert page.value("document.title") != "owned"
    number_of_foreign_elements = page.value(
        "document.querySelectorAll('img, iframe, object, svg[onload], [onerror]').length"
    )
    assert number_of_foreign_elements == 0
    # Behind this part are control characters, which are shown by visible signs.
    plain_part, _, _ = HOSTILE_MARKUP.partition("\u202e")
    assert plain_part in page.value("document.body.textContent")


# The policy in the head of a report stops markup that was planted in it, in a real browser.
#
# A script, an image and a style are planted in a report, as if a text were not escaped. The content
# security policy is a second line of defence: no other script or style runs, nothing is loaded, and no
# text becomes HTML.

planted_markup_pytestmark = pytest.mark.second_tier


PLANTED_MARKUP = (
    "<script>document.title='owned'</script>"
    "<img src='http://127.0.0.1:9/x' onerror=\"document.title='owned'\">"
    "<style>body{zoom:2}</style>"
)
"""A script that changes the title, an image from elsewhere, and a style that enlarges the page."""


TRY_TO_SET_HTML = """
    (() => {
        try {
            document.body.innerHTML = '<b>x</b>';
            return 'set';
        } catch (error) {
            return error.name;
        }
    })()
"""
"""Gives "set", or the name of the error with which the browser refuses to make HTML of a text."""


@pytest.fixture
def spoilt_page(
    browser: Browser, reports: Reports, tmp_path: Path
) -> Iterator[Browser]:
    """A report with the planted markup, as if a text were not escaped, open in a browser.

    The browser complains about it. Other tests share the browser, and must not find that.
    """
    html = reports.of_one_run.read_text("utf-8")
    spoilt = tmp_path / "spoilt.html"
    spoilt.write_text(html.replace("<h1>", f"{PLANTED_MARKUP}<h1>", 1))
    browser.complaints.clear()
    browser.open(spoilt)
    yield browser
    browser.complaints.clear()


def test_the_policy_of_a_report_stops_markup_that_was_planted_in_it(
    spoilt_page: Browser,
) -> None:
    assert spoilt_page.value("document.title") == "first · run report"
    assert spoilt_page.value("getComputedStyle(document.body).zoom") == "1"
    assert spoilt_page.value(TRY_TO_SET_HTML) == "TypeError"

    complaints_of_policy = []
    for complaint in spoilt_page.complaints:
        if "Content Security Policy" in complaint:
            complaints_of_policy.append(complaint)
    assert len(complaints_of_policy) >= 3  # about the script, the image and the style


# The answer to a question links to the file that says so, and the file opens at the right line.

links_to_files_pytestmark = pytest.mark.second_tier


def test_the_claim_and_the_citation_open_the_file_at_their_line(
    browser: Browser, tmp_path: Path
) -> None:
    """The line is `"due": "2027-03-19"`. The example docs/examples/ask.toml answers by it."""
    examples = ROOT / "docs/examples"
    asked = run_controlplane(
        "ask",
        "Until when may loan-02 be kept?",
        examples / "library" / "desk",
        "--model",
        f"scripted:{examples / 'ask.toml'}",
        cwd=tmp_path,
    )
    assert asked.code == 0, asked.err

    with viewed_runs(browser, tmp_path, journals="runs"):
        browser.wait_for(".trials a")
        run_address = browser.value("document.querySelector('.trials a').href")
        browser.visit(f"{run_address}#trial-1-1")
        browser.wait(TRIAL_IS_SHOWN)
        browser.wait("document.querySelectorAll('.file').length === 2")

        browser.value("document.querySelectorAll('.file')[0].click()")
        assert '"due": "2027-03-19"' in browser.text("#show .here")
        browser.value("document.getElementById('show').close()")

        browser.value("document.querySelectorAll('.file')[1].click()")
        assert '"due": "2027-03-19"' in browser.text("#show .here")


# The first page of `controlplane view` lists runs, which the user searches, or chooses to compare.

list_of_runs_pytestmark = pytest.mark.second_tier


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the runs a.jsonl and b.jsonl, which the user calls "first" and "second"."""
    journal_of_trials(tmp_path / "a.jsonl", [ReportedTrial("alpha")], name="first")
    journal_of_trials(tmp_path / "b.jsonl", [ReportedTrial("alpha")], name="second")
    return tmp_path


def visible_runs(browser: Browser) -> set[str]:
    """Return the names in the rows of the list that are not hidden: `{"first", "second"}`."""
    names = browser.value("""
        [...document.querySelectorAll('.trials tbody tr')]
            .filter(row => !row.hidden)
            .map(row => row.querySelector('a').textContent)
    """)
    return set(names)


def test_the_list_of_runs_is_searched(browser: Browser, folder: Path) -> None:
    with viewed_runs(browser, folder):
        browser.wait("document.querySelectorAll('.trials tbody tr').length === 2")
        assert visible_runs(browser) == {"first", "second"}

        fill_in_field(browser, "search", "second")

        assert visible_runs(browser) == {"second"}


def test_two_runs_are_chosen_in_the_list_and_compared(
    browser: Browser, folder: Path
) -> None:
    """Each row has a box to tick; a button opens the page that compares the chosen runs."""
    with viewed_runs(browser, folder):
        browser.click(".pick[value=a]")
        browser.click(".pick[value=b]")
        browser.click("#chosen button")

        browser.wait("location.pathname.startsWith('/runs/')")
        browser.wait_for("#h-compared")


# A page of `controlplane view` says when the connection to its server is lost.
#
# The page asks the server for news as long as the run plays.

lost_server_pytestmark = pytest.mark.second_tier


@pytest.fixture
def page_to_leave(browser: Browser) -> Iterator[Browser]:
    """A page that is left after the test. Otherwise it would go on asking its server, which has
    ended, and the browser, which other tests use, would record the errors."""
    yield browser
    leave_page(browser)


def test_a_page_says_that_the_connection_to_its_server_is_lost(
    page_to_leave: Browser, tmp_path: Path
) -> None:
    """The note, an element with the id "lost", is hidden until the server has ended."""
    page = page_to_leave
    start, opening, *_ = trial_events("a", ReportedTrial("a"))
    with unfinished_journal(tmp_path / "live.jsonl", "a") as writer:
        writer.write(start)
        writer.write(opening)
        with serving_view(tmp_path) as view:
            # The address of the list of runs has a token, without which no other page is shown.
            page.visit(view.address)
            page.visit(view.url("/runs/live"))
            page.wait_for("#h-live")  # the part on running trials
            page.value("location.hash = 'trial-1-1'")
            page.wait(TRIAL_IS_SHOWN)
            assert page.value("document.getElementById('lost').hidden") is True

        # The server has ended.
        page.wait("!document.getElementById('lost').hidden")


# A trial in a report, or a step of it, has an address of its own: `#trial-1-2/12`.
#
# 1-2 is the second trial of the first run, beta, and 12 its step. The table of trials and their pages are
# one file, `reports.of_one_run`, and yet the browser's button "back" leads from one to the other.

report_links_pytestmark = pytest.mark.second_tier


def test_a_link_to_a_step_opens_the_trial_at_that_step(
    page: Browser, reports: Reports
) -> None:
    """In `#trial-1-2/12`, 1-2 is the second trial of the first run, beta, and 12 its step."""
    page.open(reports.of_one_run, anchor="#trial-1-2/12")

    page.wait("document.activeElement.id === 'step-12'")


def test_going_back_from_the_table_returns_to_the_trial(
    page: Browser, reports: Reports
) -> None:
    """The user presses the browser's own button, as if trial and table were pages of a site."""
    page.open(reports.of_one_run, anchor="#trial-1-2/12")
    page.value("location.hash = '#h-trials'")
    page.wait(SUMMARY_IS_SHOWN)
    page.value("history.back()")

    page.wait(f"{TRIAL_IS_SHOWN} && {TITLE_OF_TRIAL} === 'beta'")


def test_a_link_to_a_trial_that_does_not_exist_shows_the_table(
    page: Browser, reports: Reports
) -> None:
    """`#trial-9-9` would be the ninth trial of a ninth run; the report has one run."""
    page.open(reports.of_one_run, anchor="#trial-1-2/12")
    page.wait(TRIAL_IS_SHOWN)
    page.value("location.hash = '#trial-9-9'")

    page.wait(SUMMARY_IS_SHOWN)


# The table of trials in a report, in a real browser: it is sorted, filtered and searched.
#
# The report is one HTML file. `page` is open in a headless Chromium; its run has four tasks:
#
#     alpha   score 0, an answer was sent back      gamma   score 1
#     beta    score 0.5, 13 steps                   delta   score 1

report_table_pytestmark = pytest.mark.second_tier


def test_pressing_a_heading_sorts_the_table_and_pressing_it_again_reverses_it(
    page: Browser,
) -> None:
    """The heading is that of the column of steps; "beta" has 13 of them."""
    direction = "document.querySelector('.trials th[data-key=steps]').ariaSort"

    page.click(".trials th[data-key=steps] button")
    assert page.value(VISIBLE_TASKS)[0] == "beta"
    assert page.value(direction) == "descending"

    page.click(".trials th[data-key=steps] button")
    assert page.value(VISIBLE_TASKS)[-1] == "beta"
    assert page.value(direction) == "ascending"


def test_the_table_is_sorted_by_the_chosen_column(page: Browser) -> None:
    """The user chooses a column in a form. At first the worst trial is on top, and the tasks' names
    happen to be in that order, too."""
    assert page.value(VISIBLE_TASKS) == ["alpha", "beta", "delta", "gamma"]

    fill_in_field(page, "sort", "steps")
    steps_1_2_3_and_13 = ["gamma", "alpha", "delta", "beta"]
    assert page.value(VISIBLE_TASKS) == steps_1_2_3_and_13

    fill_in_field(page, "sort", "task")
    assert page.value(VISIBLE_TASKS) == ["alpha", "beta", "delta", "gamma"]

    # Without a chosen column, no heading has a direction.
    fill_in_field(page, "sort", "")
    direction_by_steps = "document.querySelector('.trials th[data-key=steps]').ariaSort"
    assert page.value(direction_by_steps) is None


@pytest.mark.parametrize(
    ("field", "value", "tasks"),
    [
        pytest.param("filter", "failed", ["alpha"], id="score 0"),
        pytest.param("filter", "between", ["beta"], id="score between 0 and 1"),
        pytest.param("filter", "perfect", ["delta", "gamma"], id="score 1"),
        pytest.param("filter", "back", ["alpha"], id="an answer was sent back"),
        pytest.param("filter", "noanswer", [], id="no answer"),
        pytest.param("search", "does GAMMA ask", ["gamma"], id="in the instruction"),
        pytest.param("search", "should '7'", ["beta"], id="two words of the grader"),
        pytest.param("search", "nothing of the kind", [], id="in no trial"),
    ],
)
def test_the_table_is_filtered_and_searched(
    page: Browser, field: str, value: str, tasks: list[str]
) -> None:
    """A note says if no trial fits."""
    fill_in_field(page, field, value)

    assert page.value(VISIBLE_TASKS) == tasks
    assert page.text("#shown") == f"{len(tasks)} of 4 trials"
    note_is_hidden = page.value("document.getElementById('nothing').hidden")
    assert note_is_hidden is (tasks != [])


# The pages of `controlplane view` follow a run that still plays, without being loaded again.
#
# The test writes the journal of the run event by event, as a run does. It starts at the list of runs,
# and goes to the page of the run, and there to its only trial.

running_trial_pytestmark = pytest.mark.second_tier

STATE_IN_LIST = ".trials .state"
"""The selector of a run's state in the list of runs."""

RUNNING_TRIALS = "#h-live"
"""The heading of the part on running trials. A page without such trials does not have it."""

THERE_IS_ONE_STEP = "document.querySelectorAll('#trial .step').length === 1"


def test_the_pages_of_a_running_run_follow_its_journal(
    browser: Browser, tmp_path: Path
) -> None:
    start, opening, *_ = trial_events("a", ReportedTrial("a"))
    with (
        unfinished_journal(tmp_path / "live.jsonl", "a") as writer,
        viewed_runs(browser, tmp_path) as view,
    ):
        # The browser shows the list of runs.
        browser.wait_for(STATE_IN_LIST)
        assert browser.text(STATE_IN_LIST) == "running"

        # The page of the run gets a part on running trials when the first trial starts.
        browser.visit(view.url("/runs/live"))
        writer.write(start)
        writer.write(opening)
        browser.wait_for(RUNNING_TRIALS)

        # The trial has a step for its opening, and gets step 1 when it is written.
        browser.value("location.hash = 'trial-1-1'")
        browser.wait(TRIAL_IS_SHOWN)
        browser.wait(THERE_IS_ONE_STEP)
        for event in step_events("a", 1, text="seen"):
            writer.write(event)
        browser.wait_for("#step-1")


# A step on the page of a trial has the buttons "What the model saw" and "Copy fork command".

step_buttons_pytestmark = pytest.mark.second_tier


@pytest.fixture
def trial_page(browser: Browser, tmp_path: Path) -> Iterator[Browser]:
    """The page of a trial of one step, once the step has its buttons."""
    journal_of_trials(tmp_path / "a.jsonl", [ReportedTrial("alpha")])
    with viewed_runs(browser, tmp_path) as view:
        browser.visit(view.url("/runs/a#trial-1-1"))
        browser.wait_for("#step-1 .step-tools button")
        yield browser


def press_button(page: Browser, name: str) -> None:
    """Press the button of step 1 whose text begins with this name."""
    page.value(f"""
        [...document.querySelectorAll('#step-1 .step-tools button')]
            .find(button => button.textContent.startsWith({name!r}))
            .click()
    """)


def test_what_the_model_saw_opens_in_a_dialog(trial_page: Browser) -> None:
    """Each step has a button that shows the request to the model."""
    press_button(trial_page, "What the model saw")

    trial_page.wait("document.getElementById('show').open")
    assert "step 1" in trial_page.text("#shown-name")


def test_what_a_trial_has_left_opens_from_its_page(
    browser: Browser, tmp_path: Path
) -> None:
    """The page shows the last lines of its verifier, and has a link to each file."""
    journal_with_left_files(tmp_path)

    with viewed_runs(browser, tmp_path) as view:
        browser.visit(view.url("/runs/a#trial-1-1"))
        browser.wait_for("ul.left a")
        shown = browser.text("main")
        browser.value("document.querySelector('ul.left a').click()")
        browser.wait("document.URL.endsWith('/left/verifier/ctrf.json')")
        browser.wait("document.body.textContent.includes('<script>')")

    assert "line 199" in shown


def test_a_command_is_copied_to_the_clipboard(trial_page: Browser) -> None:
    """The command plays the trial again from step 1 on."""
    trial_page.value("navigator.clipboard.writeText = async (text) => {}")

    press_button(trial_page, "Copy fork command")

    trial_page.wait("document.getElementById('said').textContent === 'Copied.'")


def test_a_command_is_shown_if_the_browser_refuses_the_clipboard(
    trial_page: Browser,
) -> None:
    """The user can then copy it by hand."""
    trial_page.value("navigator.clipboard.writeText = async (text) => { throw 0; }")

    press_button(trial_page, "Copy fork command")

    trial_page.wait("document.getElementById('show').open")
    assert trial_page.text("#show pre").endswith(" --step 1")


# The page of a trial in a report, in a real browser, shows what is recorded of the trial.
#
# The page is that of the trial "alpha":
#
#     request     "What does alpha ask?"
#     step 1      state "state 1", plan "first", then "then", code "for each in range(1): ..."
#                 the call read(path="/doc-1.md"), the output "seen"
#                 an answer with OUTCOME_OK, which a check, a *gate*, sent back: "the gates said no"
#     step 2      the same with "state 2" and /doc-2.md; its answer is accepted
#     sent        "answer of alpha"
#     score       0, because "answer should be '4'"

trial_page_pytestmark = pytest.mark.second_tier


def test_a_trial_shows_question_and_reasons_before_its_steps(page: Browser) -> None:
    """What was asked, and why the answer is wrong, is what the user wants to know first."""
    open_trial(page, "trial-1-1")
    text = page.text("#trial")

    parts_in_order = [
        "What does alpha ask?",
        "answer should be '4'",
        "Initial prompt",
        "Step 1",
        "sent back OUTCOME_OK",
        "Step 2",
    ]
    places = [text.index(part) for part in parts_in_order]
    assert places == sorted(places)
    assert text.count("What does alpha ask?") == 1


def test_a_trial_shows_all_parts_of_its_steps(page: Browser) -> None:
    """The two headings are the page's own; all else is recorded, as listed above."""
    recorded_parts = [
        "state 1",
        "first",  # the plan
        "for each in",  # the code
        "seen",  # the output
        'read(path="/doc-1.md")',
        "the gates said no",
        "answer of alpha",
    ]
    headings = ["Scratchpad", "What the gates said"]

    open_trial(page, "trial-1-1")
    text = page.text("#trial")

    for part in [*recorded_parts, *headings]:
        assert part in text


def test_code_is_shown_as_it_was_written(page: Browser) -> None:
    """Its colours are elements of HTML, and it has characters of two and four bytes."""
    open_trial(page, "trial-1-1")

    code = page.text(".code")
    assert code == "for each in range(1):\n    print('é𝄞', each)  # say"


# The page /runs/a,b#trial-1-1~trial-2-1 shows a trial of each of two runs side by side.

trials_side_by_side_pytestmark = pytest.mark.second_tier


def test_two_trials_stand_side_by_side_from_their_first_difference(
    browser: Browser, tmp_path: Path
) -> None:
    """The answer of step 1 is sent back in the first run, and accepted in the second."""
    rejected_first = ReportedTrial("alpha", rejected_answers=1)
    accepted_at_once = ReportedTrial("alpha", rejected_answers=0)
    journal_of_trials(tmp_path / "a.jsonl", [rejected_first])
    journal_of_trials(tmp_path / "b.jsonl", [accepted_at_once])

    with viewed_runs(browser, tmp_path) as view:
        browser.visit(view.url("/runs/a,b#trial-1-1~trial-2-1"))
        browser.wait(TRIAL_IS_SHOWN)
        browser.wait("document.querySelectorAll('#trial .pair').length > 1")

        assert browser.text("#trial > h2") == "From here on they differ: step 1"
        steps = browser.value("document.querySelectorAll('#trial .pair .step').length")
        assert steps == 2 + 1  # two of the first trial, one of the second


def test_two_equal_trials_are_said_to_be_the_same(
    browser: Browser, tmp_path: Path
) -> None:
    journal_of_trials(tmp_path / "a.jsonl", [ReportedTrial("beta")])
    journal_of_trials(tmp_path / "b.jsonl", [ReportedTrial("beta")])

    with viewed_runs(browser, tmp_path) as view:
        browser.visit(view.url("/runs/a,b#trial-1-1~trial-2-1"))
        browser.wait(TRIAL_IS_SHOWN)

        browser.wait_for("#trial > details")
        assert browser.text("#trial > details") == "All steps are the same"


pytestmark = pytest.mark.second_tier


# Every page of `controlplane view` fits its window, on a phone and on a wide screen.


@pytest.fixture(scope="module")
def view(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningView]:
    """The runs a.jsonl and b.jsonl, h.jsonl, whose texts are long, and try to break pages, and two
    runs on another scale, of which most trials have no score for long reasons."""
    folder = tmp_path_factory.mktemp("runs")
    failed = ReportedTrial("alpha", score=0.0, details=("no",), rejected_answers=1)
    journal_of_trials(folder / "a.jsonl", [failed, ReportedTrial("beta")])
    journal_of_trials(
        folder / "b.jsonl", [ReportedTrial("alpha"), ReportedTrial("beta")]
    )
    hostile_journal(folder / "h.jsonl")
    unscored = [
        ReportedTrial(f"long-name-of-a-task-{number}", score=None, unscored=reason)
        for number, reason in enumerate(("x" * 300, "the score 2 is " * 20, "no"))
    ]
    for name in ("u", "v"):
        journal_of_trials(
            folder / f"{name}.jsonl",
            [*unscored, ReportedTrial("huge", score=-1e15), ReportedTrial("alpha")],
            scale=(-1e15, 123456.75),
        )
    with viewed_runs(browser, folder) as view:
        yield view


@pytest.mark.parametrize(
    "width",
    [
        pytest.param(400, id="phone"),
        pytest.param(800, id="tablet"),
        pytest.param(1600, id="wide screen"),
    ],
)
@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/", id="the list of runs"),
        pytest.param("/runs/a", id="a run"),
        pytest.param("/runs/a,b", id="two runs compared"),
        pytest.param("/runs/h", id="a run with long texts"),
        pytest.param("/runs/u", id="a run without scores on another scale"),
        pytest.param("/runs/u,v", id="two such runs compared"),
        pytest.param("/runs/h#trial-1-1", id="a trial with long texts"),
    ],
)
def test_no_page_of_the_view_is_wider_than_its_window(
    browser: Browser, view: RunningView, width: int, path: str
) -> None:
    browser.size(width)

    browser.visit(view.url(path))

    assert browser.value(NOTHING_SCROLLS_SIDEWAYS)
