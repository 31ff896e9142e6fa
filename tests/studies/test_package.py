"""The wheel and the sdist, installed alone in a fresh environment: every command that needs no
checkout works there, and says what is missing where an extra is needed."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from tests.unit.test_action import ACTION, GH
from tests.unit.test_action import run as run_step

ROOT = Path(__file__).parents[2]

#: The most that it may take with all that it needs, in MB of 10⁶ bytes; pip's own not counted.
MOST = 120

pytestmark = pytest.mark.long


def run(*words: object, **options: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, check=False, **options
    )  # type: ignore[call-overload]
    assert done.returncode == 0, (words, done.stdout[-2000:], done.stderr[-2000:])
    result: subprocess.CompletedProcess[str] = done
    return result


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=ROOT)
    (packed,) = folder.glob("*.tar.gz")
    with tarfile.open(packed) as tar:
        if hasattr(tarfile, "data_filter"):
            tar.extraction_filter = tarfile.data_filter
        tar.extractall(folder)
    (source,) = (p for p in folder.iterdir() if p.is_dir())
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, source)
    return folder


@pytest.fixture(scope="module")
def place(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a fresh environment in ``venv``, in which the wheel is installed alone."""
    folder = tmp_path_factory.mktemp("place")
    run(sys.executable, "-m", "venv", folder / "venv")
    (wheel,) = built.glob("*.whl")
    run(folder / "venv/bin/python", "-m", "pip", "install", "-q", wheel)
    for name, loops in (("old", 4_000_000), ("new", 1_000_000)):
        (folder / f"{name}.c").write_text(
            f"int main(void) {{ volatile int x = 0; for (int i = 0; i < {loops}; i++) x += i; }}"
        )
        run("gcc", "-O1", folder / f"{name}.c", "-o", folder / name)
    return folder


