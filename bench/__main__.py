"""Everything that is measured, one after the other: ``make bench``."""

from bench import beside, core, envs, service

for part in (core, envs, beside, service):
    part.main()
    print()
