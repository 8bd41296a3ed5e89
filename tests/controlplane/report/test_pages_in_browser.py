"""The report and the pages of `view` in a real browser:
tables, trials, keys, comparisons, the policy, widths."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.report.run_report import run_report
from tests.controlplane.report.reported_run import (
    HOSTILE_MARKUP,
    REJECTED_VERDICTS,
    ReportedTrial,
    hostile_journal,
    journal_of_trials,
    step_events,
    trial_events,
)
from tests.controlplane.report.viewed import (
    NOTHING_SCROLLS_SIDEWAYS,
    TRIAL_IS_SHOWN,
    RunningView,
    fill_in_field,
    serving_view,
    unfinished_journal,
)
from tests.support.browser import Browser
from tests.support.command import run_controlplane

pytestmark = pytest.mark.second_tier


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as found:
        yield found


TEXT = "a long text that is shown when it is unfolded " * 40
TRIALS = [
    ReportedTrial(
        "alpha",
        0.0,
        ("answer should be '4'", "/docs/a.md is missing"),
        submissions=(REJECTED_VERDICTS, REJECTED_VERDICTS[1:]),
    ),
    ReportedTrial("beta", 0.5, ("answer should be '7'",), steps=12),
    ReportedTrial("gamma", 1.0, text=TEXT),
    ReportedTrial("delta", 1.0, steps=2),
]
# Expressions of JavaScript: the texts of the table's visible rows, and the open trial.
ROWS = "[...document.querySelectorAll('.trials tbody tr:not([hidden]) a')].map(e => e.textContent)"
HEADING = "document.querySelector('#trial h1')?.textContent"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports by name: of "one" run (`TRIALS`), of "two", and of two "hostile" ones."""
    folder = tmp_path_factory.mktemp("report")
    first = journal_of_trials(folder / "a.jsonl", TRIALS)
    second = journal_of_trials(
        folder / "b.jsonl",
        [
            ReportedTrial("alpha", 1.0),
            ReportedTrial("beta", 0.5),
            ReportedTrial("new", None),
        ],
        name="second",
    )
    hostile = [hostile_journal(folder / f"{name}.jsonl") for name in ("h", "i")]
    reports = {}
    for name, journals in (
        ("one", [first]),
        ("two", [first, second]),
        ("hostile", hostile),
    ):
        report = "".join(run_report(journals).pieces)
        reports[name] = folder / f"{name}.html"
        reports[name].write_text(report, encoding="utf-8")
    return reports


@pytest.fixture
def page(browser: Browser, files: dict[str, Path]) -> Iterator[Browser]:
    """The report of one run, open in a browser. The test fails if the browser complains,
    or if the report loads anything."""
    browser.complaints.clear()
    browser.size(1280)
    browser.open(files["one"])
    yield browser
    assert browser.complaints == []
    (request,) = browser.requests
    assert request.startswith("file:")


def open_trial(page: Browser, anchor: str) -> None:
    page.value(f"location.hash = {anchor!r}")
    page.wait(
        f"{TRIAL_IS_SHOWN} && location.hash.startsWith('#{anchor}') && document.title.includes({HEADING})"
    )


def test_a_click_on_a_heading_sorts_and_another_turns_it_round(page: Browser) -> None:
    assert page.value(ROWS) == ["alpha", "beta", "delta", "gamma"]
    click_on_steps = (
        "document.querySelector('.trials th[data-key=steps] button').click()"
    )
    sort_by_steps = "document.querySelector('.trials th[data-key=steps]').ariaSort"

    # `beta` has the most steps.
    page.value(click_on_steps)
    assert page.value(ROWS)[0] == "beta"
    assert page.value(sort_by_steps) == "descending"

    page.value(click_on_steps)
    assert page.value(ROWS)[-1] == "beta"
    assert page.value(sort_by_steps) == "ascending"

    fill_in_field(page, "sort", "task")
    assert page.value(ROWS) == ["alpha", "beta", "delta", "gamma"]
    fill_in_field(page, "sort", "")
    assert page.value(sort_by_steps) is None


@pytest.mark.parametrize(
    ("field", "value", "rows"),
    [
        ("filter", "failed", ["alpha"]),
        ("filter", "between", ["beta"]),
        ("filter", "perfect", ["delta", "gamma"]),
        ("filter", "back", ["alpha"]),
        ("filter", "noanswer", []),
        ("search", "does GAMMA ask", ["gamma"]),
        ("search", "should '7'", ["beta"]),
        ("search", "nothing of the kind", []),
    ],
)
def test_the_table_is_filtered_and_searched(
    page: Browser, field: str, value: str, rows: list[str]
) -> None:
    fill_in_field(page, field, value)
    assert page.value(ROWS) == rows
    assert (
        page.value("document.getElementById('shown').textContent")
        == f"{len(rows)} of 4 trials"
    )
    assert page.value("document.getElementById('nothing').hidden") is bool(rows)


