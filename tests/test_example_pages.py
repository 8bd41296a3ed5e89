"""The code of the pages about benchmarks and scripted replies runs, and does what they say."""

import re
from pathlib import Path

from agent.model.scripted_model import ScriptedReply
from controlplane import open_journal
from controlplane.benchmark import BenchmarkOption
from tests.support.command import ROOT, controlplane

BENCHMARKS = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
SCRIPTED = (ROOT / "docs/models.md").read_text(encoding="utf-8").partition("## Scripted replies")[2]
WORDBOOK = (ROOT / "docs/examples/wordbook.py").read_text(encoding="utf-8")


def code_behind(mark: str, page: str, language: str = "python") -> str:
    """Return the first block of a language behind a mark."""
    block = re.search(rf"{re.escape(mark)}.*?```{language}\n(.*?)```\n", page, flags=re.S)
    assert block
    return block[1]


def test_the_benchmark_of_files_plays_as_its_page_says(tmp_path: Path) -> None:
    whole = (ROOT / "docs/examples/lending.py").read_text("utf-8")
    (tmp_path / "lending.py").write_text(whole, "utf-8")
    assert code_behind("<!-- part of: docs/examples/lending.py -->", BENCHMARKS) in whole
    (tmp_path / "lending.toml").write_bytes((ROOT / "docs/examples/lending.toml").read_bytes())
    (command,) = re.findall(r"^controlplane (run --benchmark lending .*)$", BENCHMARKS, flags=re.M)
    done = controlplane(*command.split(), "--json", cwd=tmp_path)
    assert (done.code, done.json["score"]) == (0, 1.0), done.err
    with open_journal(tmp_path / done.json["journal"]) as journal:
        (trial,) = journal.trials.values()
        early, late = trial.steps
        opening = trial.opening
    assert opening is not None
    shown = [call.arguments.get("path", call.operation) for call in opening.calls]
    assert sorted(shown) == ["/AGENTS.md", "/bin/lend", "/books/otter.json", "tree"]
    assert [rejection.gate for rejection in early.verdicts[0].rejections] == [6]
    assert late.verdicts[0].refs == ("/books/otter.json",)


def test_the_solver_of_the_page_plays_the_wordbook(tmp_path: Path) -> None:
    (tmp_path / "dictionary.py").write_text(code_behind("<!-- module: dictionary.py", BENCHMARKS), "utf-8")
    (tmp_path / "wordbook.py").write_text(WORDBOOK, "utf-8")
    done = controlplane("run", "--benchmark", "wordbook", "--agent", "dictionary", "--json", cwd=tmp_path)
    assert (done.code, done.json["score"]) == (0, 1.0), done.err


def test_the_options_of_the_page_are_options() -> None:
    found: dict[str, tuple[BenchmarkOption, ...]] = {}
    exec(code_behind("## Opening", BENCHMARKS), found)
    assert [option.name for option in found["OPTIONS"]] == ["size", "policy", "api_key"]


def test_the_replies_of_the_page_play_the_wordbook(tmp_path: Path) -> None:
    (tmp_path / "wordbook.py").write_text(WORDBOOK, "utf-8")
    (tmp_path / "replies.toml").write_text(code_behind("", SCRIPTED, "toml"), "utf-8")
    done = controlplane("run", "--benchmark", "wordbook", "--model", "scripted:replies.toml", "--json", cwd=tmp_path)
    assert (done.code, done.json["score"], done.json["trials_scored"]) == (0, 1.0, 2), done.err


def test_the_page_lists_every_key_of_a_reply() -> None:
    assert re.findall(r"^\| `(\w+)` \|", SCRIPTED, flags=re.M) == list(ScriptedReply.model_fields)
