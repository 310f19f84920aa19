"""Drawn material: cards, boards and objectives as SVG text."""
