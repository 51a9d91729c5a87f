"""Helpers that tests import by name."""
