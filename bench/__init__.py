"""Reproducible measurements; each prints what it measured beside its goal."""
