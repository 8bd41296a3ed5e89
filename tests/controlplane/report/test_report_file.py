"""The report as one file: a row and a page for each trial,
hostile text as text, commands that can be pasted."""

import base64
import json
import re
import zlib
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from controlplane.agent.events import Judged, StepDone, VerdictRecord
from controlplane.gate_effects import GateEffect, gate_effects
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import Setting
from controlplane.journal.totals.call_keys import CallKey
from controlplane.journal.totals.objections import Objections
from controlplane.journal.totals.run_folding import fold_event
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.report.failure_groups import SILENT, failure_groups
from controlplane.report.run_facts import run_facts
from controlplane.report.run_report import run_report
from controlplane.report.task_map import task_rows
from controlplane.report.trial_commands import commands_about
from controlplane.report.trial_facts import TrialFacts
from tests.controlplane.report.reported_run import (
    ReportedTrial,
    hostile_journal,
    journal_of_trials,
)
from tests.support.command import run_controlplane, run_program
from tests.support.endpoints import completion_json, http_response, model_server


def blocks(html: str) -> dict[str, Any]:
    """The packed data of a report by the names of their blocks."""
    found = re.findall(
        r'<script type="text/plain" id="([\w-]+)">([^<]*)</script>', html
    )
    return {
        name: json.loads(zlib.decompress(base64.b64decode(data)))
        for name, data in found
    }


def test_every_trial_has_a_row_a_page_and_a_link_worst_first(tmp_path: Path) -> None:
    path = journal_of_trials(
        tmp_path / "a.jsonl",
        [
            ReportedTrial("right"),
            ReportedTrial("wrong", 0.0, ("no",)),
            ReportedTrial("half", 0.5),
        ],
    )
    report = run_report([path])
    html = "".join(report.pieces)

    assert report.runs == 1
    assert report.trials == 3
    data = blocks(html)
    assert data["data-trial-1-1"]["task"] == "right"
    assert data["data-trial-1-2"]["task"] == "wrong"
    assert data["data-trial-1-3"]["task"] == "half"
    rows = html.partition('<table class="trials"')[2]
    assert re.findall(r'<a href="#(trial-1-\d)">(\w+)<', rows) == [
        ("trial-1-2", "wrong"),
        ("trial-1-3", "half"),
        ("trial-1-1", "right"),
    ]


def test_a_journal_that_breaks_off_is_reported_as_far_as_it_goes(
    tmp_path: Path,
) -> None:
    whole = journal_of_trials(
        tmp_path / "a.jsonl",
        [ReportedTrial("over"), ReportedTrial("cut", steps=3)],
        closed=False,
    )
    lines = whole.read_bytes().splitlines(keepends=True)
    started = next(
        at
        for at, line in enumerate(lines)
        if b'"type":"trial_started","trial_id":"cut-r1"' in line
    )
    for cut in range(started, len(lines)):
        path = tmp_path / f"cut-{cut}.jsonl"
        path.write_bytes(b"".join(lines[:cut]) + lines[cut][:40])
        report = run_report([path])
        assert report.trials == 2
        assert "The run was cut off" in "".join(report.pieces)


VOID = {"meta", "link", "input", "br", "img"}
OWN_TAGS = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "script",
        "body",
        "header",
        "main",
        "nav",
        "section",
        "article",
    ),
    *(
        "h1",
        "h2",
        "h3",
        "p",
        "a",
        "b",
        "span",
        "div",
        "ul",
        "li",
        "dl",
        "dt",
        "dd",
        "code",
        "kbd",
        "noscript",
    ),
    *(
        "table",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "th",
        "td",
        "details",
        "summary",
        "figure",
        "figcaption",
    ),
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
    """Collects the tags, the attributes and the text
    of a page, and checks that tags close in order."""

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
        self.targets |= {
            value or ""
            for name, value in attrs
            if name in ("href", "src", "action", "xlink:href")
        }
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_hostile_text_in_every_field_stays_text(tmp_path: Path) -> None:
    paths = [hostile_journal(tmp_path / f"{name}.jsonl") for name in "ab"]
    for few in (paths[:1], paths):
        html = "".join(run_report(few).pieces)
        page = Elements(html)
        assert page.tags <= OWN_TAGS
        assert not [
            attribute
            for attribute in page.attributes
            if attribute.startswith("on") or attribute == "style"
        ]
        assert {target[:1] for target in page.targets} == {"#"}
        assert "document.title='owned'" in page.text
        assert html.count("<script>") == 1
        assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\ud800-\udfff]", html)


