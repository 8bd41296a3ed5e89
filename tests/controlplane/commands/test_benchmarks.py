import socket
from pathlib import Path

from controlplane.journal.journal_content import open_journal
from tests.support.command import Type


def test_a_preview_is_what_a_run_with_the_same_seed_asks(type_in: Type, tmp_path: Path) -> None:
    shown = type_in("benchmarks", "show", "ecom", "--seed", "7", "--json").json
    previews = {task["task_id"]: task["preview"] for task in shown["tasks"]}
    type_in("run", "--limit", "2", "--seed", "7", "--quiet")
    journal = next(tmp_path.glob("runs/*.jsonl"))
    records = [trial.record for trial in open_journal(journal).trials.values()]
    started = [record.started for record in records if record.started]
    assert len(started) == 2
    assert {each.task_id: each.instruction for each in started}.items() <= previews.items()


def test_options_are_listed_and_checked(type_in: Type) -> None:
    shown = type_in("benchmarks", "show", "ecom")
    assert "--set policy=…" in shown.out
    assert "(open, blind)" in shown.out
    blind = type_in("benchmarks", "show", "ecom", "--set", "policy=blind", "--json").json
    assert blind["policy"] == "blind"
    assert [option["name"] for option in blind["options"]] == ["policy", "profile", "names", "wordings"]
    wrong = type_in("benchmarks", "show", "ecom", "--set", "polcy=blind")
    assert (wrong.code, "did you mean 'policy'?" in wrong.err) == (2, True)


def test_a_port_that_is_taken_is_told(type_in: Type) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = type_in("serve", "--benchmark", "tests.support.phonebook", "--port", str(port))
    assert result.code in (2, 3)
    assert str(port) in result.err
    assert "Traceback" not in result.err
