"""Prices with tax."""


def with_tax(net_cents: int, rate_percent: int) -> int:
    """Return the price with tax, rounded to the nearest cent."""
    return net_cents + net_cents * rate_percent // 100
