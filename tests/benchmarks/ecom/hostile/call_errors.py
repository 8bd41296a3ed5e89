"""The error by which a call to the shop fails.

error_of(shop, "read", {"path": "/none"}).code  # "not_found"
error_of(shop, "read", {"path": "/AGENTS.MD"})  # None
"""

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.sandbox.interface import CallError, Plain


def error_of(
    shop: EcomEnvironment, operation: str, arguments: dict[str, Plain]
) -> CallError | None:
    """Make a call, and return the error by which it failed; None if it works."""
    try:
        shop.call(operation, arguments)
    except CallError as error:
        return error
    return None