def test_a_trial_opens_with_the_question_and_the_graders_words_then_its_steps(
    page: Browser,
) -> None:
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
    for part in (
        "answer of alpha",
        "state 1",
        "first",
        "for each in",
        "seen",
        'read(path="/doc-1.md")',
        "Scratchpad",
        "What the gates said",
        "the gates said no",
    ):
        assert part in text
    code = page.value("document.querySelector('.code').textContent")
    assert code == "for each in range(1):\n    print('é𝄞', each)  # say"


FOCUSED, STEP = "document.activeElement.textContent", "document.activeElement.id"
IN_SUMMARY = "!document.getElementById('summary').hidden"
KEYS = [
    ("j", "true", FOCUSED, "alpha"),
    ("j", "true", FOCUSED, "beta"),
    ("Enter", f"{HEADING} === 'beta'", FOCUSED, "beta"),
    ("j j", "true", STEP, "step-1"),
    ("k", "true", STEP, "step-0"),
    ("]", f"{HEADING} === 'delta'", HEADING, "delta"),
    ("[", f"{HEADING} === 'beta'", HEADING, "beta"),
    ("[", f"{HEADING} === 'alpha'", HEADING, "alpha"),
    ("r", "true", STEP, "step-1"),
    ("u", IN_SUMMARY, FOCUSED, "alpha"),
    ("/ g a m", "true", ROWS, ["gamma"]),
    ("Escape ?", "true", "document.getElementById('help').open", True),
]
"""Keys that are pressed one behind the other, what
is waited for, and an expression with its value then."""


def test_keys_move_through_trials_and_steps(page: Browser) -> None:
    for keys, awaited, expression, value in KEYS:
        page.press(*keys.split())
        page.wait(awaited)
        assert page.value(expression) == value, keys
    page.value("document.getElementById('keys-on').click()")
    page.value("document.getElementById('help').close()")
    page.press("j")

    assert page.value("document.activeElement.matches('.trials a')") is False


def test_a_link_to_a_step_opens_there_and_going_back_returns_to_the_table(
    page: Browser, files: dict[str, Path]
) -> None:
    page.open(files["one"], anchor="#trial-1-2/12")
    page.wait("document.activeElement.id === 'step-12'")
    page.value("location.hash = '#h-trials'")
    page.wait("!document.getElementById('summary').hidden")
    page.value("history.back()")
    page.wait(f"{TRIAL_IS_SHOWN} && {HEADING} === 'beta'")
    page.value("location.hash = '#trial-9-9'")
    page.wait("!document.getElementById('summary').hidden")


def test_hostile_text_runs_nothing_and_breaks_nothing(
    page: Browser, files: dict[str, Path]
) -> None:
    for anchor in ("", "#trial-1-1", "#trial-2-1/1"):
        page.open(files["hostile"], anchor=anchor)
        page.wait(TRIAL_IS_SHOWN if anchor else f"!({TRIAL_IS_SHOWN})")
        page.press("f")
        assert page.value("document.title") != "owned"
        assert (
            page.value(
                "document.querySelectorAll('img, iframe, object, svg[onload], [onerror]').length"
            )
            == 0
        )
        # The sign of right-to-left text, controls and the like are shown as signs.
        shown = HOSTILE_MARKUP.partition("\u202e")[0]
        assert shown in page.value("document.body.textContent")


def test_the_policy_stops_whatever_would_run_or_load(
    browser: Browser, files: dict[str, Path], tmp_path: Path
) -> None:
    spoilt = tmp_path / "spoilt.html"
    planted = "<script>document.title='owned'</script><img src='http://127.0.0.1:9/x' onerror=\"document.title='owned'\">"
    spoilt.write_text(
        files["one"]
        .read_text("utf-8")
        .replace("<h1>", f"{planted}<style>body{{zoom:2}}</style><h1>", 1)
    )
    browser.complaints.clear()
    browser.open(spoilt)

    assert browser.value("document.title") == "first · run report"
    assert browser.value("getComputedStyle(document.body).zoom") == "1"
    refused = browser.value(
        "(() => { try { document.body.innerHTML = '<b>x</b>'; return 'set'; } catch (error) { return error.name; } })()"
    )
    assert refused == "TypeError"
    assert (
        sum("Content Security Policy" in complaint for complaint in browser.complaints)
        >= 3
    )
    browser.complaints.clear()  # Later tests share the browser.