CODE = """
scratchpad["answer"], scratchpad["outcome"], scratchpad["refs_why"] = "It cannot be said.", "OUTCOME_OK", {}
harness.answer(scratchpad, lambda sp: sp["answer"].startswith("It"))
"""
WRONG = completion_json(
    json.dumps({"state": "guess", "plan": [], "done": True, "code": CODE})
)
FEW_WORLDS = {"improve": " --train 1 --check 101 --final 201 --proposals 1 --batch 1"}
"""Added to what is pasted: a loop over its own number of worlds takes minutes."""


def test_each_command_beside_a_failure_works_in_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with model_server(http_response(200, WRONG)) as server:
        asked = ("--model", "some/model", "--base-url", server.url, "--api", "chat")
        words = (
            "run",
            "sku-lookup",
            "price-count.1",
            *asked,
            "--max-steps",
            "2",
            "--quiet",
        )
        played = run_controlplane(*words, cwd=tmp_path, OPENAI_API_KEY="k")
        assert played.code == 0, played.err
        (path,) = tmp_path.glob("runs/*.jsonl")
        offered = [
            *dict.fromkeys(
                map(
                    unescape,
                    re.findall(
                        r'data-copy="([^"]+)"', "".join(run_report([path]).pieces)
                    ),
                )
            )
        ][:4]
        kinds = ["rerun", "fork", "judge", "improve"]
        assert [
            next(kind for kind in kinds if f" {kind} " in command)
            for command in offered
        ] == kinds
        for kind, command in zip(kinds, offered, strict=True):
            done = run_program(
                ["sh", "-c", command + FEW_WORLDS.get(kind, "")],
                tmp_path,
                OPENAI_API_KEY="k",
            )
            assert done.code == (1 if kind == "improve" else 0), (command, done.err)

    assert len(list(tmp_path.glob("runs/*.jsonl"))) == 3
    assert len(list(tmp_path.glob("runs/*improve*"))) == 1


def judged(*verdicts: VerdictRecord) -> Judged:
    accepted = not any(
        verdict.result == "reject" and verdict.enforcement != "off"
        for verdict in verdicts
    )
    return Judged(
        accepted=accepted, answer="", outcome="", refs=(), message="", verdicts=verdicts
    )


def rejects(gate: int, name: str, *, enforcement: str = "block") -> VerdictRecord:
    return VerdictRecord(
        gate=gate, name=name, result="reject", reason="why", enforcement=enforcement
    )


def folded(*submissions: Judged) -> TrialFacts:
    run = RunSummary()
    fold_event(run, StepDone(trial_id="t", step=1, verdicts=submissions))
    return TrialFacts("a", 0, run.trials["t"])


def test_gates_switched_off_send_nothing_back() -> None:
    first = judged(
        rejects(4, "citations were read"),
        rejects(0, "ecom/return"),
        rejects(6, "class", enforcement="off"),
    )
    found = folded(first, judged())

    assert found.summary.submissions == [
        Objections(("4", "ecom/return"), ()),
        Objections((), ()),
    ]
    assert {gate_effect.key for gate_effect in gate_effects([found.summary])} == {A, B}


def test_an_accepted_submission_with_an_override_mends_nothing() -> None:
    override = VerdictRecord(
        gate=0, name="ecom/return", result="overridden", reason="why"
    )
    (effect,) = gate_effects(
        [folded(judged(rejects(0, "ecom/return")), judged(override)).summary]
    )

    assert effect.sent_back == 1
    assert effect.mended == 0
    assert effect.accepted == 1


def facts(
    name: str,
    *details: str,
    run: int = 0,
    score: float | None = 0.0,
    state: str = "answered",
) -> TrialFacts:
    summary = TrialSummary(name, name, state=state, score=score, details=details)
    return TrialFacts(f"trial-{run + 1}-{name}", run, summary)


