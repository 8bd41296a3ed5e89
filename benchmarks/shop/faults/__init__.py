"""Reasons (faults) for which a call that changes something is stopped before it is sent.

For example, the call `/bin/checkout basket-2` is stopped if the basket belongs to somebody else.
There is a module for each kind of call. `pre_call_check` asks the one that fits.
"""