@pytest.mark.parametrize("name", ["one", "two", "hostile"])
@pytest.mark.parametrize("width", [400, 1280])
def test_no_report_is_wider_than_its_window(
    page: Browser, files: dict[str, Path], width: int, name: str
) -> None:
    page.size(width)
    for anchor in ("", "#trial-1-1"):
        page.open(files[name], anchor=anchor)
        page.wait(f"{TRIAL_IS_SHOWN} === {str(bool(anchor)).lower()}")
        assert page.value(NOTHING_SCROLLS_SIDEWAYS), anchor


def test_without_script_the_summary_and_the_table_are_there(
    page: Browser, files: dict[str, Path]
) -> None:
    page.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.open(files["one"])
        root = page.send("DOM.getDocument")["root"]["nodeId"]
        body = page.send("DOM.querySelector", nodeId=root, selector="#trials")["nodeId"]
        assert (
            "answer should be"
            in page.send("DOM.getOuterHTML", nodeId=body)["outerHTML"]
        )
        shown = page.send("Accessibility.getFullAXTree")["nodes"]
        names = {
            node.get("name", {}).get("value", "")
            for node in shown
            if not node.get("ignored")
        }
        assert {"alpha", "answer should be '4'", "Trials"} <= names
        assert "Sort by" not in " ".join(map(str, names))
    finally:
        page.send("Emulation.setScriptExecutionDisabled", value=False)


def test_a_screen_reader_finds_landmarks_headings_and_names(page: Browser) -> None:
    page.size(400)  # also where rows are laid out as cards
    nodes = [
        node
        for node in page.send("Accessibility.getFullAXTree")["nodes"]
        if not node.get("ignored")
    ]
    told = {
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if "role" in node
    }

    assert {
        ("table", "Trials"),
        ("heading", "Why trials failed"),
        ("link", "alpha"),
        ("navigation", "Sections"),
    } <= told
    assert {
        ("searchbox", "Search"),
        ("combobox", "Sort by"),
        ("combobox", "Show"),
    } <= told
    assert any(role == "image" and "Mean score 0.625" in name for role, name in told)
    roles = {role for role, _ in told}
    assert {
        "main",
        "row",
        "cell",
        "columnheader",
        "rowheader",
        "search",
        "status",
    } <= roles
    unnamed = [
        role
        for role, name in told
        if role in ("button", "link", "combobox", "searchbox", "image") and not name
    ]
    assert unnamed == []


DOCS = Path(__file__).parents[3] / "docs"
LISTED = "document.querySelectorAll('.trials tbody tr')"


