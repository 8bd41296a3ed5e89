import base64
import json
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from controlplane.report.report_file import report_html
from tests.controlplane.report.reported_run import SENT_BACK, Played, hostile_journal, journal


def blocks(html: str) -> dict[str, Any]:
    """The packed data of a report by the names of their blocks."""
    found = re.findall(r'<script type="text/plain" id="([\w-]+)">([^<]*)</script>', html)
    return {name: json.loads(zlib.decompress(base64.b64decode(data))) for name, data in found}


def test_every_trial_has_a_row_a_page_and_a_link_worst_first(tmp_path: Path) -> None:
    path = journal(tmp_path / "a.jsonl", [Played("right"), Played("wrong", 0.0, ("no",)), Played("half", 0.5)])
    report = report_html([path])
    assert (report.runs, report.trials) == (1, 3)
    assert [blocks(report.html)[f"data-trial-1-{at}"]["task"] for at in (1, 2, 3)] == ["right", "wrong", "half"]
    rows = report.html.partition('<table class="trials"')[2]
    assert re.findall(r'<a href="#(trial-1-\d)">(\w+)<', rows) == [
        ("trial-1-2", "wrong"),
        ("trial-1-3", "half"),
        ("trial-1-1", "right"),
    ]


def test_a_trial_says_what_happened_in_each_step(tmp_path: Path) -> None:
    path = journal(tmp_path / "a.jsonl", [Played("t", 0.0, ("wrong",), submissions=(SENT_BACK, SENT_BACK[1:]))])
    trial = blocks(report_html([path]).html)["data-trial-1-1"]
    first_message, first, second, end = trial["pages"]
    assert trial["question"] == "What does t ask?"
    assert [page["title"] for page in trial["pages"]] == ["initial prompt", "step 1", "step 2", "the end"]
    assert [page["mark"] for page in trial["pages"]] == ["", "✗", "✓", ""]
    assert first_message["parts"][2][3].strip() == "720 characters"
    state, *plan, verdict, _code, _calls, _output, changes, said = first["parts"]
    assert (state[0], [each[0] for each in plan]) == ("state 1", ["  1. first", "  2. then"])
    assert (verdict[0], verdict[1]) == ("gates ✗  sent back OUTCOME_OK: try 1", "red")
    remark = ["read /a first", "dim", "", "", [], True]
    assert verdict[4][0] == ["✗ gate 4 (citations were read)", "red", "", "", [remark], False]
    assert [each[0] for each in changes[4]] == ['+ refs_why = {"/a": "it says so"}', "+ seen = 1"]
    assert said[0] == "the gates said no"
    changes = second["parts"][-1]
    assert (changes[2], changes[4][0][0]) == ("scratchpad", "~ seen: 1\n      → 2")
    (call,) = next(part for part in first["parts"] if part[2] == "1 call")[4]
    assert (call[0], call[4][0][0]) == ('→ read(path="/doc-1.md")', "content: seen")
    assert ["grader: wrong", "yellow", "", "", [], False] in end["parts"]
    assert end["parts"][-1][4] == [["/a", "cyan", "", "  it says so", [], False]]


def test_a_journal_that_breaks_off_is_reported_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = journal(tmp_path / "a.jsonl", [Played("over"), Played("cut", steps=3)], closed=False)
    lines = whole.read_bytes().splitlines(keepends=True)
    started = next(at for at, line in enumerate(lines) if b'"cut-r1","type":"trial_started"' in line)
    for cut in range(started, len(lines)):
        path = tmp_path / f"cut-{cut}.jsonl"
        path.write_bytes(b"".join(lines[:cut]) + lines[cut][:40])
        report = report_html([path])
        assert report.trials == 2
        assert "The run was cut off" in report.html


VOID = {"meta", "link", "input", "br", "img"}
OWN_TAGS = {
    *("html", "head", "meta", "title", "style", "script", "body", "header", "main", "nav", "section", "article"),
    *("h1", "h2", "h3", "p", "a", "b", "span", "div", "ul", "li", "dl", "dt", "dd", "code", "kbd", "noscript"),
    *("table", "thead", "tbody", "tfoot", "tr", "th", "td", "details", "summary", "figure", "figcaption"),
    *(
        "form",
        "label",
        "input",
        "select",
        "option",
        "button",
        "output",
        "dialog",
        "svg",
        "rect",
        "line",
        "text",
        "meter",
    ),
}


class Elements(HTMLParser):
    """Collects the tags, the attributes and the text of a page, and checks that tags close in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.targets: set[str] = set()
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.targets |= {value or "" for name, value in attrs if name in ("href", "src", "action", "xlink:href")}
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_hostile_text_in_every_field_stays_text(tmp_path: Path) -> None:
    paths = [hostile_journal(tmp_path / f"{name}.jsonl") for name in "ab"]
    for few in (paths[:1], paths):
        html = report_html(few).html
        page = Elements(html)
        assert page.tags <= OWN_TAGS
        assert not [attribute for attribute in page.attributes if attribute.startswith("on") or attribute == "style"]
        assert {target[:1] for target in page.targets} == {"#"}
        assert "document.title='owned'" in page.text
        assert html.count("<script>") == 1
        assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\ud800-\udfff]", html)
