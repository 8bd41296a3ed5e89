"""What the doctor says."""

from __future__ import annotations

import json

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
    from sandbox import Wall, WallReport
    from sandbox.parent.wall_report import lines

    parts = {"user namespace": "unshare: EPERM", "landlock": "ENOSYS", "seccomp": "", "no_new_privs": ""}
    text = "\n".join(lines(WallReport(frozenset({Wall.LANGUAGE, Wall.PROCESS}), parts)))
    assert "kernel   DOWN" in text
    assert "down: unshare: EPERM" in text
    assert "kernel.unprivileged_userns_clone=1" in text
    assert "lsm=landlock" in text
