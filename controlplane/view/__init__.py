"""Shows people a run: its progress, its report, its trials page by page."""
