"""`python -m proof.ahead FOLDER serve …`: the `sideboards` command, one version ahead.

Its database has one step more, which `write_steps` writes into the folder.
"""

import shutil
import sys
from functools import partial
from pathlib import Path

from sideboards.cli import main
from sideboards.service import migrations, store
from sideboards.service.sqlite_file import open_locked


def write_steps(folder: Path) -> int:
    """The shipped steps and one more, in a folder; the version that they lead to."""
    shutil.copytree(migrations.SHIPPED / "sqlite", folder / "sqlite")
    following = migrations.newest("sqlite") + 1
    up, down = (folder / "sqlite" / f"{following:04}_mood.{way}.sql" for way in ("up", "down"))
    up.write_text("ALTER TABLE tables ADD COLUMN mood text NOT NULL DEFAULT 'good';")
    down.write_text("ALTER TABLE tables DROP COLUMN mood;")
    return following


if __name__ == "__main__":
    # The store is made to look for migrations elsewhere; it does not offer that name to others.
    store.open_locked = partial(open_locked, folder=Path(sys.argv.pop(1)))  # type: ignore[attr-defined]
    main()
