"""Archived payment exports: their rows, the incidents hidden in them, a solver that reads rows alone, and the grade."""
