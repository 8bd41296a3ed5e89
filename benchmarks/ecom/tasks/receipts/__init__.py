"""Tasks about scanned receipts: if the items can be bought again, and their cost today."""
