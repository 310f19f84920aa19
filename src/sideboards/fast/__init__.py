"""The same game as tables and compiled array kernels. Defines no rule: tested equal to `core`.

`tables`, `worth` and `actions` need numpy only. The other modules are kernels, which numba
compiles: they are the extra ``fast``.
"""

from importlib.util import find_spec

from sideboards.core.refusal import Refusal


def check_compiler(who: str) -> None:
    """Refuse what needs compiled kernels where numba is not installed."""
    if find_spec("numba") is None:
        raise Refusal(
            f"{who}: numba is not installed; expected the extra fast: "
            "pip install 'sideboards[fast]'"
        )
