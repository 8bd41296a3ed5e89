"""What the file promises without a browser: text stays text, and nothing but our own style and script may run."""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from controlplane.report import report_html
from controlplane.report.html_page import score_class, score_mark
from tests.controlplane.report.reported_run import HOSTILE, Played, hostile_journal, journal

VOID = {"meta", "link", "input", "br", "img"}
OWN_TAGS = {
    *("html", "head", "meta", "title", "style", "script", "body", "header", "main", "nav", "section", "article"),
    *("h1", "h2", "h3", "p", "a", "b", "span", "div", "ul", "li", "dl", "dt", "dd", "code", "kbd", "noscript"),
    *("table", "thead", "tbody", "tfoot", "tr", "th", "td", "details", "summary", "figure", "figcaption"),
    *("form", "label", "input", "select", "option", "button", "output", "dialog", "svg", "rect", "line", "text"),
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
        html = report_html([[each] for each in few]).html
        page = Elements(html)
        assert page.tags <= OWN_TAGS
        assert not [each for each in page.attributes if each.startswith("on") or each == "style"]
        assert {each[:1] for each in page.targets} == {"#"}
        assert "document.title='owned'" in page.text
        assert html.count("<script>") == 1
        assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\ud800-\udfff]", html)


def test_lone_surrogates_do_not_keep_the_file_from_being_written(tmp_path: Path) -> None:
    html = report_html([[hostile_journal(tmp_path / "a.jsonl", "\ud800 " + HOSTILE + " \udfff" * 100)]]).html
    assert html.encode()


def test_the_policy_names_the_one_style_and_the_one_script_by_their_hashes(tmp_path: Path) -> None:
    html = report_html([[journal(tmp_path / "a.jsonl", [Played("t")])]]).html
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy
    said = dict(each.strip().split(" ", 1) for each in unescape(policy[1]).split(";"))
    assert said.pop("default-src") == "'none'"
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, flags=re.S)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert said.pop(directive) == f"'sha256-{digest}'"
    assert said == {
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    assert html.index("Content-Security-Policy") < html.index("<style>")


def test_summary_and_table_stand_in_plain_html(tmp_path: Path) -> None:
    path = journal(tmp_path / "a.jsonl", [Played("task-a", 0.25, ("the answer should be '4'",)), Played("task-b")])
    text = " ".join(Elements(report_html([[path]]).html).text.split())
    for each in ("0.625", "task-a", "What does task-a ask?", "the answer should be '4'", "1 of 2", "gate", "0.25"):
        assert each in text, each


@pytest.mark.parametrize(
    ("score", "kind", "mark"),
    [(None, "sealed", "–"), (0.0, "s0", "✗"), (0.01, "s1", "◐"), (0.5, "s3", "◐"), (0.99, "s4", "◐"), (1.0, "s5", "✓")],
)
def test_a_score_is_told_by_a_sign_beside_its_colour(score: float | None, kind: str, mark: str) -> None:
    assert (score_class(score), score_mark(score)) == (kind, mark)
