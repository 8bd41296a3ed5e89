"""The code of the pages about benchmarks and scripted replies runs, and does what they say."""

import re
from pathlib import Path

from agent.model import ScriptedReply
from controlplane import open_journal
from controlplane.configuration.run_settings import Profile, RunSettings, resolve
from tests.support.command import ROOT, controlplane, python, write_config

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
        initial_prompt = trial.initial_prompt
    assert initial_prompt is not None
    shown = [call.arguments.get("path", call.operation) for call in initial_prompt.calls]
    assert sorted(shown) == ["/AGENTS.md", "/bin/lend", "/books/heron.json", "/books/otter.json", "tree"]
    assert [rejection.gate for rejection in early.verdicts[0].rejections] == [6]
    assert late.verdicts[0].refs == ("/books/otter.json",)


def test_the_rule_set_of_the_page_judges_as_it_says(tmp_path: Path) -> None:
    page = (ROOT / "docs/gates.md").read_text("utf-8")
    (tmp_path / "loans.py").write_text(code_behind("<!-- module: loans.py", page), "utf-8")
    library = ROOT / "docs/examples/library"
    words = "run", "renewed-loan", "--benchmark", f"folder:{library}", "--rule-sets", "loans:RULE_SET", "--json"
    done = controlplane(*words, "--model", f"scripted:{library}.toml", cwd=tmp_path)
    assert (done.code, done.json["score"], done.json["rejections"]) == (0, 1.0, {}), done.err
    replies = Path(f"{library}.toml").read_text("utf-8")
    silent = replies.replace("keep it until {due}", "keep it").replace("return due in sp", 'return "keep" in sp')
    (tmp_path / "silent.toml").write_text(silent, "utf-8")
    done = controlplane(*words, "--model", "scripted:silent.toml", cwd=tmp_path)
    assert "loans/due-date" in done.json["rejections"]


def test_the_tasks_of_the_library_page_are_played_and_graded(tmp_path: Path) -> None:
    page = (ROOT / "docs/library.md").read_text("utf-8")
    (tmp_path / "stock.py").write_text(code_behind("<!-- module: stock.py -->", page), "utf-8")
    (tmp_path / "till.py").write_text(code_behind("<!-- module: till.py -->", page), "utf-8")
    cites = "scratchpad.cite('/stock.csv', 'A-7 has 12')\n"
    played = (
        ("stock.1", "harness.read('/stock.csv')", "12", cites),
        ("stock.2", "harness.read('/stock.csv')", "A-7", cites),
        ("pay.1", "harness.pay(2.5)", "paid", ""),
    )
    replies = [
        f'[[reply]]\ntask = "{task}"\ncode = """{call}\n{cite}'
        f"scratchpad['answer'], scratchpad['outcome'] = '{answer}', 'OUTCOME_OK'\n"
        f"harness.answer(scratchpad, lambda sp: sp['answer'] == '{answer}')\"\"\"\n"
        for task, call, answer, cite in played
    ]
    (tmp_path / "replies.toml").write_text("".join(replies), "utf-8")
    program = (
        "import controlplane, stock, till\n"
        "run = controlplane.run([*stock.TASKS, *till.TASKS], model='scripted:replies.toml')\n"
        "print([(trial.task_id, trial.score, trial.why) for trial in run.trials])\n"
    )
    (tmp_path / "program.py").write_text(program)
    done = python("program.py", cwd=tmp_path)
    assert done.out == "[('stock.1', 1.0, ''), ('stock.2', 0.0, 'it is B-1, not A-7'), ('pay.1', 1.0, '')]\n", done


REFUND = """
[[reply]]
code = '''
order = harness.get_order("o1")
for amount in (order.paid + 1, order.paid):
    try:
        print(harness.refund(order.id, amount).value)
    except HarnessError as error:
        print(error)
scratchpad["answer"], scratchpad["outcome"] = "", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["outcome"] == "OUTCOME_OK")
'''
"""


def test_the_benchmark_of_tools_of_the_page_is_played(tmp_path: Path) -> None:
    (tmp_path / "shopkeeper.py").write_text(code_behind("<!-- module: shopkeeper.py", BENCHMARKS), "utf-8")
    (tmp_path / "replies.toml").write_text(REFUND, "utf-8")
    words = "run", "--benchmark", "shopkeeper", "--model", "scripted:replies.toml", "--json"
    done = controlplane(*words, cwd=tmp_path)
    assert [(trial["score"], trial["details"], trial["answer"]) for trial in done.json["trials"]] == [
        (1.0, [], ""),
        (0.0, ["order o2 has 35.5 left"], ""),
    ], done.err


def test_the_solver_of_the_page_plays_the_wordbook(tmp_path: Path) -> None:
    (tmp_path / "dictionary.py").write_text(code_behind("<!-- module: dictionary.py", BENCHMARKS), "utf-8")
    (tmp_path / "wordbook.py").write_text(WORDBOOK, "utf-8")
    done = controlplane("run", "--benchmark", "wordbook", "--agent", "dictionary", "--json", cwd=tmp_path)
    assert (done.code, done.json["score"]) == (0, 1.0), done.err


def test_the_replies_of_the_page_play_the_wordbook(tmp_path: Path) -> None:
    (tmp_path / "wordbook.py").write_text(WORDBOOK, "utf-8")
    (tmp_path / "replies.toml").write_text(code_behind("", SCRIPTED, "toml"), "utf-8")
    done = controlplane("run", "--benchmark", "wordbook", "--model", "scripted:replies.toml", "--json", cwd=tmp_path)
    assert (done.code, done.json["score"], done.json["trials_scored"]) == (0, 1.0, 2), done.err


def test_the_page_lists_every_key_of_a_reply() -> None:
    assert re.findall(r"^\| `(\w+)` \|", SCRIPTED, flags=re.M) == list(ScriptedReply.model_fields)


SAMPLE = Path(__file__).parent.parent / "docs/examples/controlplane.toml"
PAGE = (Path(__file__).parent.parent / "docs/models.md").read_text(encoding="utf-8")


def test_every_endpoint_of_the_page_has_its_three_settings_and_an_address_that_is_taken() -> None:
    rows = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ")]
    named = {row[0]: row[1].strip("` ") for row in rows if len(row) >= 4 and row[0] not in ("|", "")}
    assert {"Ollama", "vLLM", "llama.cpp", "OpenRouter"} <= named.keys()
    for address in named.values():
        if address.startswith("http"):
            assert RunSettings(base_url=address).base_url == address


def test_the_sample_file_is_read_and_shows_every_key_of_a_profile(tmp_path: Path) -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    write_config(tmp_path / "controlplane.toml", text, encoding="utf-8")
    resolved = resolve({}, {}, tmp_path)
    assert resolved.profiles["big"].model_fields_set == set(Profile.model_fields)
    assert resolved.settings.role.keys() == {"classify"}


def test_every_option_of_the_page_is_one() -> None:
    ours = {f"--{name.replace('_', '-')}" for name in RunSettings.model_fields}
    served = {
        "--api-key",
        "--chat-template",
        "--enable-auto-tool-choice",
        "--jinja",
        "--json",
        "--max-model-len",
        "--parallel",
        "--tool-call-parser",
    }
    assert set(re.findall(r"--[a-z][a-z-]+", PAGE)) <= ours | served
