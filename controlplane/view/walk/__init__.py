"""Shows one recorded trial page by page."""
