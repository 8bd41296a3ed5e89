"""A journal records a hash of the modules that collect the evidence for an answer."""

import importlib.util

from controlplane.configuration.installed_versions import EVIDENCE_MODULES


def test_every_module_whose_hash_is_recorded_exists() -> None:
    """The hash of a module that is not found would silently cover nothing."""
    for module in EVIDENCE_MODULES:
        assert importlib.util.find_spec(module) is not None
