"""Instructions that one call executes: two runs of the driver, and the difference.

Counted by the processor where ``perf stat`` can, else in a simulation by Callgrind.
"""

import os
import re
import subprocess
import sys

#: Calls of the shorter run; the longer has twice as many more.
FEW = 1000


class CannotCount(Exception):
    """Neither tool works here."""


def instructions(command):
    """Instructions a call and the tool; ``command(loops)`` is an argument vector."""
    why = []
    for tool, count in (("perf", _perf), ("callgrind", _callgrind)):
        try:
            few, many = (count(command(loops)) for loops in (FEW, 3 * FEW))
        except CannotCount as error:
            why.append("%s: %s" % (tool, error))
        else:
            return float(many - few) / (2 * FEW), tool
    raise CannotCount("; ".join(why))


def _perf(command):
    said = _output(["perf", "stat", "-x,", "-e", "instructions:u"] + command)
    found = re.search(r"^(\d+),[^,]*,instructions", said, re.M)
    if not found:
        raise CannotCount("the processor's counters are not available")
    return int(found.group(1))


def _callgrind(command):
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    said = _output(tool + command)
    found = re.search(r"^==\d+== Collected : (\d+)", said, re.M)
    if not found:
        raise CannotCount(said.strip().rpartition("\n")[2])
    return int(found.group(1))


def _output(command):
    env = dict(os.environ, PYTHONHASHSEED="0")
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env
        )
    except OSError as error:
        raise CannotCount("%s: %s" % (command[0], error.strerror))
    said = process.communicate()[0]
    return said if sys.version_info < (3,) else said.decode("utf-8", "replace")
