"""The documentation cannot rot: its commands run, its pages are what the code makes, its links lead somewhere."""

import importlib.util
import json
import re
import shlex
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

from benchmarks.bitgn.server import ServerOptions
from controlplane.command_line import COMMANDS
from gates.submission import GATE_NAMES
from tests.bench.trial_cost import BUDGET, model_server
from tests.support.command import Result, inside, python
from tests.support.effect_counter import Tally
from tests.support.product_files import PACKAGES
from tests.support.running_server import running_server

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def shell_lines(text: str) -> list[str]:
    """Return the commands of fenced `sh` blocks, but for those marked `skip`."""
    blocks = re.findall(r"^```sh\n(.*?)^```", text, flags=re.M | re.S)
    return [line.split("#")[0].strip() for block in blocks for line in block.splitlines() if line.split("#")[0].strip()]


def generated() -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs/generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: page() for name, page in module.PAGES.items()}


def test_made_pages_are_what_the_code_makes() -> None:
    for name, page in generated().items():
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == page, f"run: python docs/generate.py ({name})"


def test_the_readme_begins_with_the_two_commands() -> None:
    assert shell_lines(README)[:2] == ["./start", "./start test"]


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the commands of the README run one after another, as a reader would run them."""
    folder = tmp_path_factory.mktemp("readme")
    for name in ("docs", "tests"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def run_line(line: str, folder: Path, *, whole: bool) -> Result:
    """Run a command of the README: with few trials unless `whole`; other modules in processes of their own."""
    words = shlex.split(line if whole else re.sub(r"--limit \d+", "--limit 2", line))
    if words[0] == "controlplane":
        return inside(*words[1:], cwd=folder)
    if words == ["./start"]:
        words = ["python", "-m", "controlplane.first_run"]
    assert words[:2] == ["python", "-m"], line
    return python(*words[1:], cwd=folder)


@pytest.mark.usefixtures("shared_fork_servers")
def test_every_command_of_the_readme_runs(workplace: Path, heavy: bool) -> None:
    ran = []
    for line in shell_lines(README):
        if line == "./start test":
            continue
        done = run_line(line, workplace, whole=heavy)
        # The player by rules is stopped by the exit in a trial or two, which is exit code 1 and told.
        is_stopped = done.code == 1 and "ended by the fallback" in done.out
        assert done.code == 0 or is_stopped, f"{line}: {done.code}\n{done.out}{done.err}"
        ran.append(line)
    assert len(ran) >= 12


def commands_elsewhere() -> list[str]:
    """Return the commands of blocks that name a server of the reader's own."""
    blocks = re.findall(r"^```sh skip\n(.*?)^```", README, flags=re.M | re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("controlplane ")]


@pytest.mark.usefixtures("shared_fork_servers")
def test_commands_for_a_server_of_the_readers_own_run_against_ours(tmp_path: Path, heavy: bool) -> None:
    fewer = () if heavy else ("--limit", "2")
    answer = 'harness.answer({"answer": "no", "outcome": "OUTCOME_NONE_UNSUPPORTED"}, lambda sp: True)'
    reply = json.dumps({"state": "", "plan": [], "done": True, "code": answer})
    ran = []
    with model_server([reply]) as port, running_server(Tally(2), ServerOptions()) as platform:
        keys = {"OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "none", "BITGN_API_KEY": "k"}
        for line in commands_elsewhere():
            words = shlex.split(line.replace("<benchmark id>", "tally").replace("<model>", "canned"))[1:]
            result = inside(*words, *fewer, "--max-steps", "1", cwd=tmp_path, BITGN_HOST=platform.url, **keys)
            # The model knows one wrong answer: every trial ends by its fallback, and nothing else goes wrong.
            assert result.code == 0, f"{line}: {result.code}\n{result.err}"
            assert "Traceback" not in result.err
            ran.append(line)
    assert len(ran) == 2


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_command_and_every_gate_is_documented() -> None:
    commands, gates = ((ROOT / f"docs/{page}.md").read_text(encoding="utf-8") for page in ("reference", "gates"))
    assert not [command for command in COMMANDS if f"### controlplane {command}" not in commands]
    for number in range(1, 9):
        assert f"{number} {GATE_NAMES[number]}" in gates


ARCHITECTURE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
PATH = re.compile(rf"\b((?:{'|'.join([*PACKAGES, 'prompts', 'tests', 'docs'])})/[\w/]*(?:\.\w+)?)")


def test_every_path_of_the_architecture_exists() -> None:
    named = PATH.findall(ARCHITECTURE)
    assert len(named) > 50
    assert [each for each in named if not (ROOT / each).exists()] == []


@pytest.mark.parametrize("target", BUDGET)
def test_a_row_of_the_budget_times_a_function_that_exists(target: str) -> None:
    module, _, path = target.partition(":")
    assert callable(attrgetter(path)(import_module(module)))
