"""The loop finds what helps, drops what harms, refuses
what it copied, and says only what unseen worlds show."""

import json
import os
import re
import signal
import sys
from contextlib import nullcontext
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest

from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import Interrupted, UsageError
from controlplane.improving.candidates import candidate_runs
from controlplane.improving.candidates.candidate_files import (
    candidate_folder,
    candidate_settings,
    edited_files,
)
from controlplane.improving.candidates.candidate_id import id_of
from controlplane.improving.loop_lines import LoopEnded, LoopOpened, Proposed
from controlplane.improving.loop_record import LoopRecord
from controlplane.improving.proof import difference_interval, result_text
from controlplane.improving.proposing.instance_data import added_values, record_values
from controlplane.improving.proposing.model_proposer import text_in
from controlplane.improving.worlds.task_shares import split_tasks
from controlplane.journal.totals.spending_totals import Spent
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.view.progress.run_display import SILENT
from tests.support.command import (
    ROOT,
    run_controlplane,
    run_in_process,
    start_controlplane,
    wait_until,
)
from tests.support.endpoints import model_server
from tests.support.riddles import HARMS, HELPS, LOOK_AGAIN, endpoint

SMALL = (
    "--train",
    "1-11",
    "--check",
    "101-106",
    "--final",
    "201-212",
    "--proposals",
    "12",
    "--batch",
    "4",
)
TEXT = "Solve the riddle.\n" + "\n".join(HARMS.values()) + "\n"


def words(*more: str, by: str = "big") -> list[str]:
    given = [
        "improve",
        "--benchmark",
        "tests.support.riddles",
        "--model",
        "small",
        "--reply-mode",
        "text",
    ]
    return [
        *given,
        "--hints",
        "hints.txt",
        "--edit",
        "hints.txt",
        "--with",
        by,
        *SMALL,
        *more,
    ]


