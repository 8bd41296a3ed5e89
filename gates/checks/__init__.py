"""The eight gates, one module each, and the checks of demanded citations and stated values that gates 3 and 6 use."""

from gates.checks import gate7_verify_reply
from gates.checks.gate3_canonical_citations import fault_of_reason as fault_of_reason

VERIFY_GATE = gate7_verify_reply.GATE
"""The number of the gate that calls the script's own `verify`."""
