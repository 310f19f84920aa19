"""Tests of the screens in a real browser, against real servers."""
