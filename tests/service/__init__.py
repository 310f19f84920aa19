"""Tests of the service: real files, real databases, real processes."""
