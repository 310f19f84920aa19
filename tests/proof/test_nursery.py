"""The nursery: what is forked there tells and ends as if it had been started by itself."""

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import closing

import pytest

from tests.service import nursery

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="not available: the end of any process"),
]
LIMIT = 30.0


def test_what_is_forked_tells_what_a_new_process_tells() -> None:
    with tempfile.TemporaryFile() as said:
        forked = nursery.Forked(["platform"], said.fileno())
        with closing(forked.stdout) as out:
            told = out.read()
        assert forked.wait(LIMIT) == forked.wait(LIMIT) == 0
        assert os.pread(said.fileno(), 100, 0) == b""
    alone = subprocess.run([sys.executable, "-m", "platform"], capture_output=True, check=True)
    assert told == alone.stdout


def test_a_bug_that_is_not_planted_is_refused_there_too() -> None:
    with tempfile.TemporaryFile() as said:
        forked = nursery.Forked(["proof.mutants", "acknowledge last", "serve"], said.fileno())
        forked.stdout.close()
        assert forked.wait(LIMIT) == 1
        assert b"expected one of" in os.pread(said.fileno(), 9_999, 0)


@pytest.mark.parametrize(("how", "code"), [(signal.SIGKILL, -9), (signal.SIGTERM, -15)])
def test_its_end_is_told(how: signal.Signals, code: int) -> None:
    with tempfile.TemporaryFile() as said:
        forked = nursery.Forked(["timeit", "-n", "1", "import time; time.sleep(60)"], said.fileno())
        forked.stdout.close()
        with pytest.raises(subprocess.TimeoutExpired):
            forked.wait(0.0)
        if how is signal.SIGTERM:
            forked.terminate()
        else:
            os.kill(forked.pid, how)
        assert forked.wait(LIMIT) == code
        with pytest.raises(ProcessLookupError):
            os.kill(forked.pid, 0)
