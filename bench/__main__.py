"""Everything that is measured, one after the other: ``make bench``."""

from bench import beside, core

core.main()
print()
beside.main()
