"""Everything that is measured, one after the other: ``make bench``."""

from bench import beside, core, envs

for part in (core, envs, beside):
    part.main()
    print()
