"""What takes long to compile and many tests need: compiled once for all of them, by its content.

It lies with what compilers keep between runs of the tests, so that a second run finds it.
"""

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from tests.conftest import TEST_CACHE
from whyfast.store.files import make_once, replacing, sha256_of

ROOT = Path(__file__).resolve().parents[1]


def compiled_once(command: Sequence[str], reads: Iterable[Path]) -> Path:
    """What the command makes when ``-o FILE`` is added; ``reads`` are the folders of its C files
    and of those that they include. All checkouts share it. CalledProcessError with the compiler's
    words when it fails."""
    given = (f for folder in reads for f in sorted(folder.iterdir()))
    files = (f for f in given if f.suffix in (".c", ".h", ".inc"))
    words = [word.replace(str(ROOT), "") for word in command]
    inputs = [*words, *_identity(command[0]), *(sha256_of(f) for f in files)]
    name = "output.o" if "-c" in command else "output"  # zig goes by it

    def make(folder: Path) -> None:
        whole = [*command, "-o", str(folder / name)]
        subprocess.run(whole, check=True, capture_output=True, text=True)

    return _made_once(inputs, make) / name


def compile_text(
    text: str, out: Path, *flags: str, compiler: Sequence[str] = ("gcc",), name: str = "p.c"
) -> Path:
    """Write to ``out`` what the compiler makes of a C file ``name`` with that text, a copy of its
    own: compiled once for each text and flags. The flags may name other files, which are inputs,
    too. CalledProcessError with the compiler's words when it fails."""
    program = shutil.which(compiler[0])
    assert program is not None, f"{compiler[0]} is not installed"
    words = [sha256_of(Path(f)) if Path(f).is_absolute() else f for f in (*compiler, *flags)]
    made = f"output{out.suffix}"

    def make(folder: Path) -> None:
        (folder / name).write_text(text)
        whole = [*compiler, *flags, f"-ffile-prefix-map={folder}=.", name, "-o", made]
        subprocess.run(whole, cwd=folder, check=True, capture_output=True, text=True)
        (folder / name).unlink()

    shutil.copy(_made_once([*words, *_identity(program), name, made, text], make) / made, out)
    return out


def _identity(compiler: str) -> tuple[int, int]:
    status = os.stat(compiler)
    return status.st_size, status.st_mtime_ns


def _made_once(inputs: Sequence[object], make: Callable[[Path], None]) -> Path:
    """The folder that was made of these inputs."""
    digest = hashlib.sha256(json.dumps(inputs).encode()).hexdigest()
    folder = TEST_CACHE / "compiled" / digest[:32]

    def make_here() -> None:
        with replacing(folder) as place:
            (place / "made").mkdir()
            make(place / "made")

    make_once(folder, folder.exists, make_here, lambda: None)
    return folder
