"""The report as one file: a row and a page for each trial, hostile text as text, commands that can be pasted."""

import base64
import json
import re
import zlib
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from controlplane.report.run_pages import report_html
from tests.controlplane.report.reported_run import Played, hostile_journal, journal
from tests.support.command import controlplane, ran
from tests.support.endpoints import completion, model_server, response


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


CODE = """
scratchpad["answer"], scratchpad["outcome"], scratchpad["refs_why"] = "It cannot be said.", "OUTCOME_OK", {}
harness.answer(scratchpad, lambda sp: sp["answer"].startswith("It"))
"""
WRONG = completion(json.dumps({"state": "guess", "plan": [], "done": True, "code": CODE}))
FEW_WORLDS = {"improve": " --train 1 --check 101 --final 201 --proposals 1 --batch 1"}
"""Added to what is pasted: a loop over its own number of worlds takes minutes."""


def test_each_command_beside_a_failure_works_in_a_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with model_server(response(200, WRONG)) as server:
        asked = ("--model", "some/model", "--base-url", server.url, "--api", "chat")
        words = ("run", "sku-lookup", "price-count.1", *asked, "--max-steps", "2", "--quiet")
        played = controlplane(*words, cwd=tmp_path, OPENAI_API_KEY="k")
        assert played.code == 0, played.err
        (path,) = tmp_path.glob("runs/*.jsonl")
        offered = [*dict.fromkeys(map(unescape, re.findall(r'data-copy="([^"]+)"', report_html([path]).html)))][:4]
        kinds = ["rerun", "fork", "judge", "improve"]
        assert [next(kind for kind in kinds if f" {kind} " in command) for command in offered] == kinds
        for kind, command in zip(kinds, offered, strict=True):
            done = ran(["sh", "-c", command + FEW_WORLDS.get(kind, "")], tmp_path, OPENAI_API_KEY="k")
            assert done.code == (1 if kind == "improve" else 0), (command, done.err)
    assert len(list(tmp_path.glob("runs/*.jsonl"))) == 3
    assert len(list(tmp_path.glob("runs/*improve*"))) == 1
