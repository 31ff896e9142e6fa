"""A guest that says what it is told to, without a machine."""

from collections.abc import Sequence
from pathlib import Path

from tests.unit.measure.tools import said

from whyfast.measure.tools import Finished
from whyfast.model.build import Kernel

KERNEL = Kernel("debian:linux-6.1", "6.1.0", "linux", "6.1.1-1", "s", "aa", Path("/k/vmlinuz"), "b")


class Machine:
    """Writes what a guest would send to the files of the serial ports."""

    def __init__(self, console: str, results: str, status: int = 0, late: bool = False) -> None:
        self.console, self.results, self.status, self.late = console, results, status, late

    def __call__(self, argv: Sequence[str]) -> Finished:
        ports = [word.removeprefix("file:") for word in argv if word.startswith("file:")]
        Path(ports[0]).write_text(self.console)
        Path(ports[1]).write_text(self.results)
        if self.late:
            raise TimeoutError("still running")
        return said("qemu: no such machine" if self.status else "", self.status)
