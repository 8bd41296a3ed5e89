"""Settings of a run: where each comes from, what needs trust,
and flags, settings and files of earlier versions."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane.agent.submission import GateSettings
from controlplane.configuration import config_file, config_trust
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.lifecycle.resources.gate_policies import parse_gates
from controlplane.replay.judged_submissions import rejudged
from controlplane.sandbox import ForkServer
from tests.support.command import check_error_line, run_in_process, write_config
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER as PHONEBOOK

PROFILES = """
[run]
temperature = 0.2
model = "big"

[profiles.big]
model = "vendor/big"
base_url = "http://127.0.0.1:1/v1"
reasoning_effort = "high"
model_headers = {X-Team = "blue", X-Api-Key = "$GATE_KEY"}
model_body = {provider = {order = ["a"]}}
prices = {input = 0.5, output = 2}

[profiles.small]
model = "vendor/small"
base_url = "http://127.0.0.1:2/v1"
api = "responses"
temperature = 0

[roles]
solve = "small"
"""


@pytest.mark.parametrize(
    ("flags", "model"),
    [
        ({}, "vendor/small"),
        ({"model": "big"}, "vendor/big"),
        ({"model": "big", "role": {"solve": "small"}}, "vendor/small"),
    ],
)
def test_the_solving_role_is_the_runs_model_unless_a_flag_says_otherwise(
    flags: dict[str, object], model: str, tmp_path: Path
) -> None:
    write_config(tmp_path / "controlplane.toml", PROFILES, encoding="utf-8")
    found = resolve(flags, {}, tmp_path)

    assert found.settings.model == model
    assert found.settings.role == {}


def test_a_flag_beats_the_environment_beats_the_file_beats_the_default(
    tmp_path: Path,
) -> None:
    write_config(
        tmp_path / "controlplane.toml",
        "[run]\nseed = 1\nconcurrency = 2\nrepeats = 3\n",
    )
    resolved = resolve(
        {"seed": 9},
        {"CONTROLPLANE_SEED": "8", "CONTROLPLANE_CONCURRENCY": "7"},
        tmp_path,
    )
    settings, sources = resolved.settings, resolved.sources

    assert settings.seed == 9
    assert settings.concurrency == 7
    assert settings.repeats == 3
    assert settings.max_steps == 35
    assert [
        sources[name] for name in ("seed", "concurrency", "repeats", "max_steps")
    ] == [
        "flag",
        "environment",
        "controlplane.toml",
        "default",
    ]


SAYS = (
    "the kernel layer does not work here (kernel: only Linux has it)",
    "sandbox doctor",
    "--isolation language,process",
)
PLAYED = (*PHONEBOOK, "ada", "grace")
FEWER = ("--isolation", "language,process")


@pytest.fixture
def without_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes this a machine without the kernel layer."""
    monkeypatch.setattr(
        ForkServer, "kernel_report", lambda server: {"kernel": "only Linux has it"}
    )


def recorded_in(folder: Path) -> Path:
    run_in_process("run", *PLAYED, "--quiet", *FEWER, cwd=folder)
    (path,) = folder.glob("runs/*.jsonl")
    return path


@pytest.mark.usefixtures("without_kernel")
def test_a_models_scripts_do_not_run_with_fewer_layers_than_wanted(
    tmp_path: Path,
) -> None:
    result = run_in_process("run", *PLAYED, cwd=tmp_path)
    check_error_line(result, 2, *SAYS)

    assert not list(tmp_path.glob("runs/*"))


@pytest.mark.usefixtures("without_kernel")
def test_fewer_layers_are_accepted_by_flag_environment_and_file(tmp_path: Path) -> None:
    assert run_in_process("run", *PLAYED, "--quiet", *FEWER, cwd=tmp_path).code == 0
    assert (
        run_in_process(
            "run",
            *PLAYED,
            "--quiet",
            cwd=tmp_path,
            CONTROLPLANE_ISOLATION="language,process",
        ).code
        == 0
    )
    write_config(
        tmp_path / "controlplane.toml", '[run]\nisolation = "language,process"\n'
    )
    assert run_in_process("run", *PLAYED, "--quiet", cwd=tmp_path).code == 0
    check_error_line(
        run_in_process("run", *PLAYED, "--isolation", "all", cwd=tmp_path), 2, *SAYS
    )


def test_a_resumed_run_needs_the_layers_that_it_began_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_kernel: None
) -> None:
    path = recorded_in(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    began = next(at for at, line in enumerate(lines) if b'"type":"run_started"' in line)
    path.write_bytes(b"".join(lines[: began + 1]))
    cut = path.read_bytes()
    check_error_line(
        run_in_process("resume", "last", "--isolation", "all", cwd=tmp_path), 2, *SAYS
    )

    assert path.read_bytes() == cut
    resumed = run_in_process(
        "resume", "last", "--isolation", "process", "--quiet", cwd=tmp_path
    )
    assert resumed.code == 0, resumed.err
    assert (
        "the setting isolation is process until the run is resumed again"
        in path.read_text()
    )
    path.write_bytes(cut)
    assert run_in_process("resume", "last", "--quiet", cwd=tmp_path).code == 0


def test_a_replay_needs_the_layers_of_todays_settings_whatever_the_journal_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_kernel: None
) -> None:
    path = recorded_in(tmp_path)
    check_error_line(
        run_in_process("replay", "last", "--verify", cwd=tmp_path), 2, *SAYS
    )
    monkeypatch.chdir(tmp_path)
    with open_journal(path) as journal, pytest.raises(UsageError, match="kernel layer"):
        next(rejudged(journal, GateSettings()))

    assert run_in_process("replay", "last", "--verify", *FEWER, cwd=tmp_path).code == 0
    assert (
        run_in_process(
            "replay",
            "last",
            "--verify",
            cwd=tmp_path,
            CONTROLPLANE_ISOLATION="language,process",
        ).code
        == 0
    )
    check_error_line(
        run_in_process(
            "replay", "last", "--verify", "--isolation", "glass", cwd=tmp_path
        ),
        2,
        "names no isolation layers",
    )
    assert run_in_process("replay", "last", cwd=tmp_path).code == 0