def test_groups_hold_the_exact_words_and_count_each_trial_once_the_largest_first() -> (
    None
):
    trials = [
        facts("a", "missing /x", "missing /y", "late"),
        facts("b", "missing /z", run=1),
        facts("c", score=1.0),
        facts("d"),
        facts("e", "delivered avg 9.5 of 10", score=0.83),
    ]
    first, *others = failure_groups(trials, 2)

    assert first.title == "missing …"
    assert first.trials_by_run == (1, 1)
    assert [failure.words for failure in first.failures] == [
        "missing /x",
        "missing /y",
        "missing /z",
    ]
    assert [(table.title, table.trials_by_run) for table in others] == [
        ("late", (1, 0)),
        (SILENT, (1, 0)),
    ]


KEYS = {"A": "4", "B": "ecom/return"}
A, B = KEYS.values()


def tried(name: str, *submissions: str, score: float | None = 1.0) -> TrialSummary:
    judged = [
        Objections(tuple(KEYS[name] for name in names), ()) for names in submissions
    ]
    return TrialSummary(name, "t", state="answered", score=score, submissions=judged)


def test_the_next_submission_tells_whether_a_fault_was_mended() -> None:
    trials = [
        tried("a", "A", ""),
        tried("b", "AB", "B", "A", score=0.0),
        tried("c", "A", "A", "", score=None),
        tried("d", ""),
        tried("e"),
    ]

    assert gate_effects(trials) == (
        GateEffect(A, 5, 3, 3, 2, 1, 0),
        GateEffect(B, 2, 1, 1, 0, 0, 0),
    )
    assert gate_effects(trials[2:])[0].right is None


def test_held_calls_are_counted_by_what_became_of_them_and_how_their_trials_ended() -> (
    None
):
    trials = [tried("a", ""), tried("b", "", score=0.0), tried("c", "")]
    for trial, ends in zip(
        trials,
        (("not done",), ("repeated and sent", "done otherwise"), ()),
        strict=True,
    ):
        trial.stopped = {
            CallKey("provenance", "pay", "", str(number)): end
            for number, end in enumerate(ends)
        }

    assert gate_effects(trials) == (GateEffect("provenance", 3, 2, 2, 2, 1, 0),)
    assert not gate_effects(trials[2:])


def played(
    task: str, score: float | None, outcome: str = "ok", state: str = "answered"
) -> TrialFacts:
    return TrialFacts(
        "a", 0, TrialSummary(task, task, state=state, score=score, outcome=outcome)
    )


@pytest.mark.parametrize(
    ("cells", "differs"),
    [
        ([[played("t", 1.0)], [played("t", 1.0)]], False),
        ([[played("t", 1.0)], [played("t", 0.5)]], True),
        ([[played("t", 1.0), played("t", 0.0)], []], True),
        ([[played("t", 1.0)], [played("t", None)]], False),
        ([[played("t", None, "ok")], [played("t", None, "denied")]], True),
        ([[played("t", None, "ok")], [played("t", None, "ok")]], False),
        ([[played("t", None, "ok")], [played("t", None, "", "running")]], False),
    ],
)
def test_a_task_differs_if_its_tries_do(
    cells: list[list[TrialFacts]], differs: bool
) -> None:
    (row,) = task_rows(cells)
    assert row.differs is differs


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"model": "gpt-x", "benchmark": "folder:tasks", "set": {"a": "b c"}},
            "alpha.1 --benchmark folder:tasks --model gpt-x --set 'a=b c' --with gpt-x",
        ),
        ({"model": "baseline"}, None),
        ({"model": "recorded"}, None),
    ],
)
def test_a_failure_of_a_model_has_the_command_to_improve_it(
    tmp_path: Path, settings: dict[str, JsonValue], words: str | None
) -> None:
    with open_journal(
        journal_of_trials(tmp_path / "a.jsonl", [ReportedTrial("alpha.1", 0.0)])
    ) as opened:
        run = run_facts(opened, 0, (), is_running=False)
        assert run.summary.opened is not None
        own = tuple(
            Setting(name=name, value=value, source="flag")
            for name, value in settings.items()
        )
        run.summary.opened = run.summary.opened.model_copy(update={"settings": own})
        commands = [command.line for command in commands_about(run, run.trials)]
        assert [
            line.partition("improve ")[2] for line in commands if " improve " in line
        ] == ([words] if words else [])
        assert "fork" in commands[1]
        assert "--trial alpha.1-r0 --step 1" in commands[1]
