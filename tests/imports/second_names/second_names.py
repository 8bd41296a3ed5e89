"""Modules of the product that a process has loaded without `controlplane.` in front of their names."""

from collections.abc import Iterable

PRODUCT_PACKAGES = ("agent", "benchmarks", "gates", "prompts", "sandbox")
"""The product's packages without `controlplane.` in front."""


def modules_with_a_second_name(modules: Iterable[str]) -> list[str]:
    """Return the product's modules that were imported without `controlplane.` in front.

    `modules_with_a_second_name(["agent.loop", "controlplane.agent", "sys"])` -> `["agent.loop"]`
    """
    names: list[str] = []
    for module in modules:
        top_level_name = module.partition(".")[0]
        if top_level_name in PRODUCT_PACKAGES:
            names.append(module)
    return sorted(names)


def includes_product(modules: Iterable[str]) -> bool:
    """Return True if some of the modules are the product's."""
    return any(module.startswith("controlplane.") for module in modules)
