"""What the doctor says."""

from __future__ import annotations

import json

import pytest

from sandbox import ALL_WALLS, ForkServer, Wall, missing_wall
from tests.sandbox.sandbox_command import command


def test_the_doctor_says_which_walls_stand():
    report = json.loads(command("doctor", "--json").stdout)
    assert report["walls"]["language"] is True
    assert report["walls"]["process"] is True
    assert all(part["stands"] or (part["reason"] and part["how"]) for part in report["kernel"].values())
    text = command("doctor").stdout
    for word in ("language", "process", "kernel"):
        assert word in text


def test_the_doctor_tells_how_to_raise_a_wall_that_is_down():
    from sandbox import WallReport
    from sandbox.parent.fork_server import lines

    parts = {"user namespace": "unshare: EPERM", "landlock": "ENOSYS", "seccomp": "", "no_new_privs": ""}
    text = "\n".join(lines(WallReport(frozenset({Wall.LANGUAGE, Wall.PROCESS}), parts)))
    assert "kernel   DOWN" in text
    assert "down: unshare: EPERM" in text
    assert "kernel.unprivileged_userns_clone=1" in text
    assert "lsm=landlock" in text
    assert "need the kernel wall: without it they run only with `--walls`" in text


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"kernel": "only Linux has it"}, "(kernel: only Linux has it)"),
        ({"landlock": "ENOSYS", "seccomp": "seccomp: EINVAL", "no_new_privs": ""}, "(seccomp: seccomp: EINVAL)"),
    ],
)
def test_a_kernel_wall_that_is_wanted_and_down_is_missing(parts, why, monkeypatch):
    monkeypatch.setattr(ForkServer, "kernel_report", lambda server: parts)
    text = missing_wall(ForkServer(), ALL_WALLS)
    assert why in text
    assert text.endswith("--walls language,process")
    assert missing_wall(ForkServer(), frozenset({Wall.KERNEL})).endswith("--walls none")


def test_nothing_is_missing_where_the_kernel_wall_is_not_wanted_or_stands(monkeypatch):
    def started(server):
        raise AssertionError

    with monkeypatch.context() as patched:
        patched.setattr(ForkServer, "kernel_report", started)
        assert missing_wall(ForkServer(), ALL_WALLS - {Wall.KERNEL}) == ""
    monkeypatch.setattr(ForkServer, "kernel_report", lambda server: {"seccomp": "", "no_new_privs": "", "uts": "no"})
    assert missing_wall(ForkServer(), ALL_WALLS) == ""
