"""Operators composed of others; the rows with their names are in bind_composed.cpp."""