def at(url: str) -> dict[str, str]:
    return {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none", "PYTHONPATH": str(ROOT)}


def loop_of(folder: Path) -> LoopRecord:
    (path,) = (folder / "runs").glob("*/loop.jsonl")
    return LoopRecord(path.parent)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "hints.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path


@pytest.mark.second_tier
def test_a_loop_adds_what_helps_drops_what_harms_and_carries_no_instance_data(
    folder: Path,
) -> None:
    with model_server(endpoint()) as server:
        done = run_in_process(*words("--json"), cwd=folder, **at(server.url))
        result = json.loads(done.out)
        record = loop_of(folder)
        best = (record.folder / "candidates" / result["best"] / "hints.txt").read_text(
            encoding="utf-8"
        )
        requests = len(server.asked)
        assert (done.code, result["is_better"]) == (0, True), done.out + done.err
        assert all(sentence in best for sentence in HELPS.values())
        assert not any(sentence in best for sentence in HARMS.values())
        assert "77" not in best
        assert " on 12 unseen tasks (+" in result["text"]
        refused = [line.refused for line in record.proposals if line.refused]
        assert any("data of the trials" in reason for reason in refused)

        proposers = [
            str(request.body["messages"])
            for request in server.asked
            if request.body["model"] == "big"
        ]
        unseen = [f"number {seed}:" for seed in (*range(101, 107), *range(201, 213))]
        assert not [
            text for text in proposers if any(number in text for number in unseen)
        ]

        for name in (
            record.folder.name,
            record.folder.name[:12],
            "last",
            str(record.folder),
        ):
            again = run_in_process(
                "resume", name, "--json", cwd=folder, **at(server.url)
            )
            assert (again.code, json.loads(again.out)["text"]) == (0, result["text"]), (
                name
            )
            assert (
                run_in_process("report", name, "-o", "loop.html", cwd=folder).code == 0
            ), name
            shown = json.loads(run_in_process("show", name, "--json", cwd=folder).out)
            assert shown | {"folder": result["folder"]} == result, name
        assert len(server.asked) == requests
        refused_again = run_in_process(
            "resume",
            record.folder.name,
            "--model",
            "other",
            cwd=folder,
            **at(server.url),
        )
        assert (
            refused_again.code,
            "only its limits can change" in refused_again.err,
        ) == (2, True)
        html = (folder / "loop.html").read_text(encoding="utf-8")
        assert all(name in html for name in record.checked())
        assert "<script" not in html

        proposed = run_in_process("improve", "apply", "last", cwd=folder)
        assert (proposed.code, "nothing is written" in proposed.err) == (6, True)
        applied = run_in_process("improve", "apply", "last", "--apply", cwd=folder)
        assert applied.code == 0, applied.err
        assert f"+{HELPS['alder']}" in applied.out
        assert (folder / "hints.txt").read_text(encoding="utf-8") == best


@pytest.mark.second_tier
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_loop_goes_on_and_pays_nothing_twice(
    folder: Path, number: signal.Signals
) -> None:
    with model_server(endpoint()) as server:
        first = start_controlplane(*words(), cwd=folder, **at(server.url))
        wait_until(
            lambda: sum(request.body["model"] == "big" for request in server.asked) > 1,
            within_s=90,
        )
        os.kill(first.pid, number)
        _, said = first.communicate()
        record = loop_of(folder)
        latest = max(
            (record.folder / "runs").glob("*.jsonl"),
            key=lambda path: path.stat().st_mtime,
        )
        # as a kill may leave it
        latest.write_bytes(latest.read_bytes() if number == signal.SIGINT else b"")
        if number == signal.SIGINT:
            best = re.search(
                r"best so far: (\w+), on the check worlds; continue with: .* resume (\S+)",
                said,
            )
            assert best, said
            assert (best[2], first.returncode) == (record.folder.name, 130)
            assert (record.folder / "candidates" / best[1] / "hints.txt").is_file()
        done = run_controlplane(
            "resume", "last", "--json", cwd=folder, **at(server.url)
        )
        assert (done.code, json.loads(done.out or "{}").get("is_better")) == (
            0,
            True,
        ), done.err
        journals = [
            path.read_bytes() for path in (record.folder / "runs").glob("*.jsonl")
        ]
        ended = sum(journal.count(b'"type":"trial_ended"') for journal in journals)
        proposals = LoopRecord(record.folder).proposals
        played, asked = (
            [request for request in server.asked if request.body["model"] == name]
            for name in ("small", "big")
        )
        # What was under way when the process was killed is asked again, and nothing else.
        assert len(played) <= ended + 8
        assert len(asked) <= len(proposals) + 1


def test_an_interrupt_stops_the_loop_even_if_its_runs_have_just_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    interrupted = Event()
    interrupted.set()
    ended = SimpleNamespace(
        controls=SimpleNamespace(interrupted=interrupted),
        summary=SimpleNamespace(submitted=True, process=SimpleNamespace(error="")),
    )
    monkeypatch.setattr(
        candidate_runs, "continued_run", lambda plan: nullcontext(ended)
    )
    monkeypatch.setattr(candidate_runs, "conduct", lambda run, screen: 0)
    with pytest.raises(Interrupted):
        candidate_runs.CandidateRuns({}, SILENT)(RunSettings(), (), Path("run.jsonl"))


def test_a_program_proposes_from_a_report_and_changes_listed_files_alone(
    folder: Path,
) -> None:
    (folder / "agent.py").write_text(
        "import json, pathlib\n"
        "rows = json.loads(pathlib.Path('failures/report.json').read_text())\n"
        "report = pathlib.Path('failures/report.md').read_text()\n"
        "assert rows and all(row['trace'] in report for row in rows)\n"
        f"pathlib.Path('hints.txt').write_text('\\n'.join({list(HELPS.values())!r}))\n"
        "pathlib.Path('other.txt').write_text('not listed')\n",
        encoding="utf-8",
    )
    with model_server(endpoint()) as server:
        agent = f"command:{sys.executable} {folder / 'agent.py'}"
        done = run_in_process(*words("--json", by=agent), cwd=folder, **at(server.url))
        result = json.loads(done.out)
        assert result["is_better"], done.err
        files = sorted(
            path.name
            for path in (
                loop_of(folder).folder / "candidates" / result["best"]
            ).iterdir()
        )
        assert files == ["hints.txt"]


RULES = """from controlplane.gates.rules import RuleSet, Rule
def look(submission, evidence, case):
    return {} if submission.answer_text == "unknown" else None
RULE_SET = RuleSet("own", (Rule("look", look),))
"""


@pytest.mark.second_tier
def test_a_module_of_the_user_is_edited_and_each_candidate_plays_with_its_own(
    folder: Path,
) -> None:
    (folder / "own_rules.py").write_text(RULES.format("None"), encoding="utf-8")
    (folder / "agent.py").write_text(
        f"import pathlib\npathlib.Path('own_rules.py').write_text({RULES.format(repr(LOOK_AGAIN))!r})\n",
        encoding="utf-8",
    )
    with model_server(endpoint()) as server:
        given = words(
            "--rule-sets",
            "own_rules:RULE_SET",
            "--json",
            by=f"command:{sys.executable} {folder / 'agent.py'}",
        )
        given[given.index("--edit") + 1] = "own_rules.py"
        done = run_in_process(*given, cwd=folder, **at(server.url))
    result = json.loads(done.out)

    assert (result["is_better"], "→ 1.00" in result["text"]) == (True, True), (
        done.out + done.err
    )


@pytest.mark.parametrize(
    "parts",
    [
        ("--split", "34/33/33"),
        ("--train", "alder, elm", "--check", "birch,cedar", "--final", "dogwood,fir"),
    ],
)
def test_tasks_are_set_apart_where_seeds_are_not(
    folder: Path, parts: tuple[str, ...]
) -> None:
    given = [word for word in words() if word not in SMALL[:6]]
    with model_server(endpoint()) as server:
        done = run_in_process(*given, *parts, "--json", cwd=folder, **at(server.url))
    plan = loop_of(folder).plan
    tasks = [
        {task for _, task in part} for part in (plan.train, plan.check, plan.final)
    ]

    assert [len(part) for part in tasks] == [2, 2, 2]
    assert len(set.union(*tasks)) == 6
    assert done.code == 1, "two tasks show nothing"


@pytest.mark.parametrize("named", [(), ("overdue-loans",)])
def test_without_parts_named_tasks_are_learnt_from_where_numbers_change_nothing(
    folder: Path, named: tuple[str, ...]
) -> None:
    options = (
        "--benchmark",
        f"folder:{ROOT / 'docs/examples/library'}",
        "--model",
        "small",
        "--with",
        "big",
    )
    with model_server(endpoint()) as server:
        given = (*options, "--hints", "hints.txt", "--run-time", "0.001")
        done = run_in_process("improve", *named, *given, cwd=folder, **at(server.url))

    assert done.code != 2, done.err
    plan = loop_of(folder).plan
    tasks = [
        [task for _, task in part] for part in (plan.train, plan.check, plan.final)
    ]
    assert sorted(task for part in tasks for task in part) == [
        "foreign-reader",
        "overdue-loans",
        "renewed-loan",
    ]
    assert not named or tasks[0] == [*named]


def claims(folder: Path, number: int, url: str) -> bool:
    place = folder / str(number)
    place.mkdir()
    (place / "hints.txt").write_text(f"Loop {number}.\n", encoding="utf-8")
    done = run_in_process(*words("--seed", str(number), "--json"), cwd=place, **at(url))
    assert done.code in (0, 1), done.err
    return bool(json.loads(done.out)["is_better"])


@pytest.mark.heavy
def test_loops_without_an_effect_claim_one_as_seldom_as_their_intervals_say(
    folder: Path,
) -> None:
    with model_server(endpoint(luck=0.5, copies_id=False)) as server:
        assert sum(claims(folder, number, server.url) for number in range(20)) <= 2


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("--check", "10-20"), "--train and --check share 10"),
        (("--edit", "none.py"), "--edit none.py: there is no such file or folder"),
        (("--split", "50/25/25"), "--split divides the tasks by itself"),
        (("--train", "alder, oak"), "no task 'oak'"),
    ],
)
def test_a_plan_that_would_prove_nothing_is_refused(
    folder: Path, given: tuple[str, ...], says: str
) -> None:
    done = run_in_process(*words(*given), cwd=folder, **at("http://127.0.0.1:9/v1"))
    assert (done.code, says in done.err) == (2, True), done.err
    assert not list((folder / "runs").glob("*/loop.jsonl"))


