"""Turns journals into tables and spans that other programs read."""
