"""Reads scanned receipts and compares them with today's prices."""

from toolkit.receipts.misread_text import folded_text, likeness, restored_number, shared_beginning
from toolkit.receipts.receipt_lines import Receipt, ReceiptLine, read_receipt
from toolkit.receipts.repriced_receipt import Repriced, reprice
from toolkit.receipts.scanned_receipt import ScannedItem, ScannedReceipt, read_scan

__all__ = [
    "Receipt",
    "ReceiptLine",
    "Repriced",
    "ScannedItem",
    "ScannedReceipt",
    "folded_text",
    "likeness",
    "read_receipt",
    "read_scan",
    "reprice",
    "restored_number",
    "shared_beginning",
]
