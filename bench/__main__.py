"""Everything that is measured, one after the other: ``make bench``."""

from bench import beside, core, envs, service, web

for part in (core, envs, beside, service, web):
    part.main()
    print()