def test_a_record_without_the_users_mark_is_not_acted_on(folder: Path) -> None:
    with model_server(endpoint()) as server:
        run_in_process(*words("--run-time", "0.001"), cwd=folder, **at(server.url))
        path = loop_of(folder).folder / "loop.jsonl"
        path.write_bytes(
            path.read_bytes().replace(b'"proposer":"big"', b'"proposer":"command:evil"')
        )
        done = run_in_process("resume", path.parent.name, cwd=folder, **at(server.url))

    assert done.code == 2
    assert "does not carry your mark" in done.err


def played(score: float, tokens: int) -> TrialSummary:
    spent = Spent(tokens=tokens, known_usd=0.5)
    return TrialSummary(
        "t", "a.1", score=score, state="answered", steps_done=3, spent=spent
    )


def test_a_result_tells_means_tasks_interval_and_tokens() -> None:
    from controlplane.score_statistics import Interval

    before, after = (
        [played(0.0, 100), played(1.0, 100)],
        [played(1.0, 88), played(1.0, 88)],
    )
    text = result_text(before, after, Interval(0.5, 0.01, 0.93))

    assert (
        text
        == "0.50 → 1.00 on 2 unseen tasks (+0.50, 95 % CI [0.01, 0.93]), tokens -12 %"
    )


