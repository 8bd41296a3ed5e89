"""The report in a real browser: the table, the trials' pages, keys, the policy, widths, themes and paper."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.report.report_file import report_html
from tests.controlplane.report.reported_run import HOSTILE, SENT_BACK, Played, hostile_journal, journal
from tests.controlplane.report.viewed import NO_OVERFLOW, ON_TRIAL, choose
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier

TEXT = "a long text that is shown when it is unfolded " * 40
TRIALS = [
    Played("alpha", 0.0, ("answer should be '4'", "/docs/a.md is missing"), submissions=(SENT_BACK, SENT_BACK[1:])),
    Played("beta", 0.5, ("answer should be '7'",), steps=12),
    Played("gamma", 1.0, text=TEXT),
    Played("delta", 1.0, steps=2),
]
ROWS = "[...document.querySelectorAll('.trials tbody tr:not([hidden]) a')].map(e => e.textContent)"
HEADING = "document.querySelector('#trial h1')?.textContent"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("report")
    first = journal(folder / "a.jsonl", TRIALS)
    second = journal(
        folder / "b.jsonl", [Played("alpha", 1.0), Played("beta", 0.5), Played("new", None)], name="second"
    )
    hostile = [hostile_journal(folder / f"{name}.jsonl") for name in ("h", "i")]
    found = {}
    for name, paths in (("one", [first]), ("two", [first, second]), ("hostile", hostile)):
        found[name] = folder / f"{name}.html"
        found[name].write_text(report_html(paths).html, encoding="utf-8")
    return found


@pytest.fixture
def page(browser: Browser, files: dict[str, Path]) -> Iterator[Browser]:
    browser.complaints.clear()
    browser.size(1280)
    browser.open(files["one"])
    yield browser
    assert browser.complaints == []
    assert [request for request in browser.requests if not request.startswith("file:")] == []
    assert len(browser.requests) == 1


def open_trial(page: Browser, anchor: str) -> None:
    page.value(f"location.hash = {anchor!r}")
    page.wait(f"{ON_TRIAL} && location.hash.startsWith('#{anchor}') && document.title.includes({HEADING})")


def test_a_click_on_a_heading_sorts_and_another_turns_it_round(page: Browser) -> None:
    assert page.value(ROWS) == ["alpha", "beta", "delta", "gamma"]
    steps = "document.querySelector('.trials th[data-key=steps] button').click()"
    sorted_by = "document.querySelector('.trials th[data-key=steps]').ariaSort"
    page.value(steps)
    assert (page.value(ROWS)[0], page.value(sorted_by)) == ("beta", "descending")
    page.value(steps)
    assert (page.value(ROWS)[-1], page.value(sorted_by)) == ("beta", "ascending")
    choose(page, "sort", "task")
    assert page.value(ROWS) == ["alpha", "beta", "delta", "gamma"]
    choose(page, "sort", "")
    assert page.value(sorted_by) is None


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
def test_the_table_is_filtered_and_searched(page: Browser, field: str, value: str, rows: list[str]) -> None:
    choose(page, field, value)
    assert page.value(ROWS) == rows
    assert page.value("document.getElementById('shown').textContent") == f"{len(rows)} of 4 trials"
    assert page.value("document.getElementById('nothing').hidden") is bool(rows)


def test_a_trial_opens_with_the_question_and_the_graders_words_then_its_steps(page: Browser) -> None:
    open_trial(page, "trial-1-1")
    text = page.value("document.getElementById('trial').innerText")
    parts = (
        "What does alpha ask?",
        "answer should be '4'",
        "answer of alpha",
        "Initial prompt",
        "Step 1",
        "state 1",
    )
    parts += ("1. first" if "1. first" in text else "first", "sent back OUTCOME_OK", "for each in")
    parts += ('read(path="/doc-1.md")', "seen", "Scratchpad", "What the gates said", "the gates said no", "Step 2")
    places = [text.find(part) for part in parts]
    assert -1 not in places, dict(zip(parts, places, strict=True))
    order = [
        "What does alpha ask?",
        "answer should be '4'",
        "Initial prompt",
        "Step 1",
        "sent back OUTCOME_OK",
        "Step 2",
    ]
    assert sorted(order, key=text.index) == order
    code = page.value("document.querySelector('.code').textContent")
    assert code == "for each in range(1):\n    print('é𝄞', each)  # say"


def test_keys_move_through_trials_and_steps(page: Browser) -> None:
    focused = "document.activeElement.textContent"
    page.press("j")
    assert page.value(focused) == "alpha"
    page.press("j")
    assert page.value(focused) == "beta"
    page.press("Enter")
    page.wait(f"{HEADING} === 'beta'")
    assert page.value(focused) == "beta"
    page.press("j", "j")
    step = "document.activeElement.id"
    assert page.value(step) == "step-1"
    page.press("k")
    assert page.value(step) == "step-0"
    page.press("]")
    page.wait(f"{HEADING} === 'delta'")
    page.press("[")
    page.wait(f"{HEADING} === 'beta'")
    page.press("[")
    page.wait(f"{HEADING} === 'alpha'")
    page.press("r")
    assert page.value(step) == "step-1"
    page.press("u")
    page.wait("!document.getElementById('summary').hidden")
    assert page.value(focused) == "alpha"
    page.press("/", "g", "a", "m")
    assert page.value(ROWS) == ["gamma"]
    page.press("Escape", "?")
    assert page.value("document.getElementById('help').open") is True
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
    page.wait(f"{ON_TRIAL} && {HEADING} === 'beta'")
    page.value("location.hash = '#trial-9-9'")
    page.wait("!document.getElementById('summary').hidden")


def test_hostile_text_runs_nothing_and_breaks_nothing(page: Browser, files: dict[str, Path]) -> None:
    for anchor in ("", "#trial-1-1", "#trial-2-1/1"):
        page.open(files["hostile"], anchor=anchor)
        page.wait(f"{ON_TRIAL} === {str(bool(anchor)).lower()}")
        page.press("f")
        assert page.value("document.title") != "owned"
        assert page.value("document.querySelectorAll('img, iframe, object, svg[onload], [onerror]').length") == 0
        # The sign of right-to-left text, controls and the like are shown as signs.
        shown = HOSTILE.partition("\u202e")[0]
        assert shown in page.value("document.body.textContent")


def test_the_policy_stops_whatever_would_run_or_load(browser: Browser, files: dict[str, Path], tmp_path: Path) -> None:
    spoilt = tmp_path / "spoilt.html"
    planted = (
        "<script>document.title='owned'</script><img src='http://127.0.0.1:9/x' onerror=\"document.title='owned'\">"
    )
    spoilt.write_text(files["one"].read_text("utf-8").replace("<h1>", f"{planted}<style>body{{zoom:2}}</style><h1>", 1))
    browser.complaints.clear()
    browser.open(spoilt)
    assert browser.value("document.title") == "first · run report"
    assert browser.value("getComputedStyle(document.body).zoom") == "1"
    refused = browser.value(
        "(() => { try { document.body.innerHTML = '<b>x</b>'; return 'set'; } catch (error) { return error.name; } })()"
    )
    assert refused == "TypeError"
    assert sum("Content Security Policy" in complaint for complaint in browser.complaints) >= 3


@pytest.mark.parametrize(
    ("name", "width"),
    [
        ("one", 400),
        ("two", 1280),
        ("hostile", 400),
        pytest.param("one", 1280, marks=pytest.mark.heavy),
        pytest.param("two", 400, marks=pytest.mark.heavy),
        pytest.param("hostile", 1280, marks=pytest.mark.heavy),
    ],
)
def test_no_page_is_wider_than_its_window(page: Browser, files: dict[str, Path], width: int, name: str) -> None:
    page.size(width)
    for anchor in ("", "#trial-1-1"):
        page.open(files[name], anchor=anchor)
        page.wait(f"{ON_TRIAL} === {str(bool(anchor)).lower()}")
        assert page.value(NO_OVERFLOW), anchor


def test_without_script_the_summary_and_the_table_are_there(page: Browser, files: dict[str, Path]) -> None:
    page.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.open(files["one"])
        root = page.send("DOM.getDocument")["root"]["nodeId"]
        body = page.send("DOM.querySelector", nodeId=root, selector="#trials")["nodeId"]
        assert "answer should be" in page.send("DOM.getOuterHTML", nodeId=body)["outerHTML"]
        shown = page.send("Accessibility.getFullAXTree")["nodes"]
        names = {each.get("name", {}).get("value", "") for each in shown if not each.get("ignored")}
        assert {"alpha", "answer should be '4'", "Trials"} <= names
        assert "Sort by" not in " ".join(map(str, names))
    finally:
        page.send("Emulation.setScriptExecutionDisabled", value=False)


def test_a_screen_reader_finds_landmarks_headings_and_names(page: Browser) -> None:
    page.size(400)  # also where rows are laid out as cards
    nodes = [node for node in page.send("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
    told = {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if "role" in node}
    assert {
        ("table", "Trials"),
        ("heading", "Why trials failed"),
        ("link", "alpha"),
        ("navigation", "Sections"),
    } <= told
    assert {("searchbox", "Search"), ("combobox", "Sort by"), ("combobox", "Show")} <= told
    assert any(role == "image" and "Mean score 0.625" in name for role, name in told)
    roles = {role for role, _ in told}
    assert {"main", "row", "cell", "columnheader", "rowheader", "search", "status"} <= roles
    unnamed = [role for role, name in told if role in ("button", "link", "combobox", "searchbox", "image") and not name]
    assert unnamed == []
