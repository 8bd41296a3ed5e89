"""Dispatch waves: their tables, the event model that plays a plan, a solver, and the grade of a plan."""
