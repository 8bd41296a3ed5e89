"""Reports in a real browser, a headless Chromium.

A report is one HTML file about recorded runs. It has a table of their trials, and the page of a
trial opens at an anchor: `report.html#trial-1-2` is the second trial of the first run. Tests press
keys and buttons, and read what is shown, with expressions of JavaScript.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from controlplane.report.run_report import run_report
from tests.controlplane.report.hostile_journal import HOSTILE_MARKUP, hostile_journal
from tests.controlplane.report.reported_run import (
    ReportedTrial,
    journal_of_trials,
)
from tests.controlplane.report.viewed import (
    NOTHING_SCROLLS_SIDEWAYS,
    TRIAL_IS_SHOWN,
    fill_in_field,
)
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier
WIDE_WINDOW = 1280
NARROW_WINDOW = 400
"""The width of a phone, in pixels, at which the rows of tables are laid out as cards."""
LONG_TEXT = "a long text that is shown when it is unfolded " * 40
TRIALS = [
    ReportedTrial(
        "alpha",
        score=0.0,
        details=("answer should be '4'", "/docs/a.md is missing"),
        rejected_answers=1,
    ),
    ReportedTrial("beta", score=0.5, details=("answer should be '7'",), steps=12),
    ReportedTrial("gamma", score=1.0, text=LONG_TEXT),
    ReportedTrial("delta", score=1.0, steps=2),
]
"""The trials of the run that most tests look at. Their mean score is 0.625."""

# Expressions of JavaScript.
VISIBLE_TASKS = """
    [...document.querySelectorAll('.trials tbody tr:not([hidden]) a')].map(link => link.textContent)
