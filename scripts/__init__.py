"""Helpers of the project itself, run from its root."""
