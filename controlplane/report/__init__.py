"""One HTML file about runs, to read offline: scores, failures, gates, costs, and every step of every trial."""

from __future__ import annotations

from controlplane.report.report_file import report_html

__all__ = ["report_html"]