"""
"""The tasks in the visible rows of the table of trials, such as `["alpha", "beta"]`."""
TITLE_OF_TRIAL = "document.querySelector('#trial h1')?.textContent"
"""The task of the trial that is open."""
SUMMARY_IS_SHOWN = "!document.getElementById('summary').hidden"
"""True while the page shows the table of trials instead of a trial."""


class Reports(NamedTuple):
    """Report files."""

    of_one_run: Path
    """About the run with `TRIALS`."""
    of_two_runs: Path
    """About that run and another one."""
    of_hostile_runs: Path
    """About two runs whose texts are HTML with scripts."""


def write_report(path: Path, *journals: Path) -> Path:
    """Write a report about runs, and return its path."""
    path.write_text("".join(run_report(journals).pieces), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """The files of three reports."""
    folder = tmp_path_factory.mktemp("report")
    first = journal_of_trials(folder / "a.jsonl", TRIALS)
    trials_of_second_run = [
        ReportedTrial("alpha", score=1.0),
        ReportedTrial("beta", score=0.5),
        ReportedTrial("new", score=None),
    ]
    second = journal_of_trials(folder / "b.jsonl", trials_of_second_run, name="second")
    hostile = hostile_journal(folder / "h.jsonl")
    other_hostile = hostile_journal(folder / "i.jsonl")
    return Reports(
        of_one_run=write_report(folder / "one.html", first),
        of_two_runs=write_report(folder / "two.html", first, second),
        of_hostile_runs=write_report(folder / "hostile.html", hostile, other_hostile),
    )


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


def test_pressing_a_heading_sorts_the_table_and_pressing_it_again_reverses_it(
    page: Browser,
) -> None:
    """The heading is that of the column of steps; "beta" has 13 of them."""
    heading = "document.querySelector('.trials th[data-key=steps]')"
    press_heading = f"{heading}.querySelector('button').click()"
    direction = f"{heading}.ariaSort"
    task_with_most_steps = "beta"

    page.value(press_heading)
    assert page.value(VISIBLE_TASKS)[0] == task_with_most_steps
    assert page.value(direction) == "descending"

    page.value(press_heading)
    assert page.value(VISIBLE_TASKS)[-1] == task_with_most_steps
    assert page.value(direction) == "ascending"


def test_the_table_is_sorted_by_the_chosen_column(page: Browser) -> None:
    """The user chooses a column in a form. At first the worst trial is on top, and the tasks' names
    happen to be in that order, too."""
    worst_first = ["alpha", "beta", "delta", "gamma"]
    by_name = ["alpha", "beta", "delta", "gamma"]
    assert page.value(VISIBLE_TASKS) == worst_first

    fill_in_field(page, "sort", "steps")
    assert page.value(VISIBLE_TASKS) != worst_first

    fill_in_field(page, "sort", "task")
    assert page.value(VISIBLE_TASKS) == by_name

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
    """The run has the tasks alpha (score 0), beta (0.5), gamma and delta (1)."""
    fill_in_field(page, field, value)

    assert page.value(VISIBLE_TASKS) == tasks
    count = page.value("document.getElementById('shown').textContent")
    assert count == f"{len(tasks)} of 4 trials"
    note_that_nothing_fits_is_hidden = page.value(
        "document.getElementById('nothing').hidden"
    )
    assert note_that_nothing_fits_is_hidden is (tasks != [])


def open_trial(page: Browser, anchor: str) -> None:
    """Go to the anchor of a trial, such as "trial-1-1", and wait until it is shown."""
    page.value(f"location.hash = {anchor!r}")
    page.wait(TRIAL_IS_SHOWN)
    page.wait(f"location.hash.startsWith('#{anchor}')")
    page.wait(f"document.title.includes({TITLE_OF_TRIAL})")


def test_a_trial_shows_question_and_reasons_before_its_steps(page: Browser) -> None:
    """What was asked, and why the answer is wrong, is what the user wants to know first."""
    open_trial(page, "trial-1-1")
    text = page.value("document.getElementById('trial').innerText")

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


PARTS_OF_STEPS = [
    "answer of alpha",
    "state 1",
    "first",  # from the plan
    "for each in",  # from the code
    "seen",  # from the output
    'read(path="/doc-1.md")',
    "Scratchpad",
    "What the gates said",
    "the gates said no",
]


def test_a_trial_shows_all_parts_of_its_steps(page: Browser) -> None:
    """The trial has two steps, with an answer in each."""
    open_trial(page, "trial-1-1")
    text = page.value("document.getElementById('trial').innerText")

    for part in PARTS_OF_STEPS:
        assert part in text


def test_code_is_shown_as_it_was_written(page: Browser) -> None:
    """Its colours are elements of HTML, and it has characters of two and four bytes."""
    open_trial(page, "trial-1-1")

    code = page.value("document.querySelector('.code').textContent")
    assert code == "for each in range(1):\n    print('é𝄞', each)  # say"


FOCUSED_TEXT = "document.activeElement.textContent"
FOCUSED_ID = "document.activeElement.id"


class KeyPress(NamedTuple):
    """Keys that are pressed, and what is seen then.

    After `KeyPress("j", FOCUSED_TEXT, "alpha")`, the text of the focused element is "alpha".
    """

    keys: str
    """Keys that are pressed one after the other, separated by spaces."""
    looked_at: str
    """An expression of JavaScript."""
    seen: object
    """Its value after the keys."""
    awaited: str = "true"
    """An expression that has to become true before the test looks."""


KEY_PRESSES = [
    # j and k: the next and the previous row or step. Enter: open the trial.
    KeyPress("j", FOCUSED_TEXT, "alpha"),
    KeyPress("j", FOCUSED_TEXT, "beta"),
    KeyPress("Enter", FOCUSED_TEXT, "beta", awaited=f"{TITLE_OF_TRIAL} === 'beta'"),
    KeyPress("j j", FOCUSED_ID, "step-1"),
    KeyPress("k", FOCUSED_ID, "step-0"),
    # ] and [: the next and the previous trial.
    KeyPress("]", TITLE_OF_TRIAL, "delta", awaited=f"{TITLE_OF_TRIAL} === 'delta'"),
    KeyPress("[", TITLE_OF_TRIAL, "beta", awaited=f"{TITLE_OF_TRIAL} === 'beta'"),
    KeyPress("[", TITLE_OF_TRIAL, "alpha", awaited=f"{TITLE_OF_TRIAL} === 'alpha'"),
    # r: the next rejected answer. u: back to the table.
    KeyPress("r", FOCUSED_ID, "step-1"),
    KeyPress("u", FOCUSED_TEXT, "alpha", awaited=SUMMARY_IS_SHOWN),
    # /: search. ?: the list of keys.
    KeyPress("/ g a m", VISIBLE_TASKS, ["gamma"]),
    KeyPress("Escape ?", "document.getElementById('help').open", True),
]


def test_keys_move_through_trials_and_steps(page: Browser) -> None:
    """The table has the tasks alpha, beta, delta and gamma, in this order."""
    for press in KEY_PRESSES:
        page.press(*press.keys.split())
        page.wait(press.awaited)
        assert page.value(press.looked_at) == press.seen, press.keys


def test_keys_can_be_switched_off(page: Browser) -> None:
    """The switch is in the list of keys, which ? opens."""
    page.press("?")
    page.value("document.getElementById('keys-on').click()")
    page.value("document.getElementById('help').close()")
    page.press("j")

    assert page.value("document.activeElement.matches('.trials a')") is False


def test_a_link_to_a_step_opens_the_trial_at_that_step(
    page: Browser, reports: Reports
) -> None:
    """The anchor is for step 12 of the second trial."""
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
    """There is no ninth run in the report."""
    page.open(reports.of_one_run, anchor="#trial-1-2/12")
    page.wait(TRIAL_IS_SHOWN)
    page.value("location.hash = '#trial-9-9'")

    page.wait(SUMMARY_IS_SHOWN)


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
    """The content security policy in the file's head is a second line of defence, should a
    text not be escaped: no other script or style runs, nothing is loaded, no text becomes HTML."""
    assert spoilt_page.value("document.title") == "first · run report"
    assert spoilt_page.value("getComputedStyle(document.body).zoom") == "1"
    assert spoilt_page.value(TRY_TO_SET_HTML) == "TypeError"

    complaints_of_policy = []
    for complaint in spoilt_page.complaints:
        if "Content Security Policy" in complaint:
            complaints_of_policy.append(complaint)
    assert len(complaints_of_policy) >= 3  # about the script, the image and the style


@pytest.mark.parametrize("report", Reports._fields)
@pytest.mark.parametrize("width", [NARROW_WINDOW, WIDE_WINDOW])
def test_no_report_is_wider_than_its_window(
    page: Browser, reports: Reports, width: int, report: str
) -> None:
    """This holds for the table of trials and for the page of a trial. Otherwise the user of a phone
    would have to scroll sideways."""
    page.size(width)
    path = getattr(reports, report)

    page.open(path)
    page.wait(f"!({TRIAL_IS_SHOWN})")
    assert page.value(NOTHING_SCROLLS_SIDEWAYS)

    page.open(path, anchor="#trial-1-1")
    page.wait(TRIAL_IS_SHOWN)
    assert page.value(NOTHING_SCROLLS_SIDEWAYS)


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
    """Some companies' browsers run no scripts in files. Screen readers find the table, too."""
    assert "answer should be" in markup_of(page_without_scripts, "#trials")
    names = names_of(accessible_elements(page_without_scripts))
    assert {"alpha", "answer should be '4'", "Trials"} <= names


def test_without_scripts_the_report_has_no_controls(
    page_without_scripts: Browser,
) -> None:
    """Fields to sort and search by would do nothing."""
    for name in names_of(accessible_elements(page_without_scripts)):
        assert "Sort by" not in name


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
