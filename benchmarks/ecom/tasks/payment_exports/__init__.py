"""Archived payment exports: honest payments and the fraud among them."""