def test_values_of_records_are_found_in_a_proposal_and_words_of_documents_are_not() -> (
    None
):
    record = '{"id": "basket-0123", "owner": {"name": "Ada Lovelace"}, "cents": 12995, "open": true}'
    values = record_values(record, "/a.json") | record_values(
        "sku,price\nVH-POT-12,19.50\n", ".csv"
    )

    assert (
        record_values("# Refunds\n\nUp to 30 days, by Desk Staff.", "/docs/refunds.md")
        == set()
    )
    before = {"hints.txt": "Look at VH-POT-12."}
    after = {
        "hints.txt": "Look at VH-POT-12. Ada Lovelace owns `basket-0123`: 12995. Up to 30 days, by Desk Staff."
    }
    assert added_values(values, before, after) == [
        "Ada Lovelace",
        "basket-0123",
        "12995",
    ]
    respelled = {"hints.txt": "Look at VH-POT-12. Ask ADA LOVELACE about basket/0123."}
    assert added_values(values, before, respelled) == ["Ada Lovelace", "basket-0123"]


@pytest.mark.parametrize(
    "reply",
    ["new\nline", "\n```md\nnew\nline\n```\n", "new\nline\n\n", "new\r\nline\r\n"],
)
def test_the_text_of_a_reply(reply: str) -> None:
    assert text_in(reply) == "new\nline\n"
    text_in(f"{reply} \ud800").encode()


def test_a_candidate_is_read_only_named_by_its_texts_and_takes_the_place_of_named_files(
    tmp_path: Path,
) -> None:
    script = tmp_path / "replies.toml"
    script.write_text("old", encoding="utf-8")
    settings = RunSettings(model=f"scripted:{script}")
    files = edited_files([str(script)], settings)
    changed = {"replies.toml": "new"}
    folder = candidate_folder(tmp_path / "loop", changed)

    own = candidate_settings(settings, {}, changed, files.origins, folder)

    place = tmp_path / "loop" / "candidates" / id_of(changed) / "replies.toml"

    assert own.model == f"scripted:{place}"
    assert (place.read_text(encoding="utf-8"), place.stat().st_mode & 0o777) == (
        "new",
        0o444,
    )
    assert script.read_text(encoding="utf-8") == "old"


