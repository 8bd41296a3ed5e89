"""The program of a headless Chromium, started with two pipes.

browser = start_browser(profile_folder)
os.write(browser.commands, command)       # JSON and a zero byte
os.read(browser.messages, 1 << 16)        # answers and events
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import NamedTuple

import pytest

PROGRAM_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


LAUNCHER_WITH_PIPES = """
# Becomes a browser that reads commands from descriptor 3 and writes answers to descriptor 4.
# The arguments are the ends of two pipes, and the words that start the browser.
import fcntl, os, sys
read_end, write_end = [int(word) for word in sys.argv[1:3]]
# Moved above 10 first, so that neither is overwritten before it is copied.
read_end = fcntl.fcntl(read_end, fcntl.F_DUPFD, 10)
write_end = fcntl.fcntl(write_end, fcntl.F_DUPFD, 10)
os.dup2(read_end, 3)
os.dup2(write_end, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""A browser with `--remote-debugging-pipe` expects its pipes there; `Popen` cannot choose the
numbers of descriptors."""


FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


def find_browser() -> str:
    """Return the path of the browser; the test is skipped if there is none."""
    for name in PROGRAM_NAMES:
        program = shutil.which(name)
        if program is not None:
            return program
    pytest.skip("no Chromium here (Debian: apt-get install chromium)")


class StartedBrowser(NamedTuple):
    """A running browser, and our ends of the two pipes to it."""

    process: subprocess.Popen[bytes]
    commands: int
    """The descriptor to which commands are written."""
    messages: int
    """The descriptor from which its answers and events are read."""


def start_browser(profile_folder: str) -> StartedBrowser:
    """Start the browser with one empty page. It stores what it has to in `profile_folder`."""
    program = find_browser()
    browser_reads, commands = os.pipe()
    messages, browser_writes = os.pipe()
    launcher = [sys.executable, "-c", LAUNCHER_WITH_PIPES]
    launcher += [str(browser_reads), str(browser_writes)]
    profile = f"--user-data-dir={profile_folder}"
    process = subprocess.Popen(
        [*launcher, program, *FLAGS, profile, "about:blank"],
        pass_fds=(browser_reads, browser_writes),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(browser_reads)
    os.close(browser_writes)
    return StartedBrowser(process, commands, messages)
