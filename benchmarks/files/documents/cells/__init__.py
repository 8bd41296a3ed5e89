"""Cells of spreadsheets as text, formatted as the spreadsheet shows them; `cell_text` is the entry."""