@pytest.fixture(scope="module")
def view(
    tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> Iterator[RunningView]:
    folder = tmp_path_factory.mktemp("runs")
    journal_of_trials(
        folder / "a.jsonl",
        [
            ReportedTrial(
                "alpha",
                0.0,
                ("no",),
                submissions=(REJECTED_VERDICTS, REJECTED_VERDICTS[1:]),
            ),
            ReportedTrial("beta"),
        ],
    )
    journal_of_trials(
        folder / "b.jsonl",
        [ReportedTrial("alpha", 1.0), ReportedTrial("beta")],
        name="second",
    )
    hostile_journal(folder / "h.jsonl")
    with serving_view(folder) as found:
        browser.size(1280)
        browser.visit(found.address)
        browser.wait(f"{LISTED}.length === 3")
        yield found
        assert browser.complaints == []


def address_of(view: RunningView, path: str) -> str:
    return f"http://127.0.0.1:{view.port}{path}"


def test_the_list_is_searched_and_runs_are_chosen_for_a_comparison(
    browser: Browser, view: RunningView
) -> None:
    browser.visit(address_of(view, "/"))
    browser.wait(f"{LISTED}.length === 3")
    fill_in_field(browser, "search", "second")

    assert browser.value(
        f"[...{LISTED}].filter(e => !e.hidden).map(e => e.querySelector('a').textContent)"
    ) == ["second"]
    fill_in_field(browser, "search", "")
    browser.value(
        "document.querySelectorAll('.pick[value=a], .pick[value=b]').forEach(e => e.click())"
    )
    browser.value("document.querySelector('#chosen button').click()")
    browser.wait(
        "location.pathname.startsWith('/runs/') && document.getElementById('h-compared') !== null"
    )


def test_what_the_model_saw_opens_in_a_dialog(
    browser: Browser, view: RunningView
) -> None:
    browser.visit(address_of(view, "/runs/a#trial-1-1"))
    browser.wait(
        f"{TRIAL_IS_SHOWN} && document.querySelectorAll('.step-tools button').length > 0"
    )
    browser.value(
        "[...document.querySelectorAll('.step-tools button')].find(e => e.textContent.startsWith('What')).click()"
    )
    browser.wait("document.getElementById('show').open")

    assert "step 1" in browser.value(
        "document.getElementById('shown-name').textContent"
    )


def test_a_command_is_copied_or_shown_to_be_copied(
    browser: Browser, view: RunningView
) -> None:
    browser.visit(address_of(view, "/runs/a#trial-1-1"))
    browser.wait(
        f"{TRIAL_IS_SHOWN} && document.querySelectorAll('.step-tools button').length > 1"
    )
    for grants in (True, False):
        browser.value(
            f"navigator.clipboard.writeText = async (text) => {{ if ({str(not grants).lower()}) throw 0; }}"
        )
        browser.value("document.querySelectorAll('.step-tools')[1].lastChild.click()")
        if grants:
            browser.wait("document.getElementById('said').textContent === 'Copied.'")
        else:
            browser.wait("document.getElementById('show').open")
            assert browser.value(
                "document.querySelector('#show pre').textContent"
            ).endswith(" --step 1")


def test_two_trials_stand_side_by_side_from_the_first_difference(
    browser: Browser, view: RunningView
) -> None:
    browser.visit(address_of(view, "/runs/a,b#trial-1-1~trial-2-1"))
    browser.wait(
        f"{TRIAL_IS_SHOWN} && document.querySelectorAll('#trial .pair').length > 1"
    )

    assert browser.value("document.querySelectorAll('#trial .pair .step').length") >= 3
    assert (
        browser.value("document.querySelector('#trial > h2').textContent")
        == "From here on they differ: step 1"
    )
    browser.visit(address_of(view, "/runs/a,b#trial-1-2~trial-2-2"))
    browser.wait(
        f"{TRIAL_IS_SHOWN} && document.querySelector('#trial > details')?.textContent === 'All steps are the same'"
    )


def test_a_citation_and_a_claim_open_the_file_at_their_line(
    browser: Browser, view: RunningView, tmp_path: Path
) -> None:
    del view
    example = DOCS / "examples"
    played = ("--model", f"scripted:{example / 'ask.toml'}")
    asked = run_controlplane(
        "ask",
        "Until when may loan-02 be kept?",
        example / "library" / "desk",
        *played,
        cwd=tmp_path,
    )

    assert asked.code == 0, asked.err
    with serving_view(tmp_path, "runs") as live:
        browser.visit(live.address)
        browser.wait(f"{LISTED}.length === 1")
        browser.visit(
            browser.value("document.querySelector('.trials tbody a').href")
            + "#trial-1-1"
        )
        browser.wait(
            f"{TRIAL_IS_SHOWN} && document.querySelectorAll('.file').length === 2"
        )
        for at in (0, 1):
            browser.value(f"document.querySelectorAll('.file')[{at}].click()")
            assert '"due": "2027-03-19"' in browser.value(
                "document.querySelector('#show .here').textContent"
            )
            browser.value("document.getElementById('show').close()")
        browser.send("Page.navigate", url="about:blank")


@pytest.mark.parametrize("width", [400, 800, 1600])
@pytest.mark.parametrize(
    "path", ["/", "/runs/a", "/runs/h", "/runs/a,b", "/runs/h#trial-1-1"]
)
def test_no_page_is_wider_than_its_window(
    browser: Browser, view: RunningView, width: int, path: str
) -> None:
    browser.size(width)
    browser.visit(address_of(view, path))

    assert browser.value(NOTHING_SCROLLS_SIDEWAYS)
    browser.size(1280)


def test_a_running_trial_moves_by_itself(
    browser: Browser, view: RunningView, tmp_path: Path
) -> None:
    del view
    with (
        unfinished_journal(tmp_path / "live.jsonl", "a") as writer,
        serving_view(tmp_path) as live,
    ):
        browser.visit(live.address)
        browser.wait(
            "document.querySelector('.trials .state')?.textContent === 'running'"
        )
        browser.visit(address_of(live, "/runs/live"))
        for event in trial_events("a", ReportedTrial("a"))[:2]:
            writer.write(event)
        browser.wait("document.getElementById('h-live') !== null")
        browser.value("location.hash = 'trial-1-1'")
        browser.wait(
            f"{TRIAL_IS_SHOWN} && document.querySelectorAll('#trial .step').length === 1"
        )
        for event in step_events("a", 1, (), "seen"):
            writer.write(event)
        browser.wait("document.getElementById('step-1') !== null")
        assert browser.value("document.getElementById('lost').hidden") is True
    browser.wait("!document.getElementById('lost').hidden")
    browser.send("Page.navigate", url="about:blank")
    browser.complaints.clear()  # of the connection that ended
