"""The proof: what is claimed of the service, shown by runs that can fail.

Every goal is a function of a folder, a count, a seed and perhaps a planted bug. The tests in
`tests/proof` run each in its short form, and with its planted bug; `python -m proof` runs the
long one. Nothing leaves the loopback interface.
"""
