"""What is known of shops: the rule pack, the functions that scripts call, the stages of solvers."""

from typing import TYPE_CHECKING

import agent

if TYPE_CHECKING:
    from benchmarks.shop.pack import PACK as PACK

__getattr__ = agent.lazy_face(__name__, {"pack": ("PACK",)})
