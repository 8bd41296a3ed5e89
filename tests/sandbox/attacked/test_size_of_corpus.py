"""The corpus `attacks/*.txt` has at least 300 attacks, hostile scripts that try to get out of the sandbox."""

import pytest

from tests.sandbox.python_attacks import language_attacks
from tests.sandbox.script_corpus import corpus_scripts

pytestmark = pytest.mark.second_tier


def test_the_corpus_has_at_least_300_attacks():
    tricks_of_python = language_attacks()
    calls_of_the_system = corpus_scripts("attacks/kernel.txt")
    forged_messages = corpus_scripts("attacks/messages.txt")

    attacks = [*tricks_of_python, *calls_of_the_system, *forged_messages]
    assert len(attacks) >= 300
