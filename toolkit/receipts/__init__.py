"""Reads scanned receipts and compares them with today's prices."""

from toolkit.receipts.receipt_lines import Receipt, ReceiptLine, read_receipt
from toolkit.receipts.repriced_receipt import Repriced, reprice

__all__ = ["Receipt", "ReceiptLine", "Repriced", "read_receipt", "reprice"]