def whyfast(place: Path, *words: str, code: int | None = 0, at: Path | None = None) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(place),
        "WHYFAST_HOME": str(place / "home"),
        "COLUMNS": "150",
    }
    done = subprocess.run(
        [str(place / "venv/bin/whyfast"), *words],
        cwd=at or place,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in ((0, 2) if code is None else (code,)), (
        words,
        done.stdout[-2000:],
        done.stderr[-2000:],
    )
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def test_what_is_in_it(built: Path) -> None:
    (packed,) = built.glob("*.tar.gz")
    with tarfile.open(packed) as tar:
        names = {name.split("/", 1)[-1] for name in tar.getnames()}
    assert {"src/whyfast/py.typed", "studies/dispatch/study.toml", "docs/index.md"} <= names
    assert not {n for n in names if n.startswith((".venv", ".git/", "build/"))}


def test_size(place: Path) -> None:
    (packages,) = (place / "venv/lib").glob("python3*/site-packages")
    pips = ("pip", "setuptools", "pkg_resources")
    own = [p for p in packages.iterdir() if p.name.split("-")[0] not in pips]
    files = (f for p in own for f in (p.rglob("*") if p.is_dir() else [p]) if f.is_file())
    assert sum(f.stat().st_size for f in files) < MOST * 1e6


STUDY = """
[study]
title = "Is -O2 faster?"
baseline = "o1"
[source]
path = "."
[build]
steps = ["{cc} {cflags} -o {program} {source}/old.c"]
program = "p"
[variant.o1]
toolchain = "path:gcc"
cflags = ["-O1"]
[variant.o2]
extends = "o1"
cflags = ["-O2"]
[benchmarks.loop]
runner = "command"
command = ["{program}"]
[measure]
budget = "3s"
"""


def test_studies(place: Path) -> None:
    listed = json.loads(whyfast(place, "studies", "--json", "-"))["data"]
    (rows,) = (b["rows"] for s in listed["sections"] for b in s["blocks"] if "rows" in b)
    names = {row[0]["text"] for row in rows}
    assert {"dispatch", "bpf-tail-call-vm", "code-placement-vm"} <= names
    for name in sorted(names):  # 2 and the reason where nothing of it can be built here
        assert "variant" in whyfast(place, "plan", name, code=None)
    (place / "study").mkdir()
    (place / "study/study.toml").write_text(STUDY.replace('path = "."', f'path = "{place}"'))
    assert "o2" in whyfast(place, "run", "study", "--html", "study.html")


def test_commands(place: Path) -> None:
    whyfast(place, "ab", "./old", "./new", "--budget", "5s", "--json", "ab.json")
    assert json.loads((place / "ab.json").read_text())["data"]["judged"]["verdicts"]
    whyfast(place, "compare", "ab.json")
    whyfast(place, "report", "ab", "--html", "ab.html")
    whyfast(place, "merge", "ab.json")
    whyfast(place, "import", "ab.json", "--study", "mine", "--json", "imported.json")
    assert "dispatch" in whyfast(place, "survey", "shipped", "--only", "lua", "--suite", "trixie")
    whyfast(place, "why", "./old", "./new", "--budget", "5s")
    whyfast(place, "timeit", "sorted(x)", "-s", "x = [2, 1]", "-r", "2")
    whyfast(place, "explain", "old", "new")
    for name in ("doctor", "builds", "toolchain"):
        whyfast(place, name)
    assert "complete" in whyfast(place, "completion", "bash")
    text = "\n".join(
        ["benchmark,commit,seconds", *(f"b,{i},{1 + i // 5}.00{i % 3}" for i in range(10))]
    )
    (place / "series.csv").write_text(text)
    assert "Step" in whyfast(place, "history", "series.csv", "--by", "commit")


def test_a_checked_change_and_a_search(place: Path) -> None:
    """``new``, ``check`` and ``search`` in a git repository that a person has just made."""
    folder = place / "project"
    folder.mkdir()
    git = ["git", "-c", "user.name=n", "-c", "user.email=e", "-C", folder]
    run("git", "init", "-q", "-b", "main", folder)
    for loops in (1_000_000, 4_000_000):
        text = f"int main(void) {{ volatile int x = 0; for (int i = 0; i < {loops}; i++) x += i; }}"
        (folder / "program.c").write_text(text)
        (folder / "Makefile").write_text("program: program.c\n\tgcc -O1 $< -o $@\n")
        run(*git, "add", "-A")
        run(*git, "commit", "-q", "-m", f"{loops} loops")
    words = ["--repo", str(folder), "--from", "HEAD~1", "--to", "HEAD", "--build", "make"]
    assert "4000000 loops" in whyfast(place, "search", *words, "--", "./program")
    assert "wrote " in whyfast(place, "new", at=folder)
    words = ["HEAD~1...HEAD", "--budget", "20s", "--fail-on", "slower", "--append", "checks.jsonl"]
    assert "slower" in whyfast(place, "check", *words, code=3, at=folder)
    (line,) = (folder / "checks.jsonl").read_text().splitlines()
    (checked,) = json.loads(line)["data"]["benchmarks"].values()
    assert checked["outcome"] == "slower"


WATCHED = """
[study]
title = "Is the program faster?"
baseline = "gcc"
margin = "5%"
[source]
path = "."
[build]
steps = ["cp -r {source}/. .", "make program CC={cc}", "date +%N > built"]
program = "program"
[variant.gcc]
toolchain = "path:gcc"
[benchmarks.loop]
runner = "command"
command = ["{program}"]
"""


def test_the_action(built: Path, tmp_path: Path) -> None:
    """Its steps one after the other for two pushes to a pull request, each on a runner of its own,
    to which nothing but the repository and the kept builds come."""
    (wheel,) = built.glob("*.whl")
    origin, work, runner, kept = (tmp_path / n for n in ("origin", "work", "runner", "kept"))
    git = ["git", "-c", "user.name=n", "-c", "user.email=e", "-C", work]
    run("git", "init", "-q", "--bare", origin)
    run("git", "clone", "-q", origin, work)
    (work / "Makefile").write_text("program: program.c\n\t$(CC) -O1 $< -o $@\n")
    (work / "whyfast.toml").write_text(WATCHED)
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "gh").write_text(GH)
    (tmp_path / "tools" / "gh").chmod(0o755)
    (builds,) = re.findall(r"path: \$\{\{ runner.temp \}\}/(\S+)", ACTION)

    def commit(loops: int) -> str:
        text = f"int main(void) {{ volatile int x = 0; for (int i = 0; i < {loops}; i++) x += i; }}"
        (work / "program.c").write_text(text)
        run(*git, "add", "-A")
        run(*git, "commit", "-q", "-m", f"{loops} loops")
        return run(*git, "rev-parse", "HEAD").stdout.strip()

    def step(name: str, **env: str) -> None:
        path = f"{tmp_path}/tools:{os.environ['PATH']}"
        summary = str(tmp_path / "summary.md")
        env = {"PATH": path, "HOME": str(tmp_path), "GITHUB_STEP_SUMMARY": summary, **env}
        run_step(name, runner, folder="../work", **env)

    def pushed(base: str) -> set[str]:
        """What the steps leave behind: when each build in the cache was made."""
        runner.mkdir()
        step("Install whyfast", VERSION=str(wheel), ACTION="")
        if kept.exists():
            shutil.move(kept, runner / builds)
        inputs = dict.fromkeys(("HEAD", "STUDY", "MARGIN", "FAIL_ON"), "")
        step("Check", BASE=base, BUDGET="10s", **inputs)
        step("Comment", GH_TOKEN="t", PULL="3", GITHUB_REPOSITORY="o/p")
        step("Trend", TREND="performance")
        shutil.move(runner / builds, kept)
        run(*git, "worktree", "remove", runner / "whyfast-trend")
        shutil.rmtree(runner)
        return {f.read_text() for f in kept.glob("*/work/built")}

    base = commit(4_000_000)
    commit(4_000_001)
    first = pushed(base)
    run(*git, "branch", "-D", "whyfast-trend")
    commit(12_000_000)
    second = pushed(base)
    assert (len(first), len(second)) == (2, 3)
    assert first < second  # nothing was built again
    comments = json.loads((tmp_path / "tools" / "comments.json").read_text())
    assert [number for number, _ in comments] == [7, 8]
    assert "slower" in comments[1][1]
    assert "slower" in (tmp_path / "summary.md").read_text()
    lines = run("git", "-C", origin, "show", "performance:checks.jsonl").stdout.splitlines()
    outcomes = [json.loads(line)["data"]["benchmarks"]["loop"]["outcome"] for line in lines]
    assert len(outcomes) == 2
    assert outcomes[1] == "slower"


