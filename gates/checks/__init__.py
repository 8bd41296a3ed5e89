"""The eight gates, a module each, and the rules that two of them share."""

from gates.checks.gate3_canonical_citations import fault_of_reason as fault_of_reason
from gates.checks.gate7_verify_reply import GATE as VERIFY_GATE