def plan_of(folder: Path, origin: Path) -> LoopOpened:
    worlds = ((1, "a"),)
    return LoopOpened(
        loop=folder.name,
        settings={},
        sources={},
        origins={"hints.txt": str(origin)},
        texts={"hints.txt": "old\n"},
        proposer="big",
        train=worlds,
        check=worlds,
        final=worlds,
        proposals=1,
        batch=1,
        seed=0,
    )


def ended_loop(folder: Path, origin: Path) -> None:
    """Record a loop whose best candidate has another text."""
    record = LoopRecord(folder)
    better = {"hints.txt": "new\n"}
    with record.writing(plan_of(folder, origin)):
        record.append(Proposed(parent=id_of({"hints.txt": "old\n"}), texts=better))
        record.append(LoopEnded(best=id_of(better), is_better=True, text="better"))


def test_the_record_of_another_loop_is_refused(tmp_path: Path) -> None:
    ended_loop(tmp_path / "runs/improve-1", tmp_path / "hints.txt")
    (tmp_path / "runs/improve-1").rename(tmp_path / "runs/improve-2")
    for words in (["report", "improve-2", "-o", "page.html"], ["resume", "improve-2"]):
        done = run_in_process(*words, cwd=tmp_path)
        assert (done.code, "another loop, improve-1" in done.err) == (2, True), done.err


def test_a_result_is_applied_where_it_came_from_and_not_over_later_edits(
    tmp_path: Path,
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "elsewhere").mkdir()
    hints = tmp_path / "here/hints.txt"
    hints.write_text("old\n")
    (tmp_path / "elsewhere/hints.txt").write_text("old\n")
    ended_loop(tmp_path / "runs/improve-1", hints)
    apply = (
        "improve",
        "apply",
        "improve-1",
        "--apply",
        "--runs-dir",
        tmp_path / "runs",
    )

    hints.write_text("edited by hand\n")
    refused = run_in_process(*apply, cwd=tmp_path / "elsewhere")

    assert refused.code == 2
    assert "+edited by hand" in refused.err

    hints.write_text("old\n")
    assert run_in_process(*apply, cwd=tmp_path / "elsewhere").code == 0
    assert hints.read_text() == "new\n"
    assert (tmp_path / "elsewhere/hints.txt").read_text() == "old\n"


def test_few_tasks_that_all_change_alike_do_not_make_a_result_certain() -> None:
    interval = difference_interval([1.0] * 6)
    assert interval.mean == 1.0
    assert 0 < interval.low < 0.5


def test_tasks_are_split_by_shares_that_leave_none_empty() -> None:
    tasks = [f"t{number}" for number in range(8)]
    parts = split_tasks(tasks, "50/25/25", seed=1)

    assert (
        [len(part) for part in parts],
        sorted(task for part in parts for task in part),
    ) == (
        [4, 2, 2],
        tasks,
    )
    for shares in ("50/25/20", "99/1/0", "50/50", "a/b/c"):
        with pytest.raises(UsageError, match="cannot be split"):
            split_tasks(tasks, shares, seed=1)


def test_nothing_of_the_working_folder_is_edited_unless_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/system.md").write_text("of the folder", encoding="utf-8")
    (tmp_path / "hints.txt").write_text("of the folder", encoding="utf-8")
    texts = edited_files((), RunSettings(model="m")).texts

    assert (texts["hints.txt"], "of the folder" in texts["prompts/system.md"]) == (
        "",
        False,
    )
    texts = edited_files(("prompts", "hints.txt"), RunSettings(model="m")).texts
    assert texts == {"prompts/system.md": "of the folder", "hints.txt": "of the folder"}


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "hints.txt").write_text(name, encoding="utf-8")
    with pytest.raises(UsageError, match="two files of one name"):
        edited_files(
            [str(tmp_path / "a/hints.txt"), str(tmp_path / "b/hints.txt")],
            RunSettings(),
        )
