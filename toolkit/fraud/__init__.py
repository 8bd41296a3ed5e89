"""Finds the fraudulent rows of a table of payments: bursts, high values and impossible travel."""

from toolkit.fraud.chains import fraud_with_series
from toolkit.fraud.incidents import Incident
from toolkit.fraud.payment_rows import PaymentRow
from toolkit.fraud.payment_table import read_payments
from toolkit.fraud.selection import Selection, fraud_in_export, fraud_in_history, fraud_score

__all__ = [
    "Incident",
    "PaymentRow",
    "Selection",
    "fraud_in_export",
    "fraud_in_history",
    "fraud_score",
    "fraud_with_series",
    "read_payments",
]
