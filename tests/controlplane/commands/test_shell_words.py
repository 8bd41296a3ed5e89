"""What a shell is offered behind a word that was begun."""

from pathlib import Path

import pytest

from tests.controlplane.report.reported_run import Played, journal
from tests.support.command import Type, check_line

PROFILE = '[profiles.small]\nmodel = "small-1"\n'


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("rep", ["replay", "report"]),
        ("show ", ["last", "nightly", "20261121-a"]),
        ("show n", ["nightly"]),
        ("compare nightly l", ["last"]),
        ("replay nightly --trial ", ["seat-2", "seat-1"]),
        ("replay none --trial ", []),
        ("show nightly --turn-one --trial ", ["seat-2", "seat-1"]),
        ("rerun nightly --trials ", ["seat-2", "seat-1"]),
        ("fork nightly --trial seat-1 --model s", ["scripted:", "small"]),
        ("fork nightly --trial ", ["seat-2", "seat-1"]),
        ("benchmarks show ", ["ecom", "bitgn"]),
        ("benchmarks show ecom --turn-one archive-f", ["archive-fraud.1"]),
        ("serve archive-f", ["archive-fraud", "archive-fraud.1"]),
        ("replay last --ver", ["--verify"]),
        ("run archive-f", ["archive-fraud", "archive-fraud.1"]),
        ("run --benchmark ", ["ecom", "bitgn", "folder"]),
        ("run --model s", ["scripted:", "small"]),
    ],
)
def test_words_of_the_folder_are_offered(words: str, offered: list[str], tmp_path: Path, type_in: Type) -> None:
    trials = [Played("seat-1"), Played("seat-2", 0.0)]
    journal(tmp_path / "runs" / "20261121-a.jsonl", trials, name="nightly")
    (tmp_path / "controlplane.toml").write_text(PROFILE, encoding="utf-8")
    line = f"controlplane {words}"
    done = type_in(_CONTROLPLANE_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(line.split(" ")) - 1))
    assert [each.partition(",")[2] for each in done.out.splitlines()][: len(offered)] == offered
    assert offered or not done.out.strip()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_one_command_installs_it_and_a_second_changes_nothing(shell: str, tmp_path: Path, type_in: Type) -> None:
    done = type_in("completion", HOME=str(tmp_path), SHELL=f"/bin/{shell}")
    assert (done.code, done.out.startswith(f"installed {tmp_path}/")) == (0, True)
    files = {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()}
    assert any(b"_CONTROLPLANE_COMPLETE" in each for each in files.values())
    type_in("completion", shell)
    assert {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()} == files


def test_an_unknown_shell_is_told(type_in: Type) -> None:
    check_line(type_in("completion", SHELL="/bin/ksh"), 2, "the shell 'ksh' is not known")