def test_manual_pages(place: Path) -> None:
    """Installing puts them beside the program, where man looks for a program on PATH."""
    pages = {p.name for p in (place / "venv/share/man/man1").iterdir()}
    assert {"whyfast.1", "whyfast-ab.1", "whyfast-worker.1"} <= pages
    if shutil.which("man") is None or shutil.which("manpath") is None:
        pytest.skip("needs man-db")
    path = f"{place}/venv/bin:{os.environ['PATH']}"
    done = run("man", "--where", "whyfast-ab", env={"PATH": path, "HOME": str(place)})
    assert done.stdout.strip() == str(place / "venv/share/man/man1/whyfast-ab.1")


def test_what_an_extra_brings(place: Path) -> None:
    (place / "x.exe").write_bytes(b"MZ" + bytes(200))
    assert "pip install 'whyfast[foreign]'" in whyfast(place, "explain", "x.exe", code=2)
    assert "pip install 'whyfast[fleet]'" in whyfast(place, "worker", "127.0.0.1:1", code=2)


def test_the_page_of_the_library(place: Path) -> None:
    code = """
import whyfast as wf
report = wf.ab({"old": "./old", "new": "./new"}, budget="5s")
print(report.headline, report.verdicts[0].outcome)
report.save("report.html")
def loop(n):
    total = 0
    for i in range(n):
        total += i
    return total
print(wf.timeit(loop, lambda n: sum(range(n)), arguments={"n": 100}, budget="1s").headline)
print(wf.explain("old", "new").headline)
"""
    (place / "page.py").write_text(code)
    environment = {"PATH": os.environ["PATH"], "WHYFAST_HOME": str(place / "home")}
    done = run(place / "venv/bin/python", "page.py", cwd=place, env=environment)
    assert "new is " in done.stdout


def test_the_container() -> None:
    """As a container tool would make it; there is none where tests run."""
    if os.geteuid() != 0 or shutil.which("mmdebstrap") is None:
        pytest.skip("needs root and mmdebstrap")
    done = run(
        ROOT / "tests" / "container-root",
        "whyfast ab 'sleep 0.01' 'sleep 0.05' --budget 20s; whyfast plan code-placement-vm",
    )
    assert "'sleep 0.05' is " in done.stdout
