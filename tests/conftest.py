"""What all tests share: the options `--heavy` and `--tier`, and fixtures; they are in `support/plugins`.

Tests with the mark `second_tier` (attacks, clusters, browsers, real models) are left out unless
`--tier 2` or `--tier all` asks for them, or their file is named. Tests with the mark `heavy`, which
take minutes, are skipped without `--heavy`; those with the fixture `heavy` try fewer cases then.
"""

import os
import signal
import tempfile

pytest_plugins = (
    "tests.support.plugins.chosen_tests",
    "tests.support.plugins.collection",
    "tests.support.plugins.examples",
    "tests.support.plugins.reports",
    "tests.support.plugins.shared_fixtures",
    "tests.support.plugins.wheels",
)

# The state folder has the key that signs journals. The tests use one of their own.
_STATE_FOLDER = tempfile.TemporaryDirectory()
os.environ["XDG_STATE_HOME"] = _STATE_FOLDER.name

# A shell ignores SIGINT for a test run in the background, and `nohup` ignores SIGHUP. Every
# program that the tests start would inherit that, and would not react to these signals.
for signal_number, default_handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(signal_number) is signal.SIG_IGN:
        signal.signal(signal_number, default_handler)

collect_ignore_glob = ["benchmarks/harbor/tasks/*"]
"""Sample tasks for containers, which have tests of their own that run in the containers."""
