"""Load: thousands of people who play on a server from one process, and what they notice."""

from sideboards.load.crowd import Crowd, Stage
from sideboards.load.plan import Habits, Plan
from sideboards.load.tally import Tally, Waits

__all__ = ["Crowd", "Habits", "Plan", "Stage", "Tally", "Waits"]
