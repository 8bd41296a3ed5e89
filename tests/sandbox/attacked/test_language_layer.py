"""Restricted Python, the language layer, keeps scripts from names and frames that are not theirs.

A script of `attacks/language.txt` prints LEAK if it got, for example, at a frame of the interpreter
by `generator.gi_frame`. `SHARED_STATE_CHECK` prints "whole" if modules and harness still work as
before.
"""

import pytest

from tests.sandbox.attack_checks import SHARED_STATE_CHECK
from tests.sandbox.opened_sandboxes import new_sandbox
from tests.sandbox.script_corpus import corpus_scripts

pytestmark = pytest.mark.second_tier


def test_the_language_layer_keeps_scripts_from_names_and_frames_that_are_not_theirs(
    server,
):
    """Unlike other attacks, these must not even print LEAK in their own step."""
    leaks = {}
    for title, script in corpus_scripts("attacks/language.txt"):
        with new_sandbox(server) as sandbox:
            result = sandbox.run(script)
            check = sandbox.run(SHARED_STATE_CHECK)
        if "LEAK" in result.output or check.output != "whole\n":
            leaks[title] = result

    assert leaks == {}
