"""Programs that nobody here wrote: an agent that plays a trial, clients of our server, servers of our scripts.

Each lives in an environment of its own, made once from the package index; a test is skipped where that has no answer.
"""

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from controlplane.mcp.server_specs import ServerSpec, ToolAccess
from controlplane.mcp.tool_environment import with_tools
from sandbox.interface import CallError
from tests.controlplane.mcp.test_tool_environment import Nothing
from tests.support.command import ROOT, Result, controlplane, environment, inside
from tests.support.endpoints import completion, model_server, response

pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]
INSTALL_S = 600


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return the folder of programs of an environment that holds packages."""
    folder = tmp_path_factory.mktemp("foreign")

    def of(package: str, *others: str) -> Path:
        home = folder / package
        if not home.exists():
            subprocess.run([sys.executable, "-m", "venv", home], check=True, timeout=INSTALL_S)
            command = [home / "bin/python", "-m", "pip", "install", "-q", package, *others]
            done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_S, check=False)
            if done.returncode:
                pytest.skip(f"{package} cannot be installed here: {done.stderr.strip()[-200:]}")
        return home / "bin"

    return of


def npx(*words: str | Path, cwd: Path, package: str) -> subprocess.CompletedProcess[str]:
    """Run a program of a package of npm."""
    variables = {**environment(HOME=os.environ.get("HOME", "/")), "npm_config_yes": "true"}
    command = ["npx", "-y", "-p", "node@22", "-p", package, *map(str, words)]
    try:
        done = subprocess.run(
            command, cwd=cwd, env=variables, capture_output=True, text=True, timeout=INSTALL_S, check=False
        )
    except FileNotFoundError:
        pytest.skip("there is no npx here")
    if "npm error" in done.stderr or "npm ERR" in done.stderr:
        pytest.skip(f"{package} cannot be had here: {done.stderr[-200:]}")
    return done


def command_line(folder: Path) -> Path:
    """Return a folder with the command `controlplane`."""
    command = folder / "bin/controlplane"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m controlplane "$@"\n')
    command.chmod(0o755)
    return command.parent


COUNT = """import json
due = {path: json.loads(harness.read(path).content) for path in harness.find("*.json", root="/loans", limit=0).paths}
print([path for path, loan in due.items() if loan["due"] < "2027-03-11"])"""
CITED = [{"path": f"/loans/loan-0{number}.json", "reason": "it was due before today"} for number in (1, 3)]
GONE = [{"path": "/loans/gone.json", "reason": "it was due before today"}]
SHELL_CALLS = (
    f"controlplane mcp call execute_script '{json.dumps({'code': COUNT})}'",
    f"controlplane mcp call report_completion '{json.dumps({'answer': '[COUNT:2]', 'citations': GONE})}'",
    f"controlplane mcp call report_completion '{json.dumps({'answer': '[COUNT:2]', 'citations': CITED})}'",
    "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
)


def test_an_agent_with_a_shell_alone_answers_a_trial_through_the_gates(
    tmp_path: Path, installed: Callable[..., Path]
) -> None:
    python = installed("mini-swe-agent") / "python"
    said = iter(SHELL_CALLS)

    def reply(asked: object, connection: object) -> bytes:
        return response(200, completion(f"Next.\n\n```mswea_bash_command\n{next(said)}\n```"))

    with model_server(reply) as model:
        variables = {
            "PATH": f"{command_line(tmp_path)}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "MSWEA_MODEL_NAME": "openai/scripted",
            "MSWEA_SILENT_STARTUP": "1",
            "OPENAI_BASE_URL": model.url,
            "OPENAI_API_KEY": "none",
        }
        run = controlplane(
            *("run", "overdue-loans", "--benchmark", f"folder:{ROOT / 'docs/examples/library'}", "--json"),
            *("--agent", f"command:{python} {ROOT / 'docs/examples/shell_agent.py'}"),
            cwd=tmp_path,
            **variables,
        )
    assert run.code == 0, run.err + run.out
    journal = Path(tmp_path, run.json["journal"]).read_text()
    (trial,) = run.json["trials"]
    assert (trial["score"], trial["state"]) == (1.0, "answered"), journal
    assert "/loans/loan-01.json" in str(model.asked[1].body["messages"])
    assert "was not read" in str(model.asked[2].body["messages"])
    assert inside("replay", "last", "--verify", cwd=tmp_path).code == 0


def test_an_inspector_lists_and_calls_the_tools_of_our_server(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/loans.md").write_text("loan-02: kept until 2026-03-01\n")
    ours = command_line(tmp_path) / "controlplane"
    inspect = ("mcp-inspector", "--cli", ours, "mcp", "docs")
    package = "@modelcontextprotocol/inspector"
    listed = npx(*inspect, "--method", "tools/list", cwd=tmp_path, package=package)
    assert listed.returncode == 0, listed.stderr
    tools = json.loads(listed.stdout)["tools"]
    assert [tool["name"] for tool in tools] == ["begin", "execute_script", "submit_answer"]
    call = ("--method", "tools/call", "--tool-name", "execute_script", "--tool-arg")
    called = npx(*inspect, *call, "code=print(harness.read('/loans.md').content)", cwd=tmp_path, package=package)
    assert "kept until 2026-03-01" in json.loads(called.stdout)["content"][0]["text"], called.stderr


def killed(part: str) -> int:
    """Kill the processes below this one whose command line holds `part`; return how many they were."""
    found = [each for each in psutil.Process().children(recursive=True) if part in " ".join(each.cmdline())]
    for process in found:
        process.kill()
    return len(found)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    file = tmp_path / "loans.db"
    with sqlite3.connect(file) as connection:
        connection.execute("create table loans (id text, due text)")
        connection.executemany(
            "insert into loans values (?, ?)", [("loan-01", "2026-03-01"), ("loan-02", "2026-04-01")]
        )
    connection.close()
    return file


def file_server(folder: Path) -> ServerSpec:
    packages = ("-p", "node@22", "-p", "@modelcontextprotocol/server-filesystem")
    return ServerSpec(command="npx", args=("-y", *packages, "mcp-server-filesystem", str(folder)))


def check_killed(spec: ServerSpec, allow: str, call: tuple[str, dict[str, object]], said: str, part: str) -> None:
    """A call is answered; a server that is killed fails its call, is started anew once, and stays ended after that."""
    with with_tools(Nothing(), ToolAccess({"it": spec}, allow=(allow,))) as made:
        result = made.call(*call)
        assert said in str(result["text"])
        assert str(result["call_path"]).startswith("/mcp/it/calls/")
        for ending in ("was started anew", "has ended again"):
            assert killed(part) > 0
            with pytest.raises(CallError, match=f"{re.escape(call[0])} failed: .*{ending}"):
                made.call(*call)
            if ending == "was started anew":
                assert said in str(made.call(*call)["text"])


def asked(folder: Path, server: str, script: str, *options: str) -> Result:
    (folder / "replies.toml").write_text(f"[[reply]]\ncode = {json.dumps(script)}\n")
    words = (
        "ask",
        "When is loan-02 due?",
        "notes.md",
        "--mcp",
        f"it={server}",
        "--json",
        "--model",
        "scripted:replies.toml",
    )
    return controlplane(*words, *options, cwd=folder, HOME=os.environ.get("HOME", "/"))


ANSWER = """
scratchpad.cite(found.call_path, "it names the day of loan-02", "2026-04-01")
scratchpad["answer"], scratchpad["outcome"] = "On 2026-04-01.", "OUTCOME_OK"
def verify(sp):
    return "2026-04-01" in sp["answer"]
