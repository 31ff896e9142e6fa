"""Finding out what a compiler can do by compiling small programs with it."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from whyfast.model.errors import CannotBuildHere
from whyfast.toolchain.command import run

#: Seconds that one probe may take; a compiler's first run may fill caches of its own.
TIMEOUT = 120.0

# Unknown attributes are only warnings by default, hence -Werror.
_PROBES = {
    "computed-goto": """
        int probe(int n) { static void *table[] = {&&zero, &&one};
          goto *table[n & 1]; zero: return 0; one: return 1; }
    """,
    "musttail": """
        int other(int n);
        int probe(int n) { __attribute__((musttail)) return other(n); }
    """,
    "preserve_none": """
        __attribute__((preserve_none)) int other(int n);
        int probe(int n) { return other(n); }
    """,
}

_TRIVIAL = "int probe(void) { return 0; }"


#: The words before a command that may write in a folder, for compilers that live in a root.
Enter = Callable[[Path], Sequence[str]]


def _outside(folder: Path) -> Sequence[str]:
    return ()


def compiles(
    cc: Sequence[str], env: Mapping[str, str], code: str, enter: Enter = _outside
) -> tuple[bool, str]:
    """Whether ``cc`` makes an object of the C code without any warning, and what it said.

    CannotBuildHere when it could not say either: not started, not ended in time, or killed.
    """
    with tempfile.TemporaryDirectory(prefix="whyfast-probe-") as folder:
        source = Path(folder, "probe.c")
        source.write_text(code)
        try:
            words = [*cc, "-O2", "-Werror", "-c", str(source), "-o", str(source.with_suffix(".o"))]
            done = run([*enter(Path(folder)), *words], timeout=TIMEOUT, env=env)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CannotBuildHere(f"{cc[0]} cannot be tried: {error}") from error
    if done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL):  # for want of memory, say
        raise CannotBuildHere(f"{cc[0]} was killed while it was tried")
    return done.returncode == 0, done.stderr.strip()


def features(
    cc: Sequence[str], env: Mapping[str, str], digest: str, cache: Path, enter: Enter = _outside
) -> frozenset[str]:
    """The features that ``cc`` has; remembered in ``cache`` under the toolchain's digest.

    Raises :class:`CannotBuildHere` when it cannot even compile a trivial program.
    """
    # The probes themselves are part of the name: new probes, new answer.
    memory = cache / f"{digest[:32]}-{_fingerprint()}.json"
    try:
        return frozenset(json.loads(memory.read_text()))
    except (OSError, ValueError):
        pass
    works, said = compiles(cc, env, _TRIVIAL, enter)
    if not works:
        raise CannotBuildHere(f"{' '.join(cc[:2])} cannot compile a trivial program: {said[-300:]}")
    found = sorted(name for name, code in _PROBES.items() if compiles(cc, env, code, enter)[0])
    cache.mkdir(parents=True, exist_ok=True)
    memory.write_text(json.dumps(found))
    return frozenset(found)


def _fingerprint() -> str:
    return hashlib.sha256(json.dumps(_PROBES).encode()).hexdigest()[:8]
