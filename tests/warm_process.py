"""``whyfast`` as a process that has imported everything before it starts.

To import what most commands need takes two seconds, longer than what most tests do then. One
process for each that runs tests does it once, and forks itself for every command: what that does to
its memory, its folder, its environment and its signals is its own, as of any other process.
"""

import atexit
import contextlib
import json
import os
import pkgutil
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NoReturn

ROOT = Path(__file__).resolve().parents[1]
#: Bytes of a message at the most, the environment of a command in it.
_MESSAGE = 1 << 20


class Command:
    """A running ``whyfast``, or ``main()`` of another module, used as :class:`subprocess.Popen`
    is. ``file_size`` limits the bytes of files that it writes."""

    def __init__(
        self,
        words: Sequence[object],
        out: IO[bytes],
        err: IO[bytes],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        module: str = "whyfast.cli.main",
        file_size: int = resource.RLIM_INFINITY,
    ) -> None:
        request = {
            "words": list(map(str, words)),
            "env": dict(os.environ if env is None else env),
            "cwd": str(cwd or Path.cwd()),
            "module": module,
            "file_size": file_size,
        }
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        socket.send_fds(_server(), [b"x"], [theirs.fileno(), out.fileno(), err.fileno()])
        theirs.close()
        self._socket.send(json.dumps(request).encode())
        self.pid = int(self._socket.recv(_MESSAGE))
        self.returncode: int | None = None

    def send_signal(self, number: int) -> None:
        """As long as it runs."""
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, negative for a signal; TimeoutExpired after that many seconds."""
        if self.returncode is None:
            self._socket.settimeout(timeout)
            try:
                self.returncode = int(self._socket.recv(_MESSAGE))
            except TimeoutError:
                raise subprocess.TimeoutExpired("whyfast", timeout or 0.0) from None
            self._socket.close()
        return self.returncode


def run(
    words: Sequence[object],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float,
) -> subprocess.CompletedProcess[str]:
    """Run ``whyfast`` with these words to its end, as :func:`subprocess.run` does."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        command = Command(words, out, err, env=env, cwd=cwd)
        try:
            code = command.wait(timeout)
        except BaseException:
            command.kill()
            raise
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode())
    return subprocess.CompletedProcess(["whyfast", *map(str, words)], code, *texts)


@cache
def _server() -> socket.socket:
    """It ends when this process does: then nobody holds the other end."""
    ours, theirs = socket.socketpair()
    subprocess.Popen(
        [sys.executable, "-m", "tests.warm_process", str(theirs.fileno())],
        cwd=ROOT,
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    theirs.close()
    return ours


def _serve(requests: socket.socket) -> str:
    """Returns in each command, with its words, folder, environment and output in place; the name of
    its module."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        _, fds, _, _ = socket.recv_fds(requests, 1, 3)
        if not fds:
            sys.exit()
        if os.fork():
            for fd in fds:
                os.close(fd)
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        requests.close()
        asked = socket.socket(fileno=fds[0])
        request = json.loads(asked.recv(_MESSAGE))
        pid = os.fork()
        if pid == 0:
            _become(request, *fds[1:])
            asked.send(b"%d" % os.getpid())  # from here on it can be interrupted
            asked.close()
            return str(request["module"])
        status = os.waitpid(pid, 0)[1]
        with contextlib.suppress(OSError):  # nobody waits any more
            asked.send(b"%d" % os.waitstatus_to_exitcode(status))
        os._exit(0)


def _become(request: Mapping[str, Any], out: int, err: int) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, fd in enumerate((out, err), 1):
        os.dup2(fd, number)
        os.close(fd)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv[1:] = request["words"]
    resource.setrlimit(resource.RLIMIT_FSIZE, (request["file_size"],) * 2)


def _import_all() -> None:
    import whyfast

    objects = (f"whyfast.explain.objects.{kind}" for kind in ("coff", "lief", "macho", "pe"))
    apart = ("whyfast.turns", "whyfast.__main__", *objects)  # LIEF takes long, and few need it
    for module in pkgutil.walk_packages(whyfast.__path__, "whyfast."):
        if not module.name.startswith(apart):
            with contextlib.suppress(ImportError):  # of what is optional
                import_module(module.name)


def _leave(code: object) -> NoReturn:
    """End as Python does, but for taking all modules apart, which takes a fifth of a second."""
    for thread in threading.enumerate():
        if not thread.daemon and thread is not threading.current_thread():
            thread.join()
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else code is not None)


if __name__ == "__main__":
    _import_all()
    name = _serve(socket.socket(fileno=int(sys.argv[1])))
    ended: object = 0
    try:
        ended = import_module(name).main()
    except SystemExit as leaving:
        ended = leaving.code
    except KeyboardInterrupt:
        ended = 130
    except BaseException:
        traceback.print_exc()
        ended = 1
    _leave(ended)
