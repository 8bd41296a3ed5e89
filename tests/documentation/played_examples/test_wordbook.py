"""The pages show a solver and a file of replies for `wordbook.py`, a benchmark with two tasks.

What do the words heron and otter mean? The solver `dictionary` needs no model: it looks each word
up. The replies are a model's, one for each task.
"""

from pathlib import Path

from tests.documentation.pages import (
    BENCHMARKS_PAGE,
    SCRIPTED_REPLIES_SECTION,
    WORDBOOK_BENCHMARK,
    blocks,
    code_after,
)
from tests.support.command import run_controlplane


def test_the_solver_of_the_page_solves_the_wordbook(tmp_path: Path) -> None:
    module = code_after("<!-- module: dictionary.py", BENCHMARKS_PAGE)
    (tmp_path / "dictionary.py").write_text(module, "utf-8")
    (tmp_path / "wordbook.py").write_text(WORDBOOK_BENCHMARK, "utf-8")

    result = run_controlplane(
        "run",
        "--benchmark",
        "wordbook",
        "--agent",
        "dictionary",
        "--json",
        cwd=tmp_path,
    )

    assert result.code == 0, result.err
    assert result.json["score"] == 1.0


def test_the_replies_of_the_page_solve_the_wordbook(tmp_path: Path) -> None:
    replies = blocks(SCRIPTED_REPLIES_SECTION, "toml")[0]
    (tmp_path / "wordbook.py").write_text(WORDBOOK_BENCHMARK, "utf-8")
    (tmp_path / "replies.toml").write_text(replies, "utf-8")

    result = run_controlplane(
        "run",
        "--benchmark",
        "wordbook",
        "--model",
        "scripted:replies.toml",
        "--json",
        cwd=tmp_path,
    )

    assert result.code == 0, result.err
    assert result.json["score"] == 1.0
    assert result.json["trials_scored"] == 2
