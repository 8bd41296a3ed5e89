"""Texts of documents: PDFs by page, workbooks by sheet, web pages and mails."""
