"""One recorded trial, page by page."""