harness.answer(scratchpad, verify)
"""


def check_asked(folder: Path, server: str, call: str, *options: str) -> None:
    (folder / "notes.md").write_text("nothing\n")
    ended = asked(folder, server, f"found = {call}\nprint(found.text){ANSWER}", *options)
    assert ended.code == 0, ended.err + ended.out
    assert [citation["quote"] for citation in ended.json["citations"]] == ["2026-04-01"]
    assert inside("replay", "last", "--verify", cwd=folder).code == 0


def test_a_database_server_from_the_package_index_is_used_and_survived(
    tmp_path: Path, database: Path, installed: Callable[..., Path]
) -> None:
    server = installed("mcp-server-sqlite", "mcp<2") / "mcp-server-sqlite"
    words = (str(server), "--db-path", str(database))
    query = {"query": "select due from loans where id = 'loan-02'"}
    spec = ServerSpec(command=words[0], args=words[1:])
    check_killed(spec, "it.*", ("it.read_query", query), "2026-04-01", str(database))
    call = f"harness.it.read_query(query={query['query']!r})"
    check_asked(tmp_path, " ".join(words), call, "--allow", "it.read_query")


def test_a_file_server_from_npm_is_used_and_survived(tmp_path: Path) -> None:
    npx("node", "--version", cwd=tmp_path, package="@modelcontextprotocol/server-filesystem")
    folder = Path(os.path.realpath(tmp_path)) / "files"
    folder.mkdir()
    (folder / "loan.txt").write_text("loan-02 is due on 2026-04-01\n")
    spec, path = file_server(folder), str(folder / "loan.txt")
    check_killed(spec, "it.*", ("it.read_text_file", {"path": path}), "2026-04-01", str(folder))
    seen = f"harness.it.list_allowed_directories(), harness.it.list_directory(path={str(folder)!r})"
    call = f"({seen}, harness.it.read_text_file(path={path!r}))[2]"
    check_asked(tmp_path, " ".join((spec.command, *spec.args)), call)


@pytest.mark.parametrize(
    ("package", "words", "tool", "arguments", "said"),
    [
        ("@modelcontextprotocol/server-everything", ("mcp-server-everything",), "echo", {"message": "due"}, "due"),
        ("@modelcontextprotocol/server-memory", ("mcp-server-memory",), "read_graph", {}, "entities"),
        ("mcp-server-time", (), "get_current_time", {"timezone": "UTC"}, "UTC"),
        ("mcp-server-git", ("--repository", "."), "git_log", {"repo_path": "."}, "the first loan"),
    ],
)
def test_a_public_servers_tools_are_called_by_the_names_that_prompts_show(
    package: str,
    words: tuple[str, ...],
    tool: str,
    arguments: dict[str, object],
    said: str,
    tmp_path: Path,
    installed: Callable[..., Path],
) -> None:
    if package.startswith("@"):
        npx("node", "--version", cwd=tmp_path, package=package)
        command, args = "npx", ("-y", "-p", "node@22", "-p", package, *words)
    else:
        command, args = str(installed(package, "mcp<2") / package), words
    author = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    for git in (("init", "-q"), (*author, "commit", "-q", "--allow-empty", "-m", "the first loan")):
        subprocess.run(["git", *git], cwd=tmp_path, check=True, env=environment())
    spec = ServerSpec(command=command, args=args, cwd=str(tmp_path))
    with with_tools(Nothing(), ToolAccess({"it": spec}, allow=("it.*",))) as made:
        names = [one.name for one in made.tool_schema.operations]
        assert f"it.{tool}" in names
        assert said in str(made.call(f"it.{tool}", arguments))
        assert made.notices == []