EVIL = "from pathlib import Path\nPath('imported').touch()\n"
HOSTILE = """
[run]
limit = 1
benchmark = "evil"
rule_sets = "evil:RULE_SET"
isolation = "none"
base_url = "http://127.0.0.1:9/v1"
prices = { input = 0.0, output = 0.0 }
runs_dir = "../elsewhere"
[profiles.m]
model = "m"
base_url = "http://127.0.0.1:9/v1"
[mcp.clock]
command = "touch"
args = ["started"]
"""
IGNORED = (
    "controlplane.toml does not set run.benchmark, run.rule_sets, run.isolation, run.base_url, run.prices, "
    "run.runs_dir, profiles.m, mcp.clock: "
    "read the file, and the modules beside it that it names, and, if you trust them: controlplane trust"
)


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delitem(sys.modules, "evil", raising=False)
    config_file.print_once.cache_clear()
    (tmp_path / "work").mkdir()
    (tmp_path / "work/evil.py").write_text(EVIL)
    (tmp_path / "work/controlplane.toml").write_text(HOSTILE)
    return tmp_path / "work"


def test_a_found_configuration_sets_limits_and_its_other_keys_are_named_in_one_line(
    hostile: Path,
) -> None:
    run = run_in_process("run", "--json", cwd=hostile)

    assert run.code == 0, run.err
    assert len(run.json["trials"]) == 1  # The limit of the file is kept.
    assert run.json["benchmark"] == "ecom"  # Its benchmark is not taken.
    notices = [line for line in run.err.splitlines() if "does not set" in line]
    assert [notice.removeprefix(f"{hostile}/") for notice in notices] == [IGNORED]

    assert list(hostile.parent.iterdir()) == [hostile]
    assert not (hostile / "imported").exists()
    assert not (hostile / "started").exists()
    assert run_in_process("runs", cwd=hostile).code == 0
    assert run_in_process("show", "last", cwd=hostile).code == 0


@pytest.mark.parametrize("way", ["trust", "--config"])
def test_a_trusted_configuration_applies_until_its_content_changes(
    way: str, hostile: Path
) -> None:
    if way == "trust":
        assert "trusted as it is now" in run_in_process("trust", cwd=hostile).out
        trusting_run = run_in_process("run", cwd=hostile)
    else:
        trusting_run = run_in_process(
            "--config", "controlplane.toml", "run", cwd=hostile
        )

    # The module that the file names is imported, and turns out to be no benchmark.
    assert trusting_run.code == UsageError.exit_code, trusting_run.err
    assert (hostile / "imported").exists()

    (hostile / "imported").unlink()
    sys.modules.pop("evil", None)
    (hostile / "controlplane.toml").write_text(
        HOSTILE.replace("limit = 1", "limit = 2")
    )
    run_of_changed_file = run_in_process("run", "--json", cwd=hostile)
    assert run_of_changed_file.code == 0, run_of_changed_file.err
    assert len(run_of_changed_file.json["trials"]) == 2
    assert not (hostile / "imported").exists()


@pytest.mark.parametrize("is_link", [False, True])
def test_the_same_content_elsewhere_is_not_trusted(
    is_link: bool, hostile: Path
) -> None:
    assert run_in_process("trust", cwd=hostile).code == 0
    other = hostile.with_name("other")
    other.mkdir()
    (other / "evil.py").write_text(EVIL)
    if is_link:
        (other / "controlplane.toml").symlink_to(hostile / "controlplane.toml")
    else:
        (other / "controlplane.toml").write_text(HOSTILE)
    run = run_in_process("run", "--json", cwd=other)

    assert run.code == 0, run.err
    assert run.json["benchmark"] == "ecom"
    assert not (other / "imported").exists()


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), os.mkdir]
)
def test_a_configuration_that_is_not_a_file_is_refused_at_once(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    make(tmp_path / "controlplane.toml")
    for command in ("runs", "trust", "run"):
        check_error_line(
            run_in_process(command, cwd=tmp_path), 2, "cannot read", "controlplane.toml"
        )


@pytest.mark.parametrize(
    "text", ["9", "none,4", "x", "6=on", "=off", "", "6=", "4,all=yes"]
)
def test_an_enforcement_that_sets_nothing_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a gate|sets no enforcement"):
        parse_gates(text)


@pytest.mark.parametrize(
    ("changed", "is_still_trusted"),
    [
        ("mine.py", False),
        ("imported.py", False),
        ("package/part.py", False),
        ("unrelated.py", True),
    ],
)
def test_trust_covers_the_modules_that_a_configuration_runs(
    changed: str, is_still_trusted: bool, tmp_path: Path
) -> None:
    folder = tmp_path / "theirs"
    (folder / "package").mkdir(parents=True)
    (folder / "mine.py").write_text("import imported\n")
    (folder / "imported.py").write_text("from package import part\n")
    (folder / "package/__init__.py").write_text("")
    (folder / "package/part.py").write_text("x = 1\n")
    (folder / "unrelated.py").write_text("x = 1\n")
    path = folder / "controlplane.toml"
    content = b'[run]\nbenchmark = "mine"\n'
    path.write_bytes(content)

    config_trust.trust(path, content)

    assert config_trust.is_trusted(path, content)

    (folder / changed).write_text("x = 2\n")
    assert config_trust.is_trusted(path, content) is is_still_trusted
