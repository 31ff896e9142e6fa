"""What takes long to compile and many tests need: compiled once for all of them, by its content.

It lies with what compilers keep between runs of the tests, so that a second run finds it.
"""

import hashlib
import json
import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.conftest import TEST_CACHE
from whyfast.store.files import make_once, replacing, sha256_of

ROOT = Path(__file__).resolve().parents[1]


def compiled_once(command: Sequence[str], reads: Iterable[Path]) -> Path:
    """What the command makes when ``-o FILE`` is added; ``reads`` are folders with its C files. All
    checkouts share it. CalledProcessError with the compiler's words when it fails."""
    compiler = os.stat(command[0])
    files = (f for folder in reads for f in sorted(folder.glob("*.[ch]")))
    words = [word.replace(str(ROOT), "") for word in command]
    inputs = [*words, compiler.st_size, compiler.st_mtime_ns, *(sha256_of(f) for f in files)]
    digest = hashlib.sha256(json.dumps(inputs).encode()).hexdigest()
    folder = TEST_CACHE / "compiled" / digest[:32]
    name = "output.o" if "-c" in command else "output"  # zig goes by it

    def make() -> None:
        with replacing(folder) as place:
            (place / "made").mkdir()
            whole = [*command, "-o", str(place / "made" / name)]
            subprocess.run(whole, check=True, capture_output=True, text=True)

    make_once(folder, folder.exists, make, lambda: None)
    return folder / name
