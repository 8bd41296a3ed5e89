"""Why a mutant of the gates that no test notices is no gap: by its key, one line each."""

REASONS: dict[str, str] = {}
