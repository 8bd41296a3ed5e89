"""A configuration in a folder runs, sends and spends nothing until the user trusts its content or names the file."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import check_line
from tests.support.in_process_command import inside

EVIL = "from pathlib import Path\nPath('imported').touch()\n"
HOSTILE = """
[run]
limit = 1
benchmark = "evil"
rules = "evil:PACK"
walls = "none"
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
    "controlplane.toml does not set run.benchmark, run.rules, run.walls, run.base_url, run.prices, run.runs_dir, "
    "profiles.m, mcp.clock: read the file and, if you trust it: controlplane trust"
)


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delitem(sys.modules, "evil", raising=False)
    monkeypatch.setattr("controlplane.configuration.setting_sources._named_as_ignored", set())
    (tmp_path / "work").mkdir()
    (tmp_path / "work/evil.py").write_text(EVIL)
    (tmp_path / "work/controlplane.toml").write_text(HOSTILE)
    return tmp_path / "work"


def test_a_found_configuration_sets_limits_and_its_other_keys_are_named_in_one_line(hostile: Path) -> None:
    ended = inside("run", "--json", cwd=hostile)
    assert (ended.code, len(ended.json["trials"]), ended.json["benchmark"]) == (0, 1, "ecom"), ended.err
    assert [line.removeprefix(f"{hostile}/") for line in ended.err.splitlines() if "does not set" in line] == [IGNORED]
    assert [path.name for path in hostile.parent.iterdir()] == ["work"]
    assert not {"imported", "started"} & {path.name for path in hostile.iterdir()}
    assert inside("runs", cwd=hostile).code == inside("show", "last", cwd=hostile).code == 0


@pytest.mark.parametrize("way", ["trust", "--config"])
def test_a_trusted_configuration_applies_until_its_content_changes(way: str, hostile: Path) -> None:
    named = ("--config", "controlplane.toml") if way == "--config" else ()
    if not named:
        assert "trusted as it is now" in inside("trust", cwd=hostile).out
    ended = inside(*named, "run", cwd=hostile)
    assert (ended.code, (hostile / "imported").exists()) == (2, True), ended.err
    (hostile / "imported").unlink()
    sys.modules.pop("evil", None)
    (hostile / "controlplane.toml").write_text(HOSTILE.replace("limit = 1", "limit = 2"))
    ended = inside("run", "--json", cwd=hostile)
    assert (ended.code, len(ended.json["trials"]), (hostile / "imported").exists()) == (0, 2, False), ended.err


def test_a_configuration_that_cannot_be_trusted_is_told(tmp_path: Path) -> None:
    missing = inside("trust", cwd=tmp_path)
    assert (missing.code, "cannot read controlplane.toml" in missing.err) == (2, True)
    (tmp_path / "controlplane.toml").write_text("")
    refused = inside("trust", cwd=tmp_path, XDG_STATE_HOME="/proc/none")
    assert (refused.code, "--config controlplane.toml" in refused.err) == (2, True), refused.err


@pytest.mark.parametrize("is_link", [False, True])
def test_the_same_content_elsewhere_is_not_trusted(is_link: bool, hostile: Path) -> None:
    assert inside("trust", cwd=hostile).code == 0
    other = hostile.with_name("other")
    other.mkdir()
    (other / "evil.py").write_text(EVIL)
    if is_link:
        (other / "controlplane.toml").symlink_to(hostile / "controlplane.toml")
    else:
        (other / "controlplane.toml").write_text(HOSTILE)
    ended = inside("run", "--json", cwd=other)
    assert (ended.code, ended.json["benchmark"], (other / "imported").exists()) == (0, "ecom", False), ended.err


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), os.mkdir])
def test_a_configuration_that_is_not_a_file_is_refused_at_once(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "controlplane.toml")
    for command in ("runs", "trust", "run"):
        check_line(inside(command, cwd=tmp_path), 2, "cannot read", "controlplane.toml")
