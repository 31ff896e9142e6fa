"""The one way in which whyfast runs git: another's repository is read, never written, and neither
what a hook inherited nor what a checkout configures decides what happens."""

from __future__ import annotations

import functools
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from whyfast.model.errors import UserError

#: A repository's hooks and monitors must not run, nor may settings decide what a file looks like.
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.autocrlf=false",
    "core.eol=lf",
    "log.showSignature=false",
    "protocol.ext.allow=never",
)
#: Of the variables that begin with GIT_ those that say how to reach a server or where the user's
#: own settings are. All others name a repository, an index, a work tree or what is done with them.
_KEPT = re.compile(
    r"GIT_(SSH.*|SSL_.*|HTTP_.*|PROXY_.*|ASKPASS|ALLOW_PROTOCOL|EXEC_PATH"
    r"|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM))"
)
#: Where a repository that borrows finds what was not cloned, and what is relative to its origin.
_REMOTES = r"^(remote\..*\.(url|promisor|partialclonefilter)|extensions\.partialclone)$"
#: What git says of an object that a repository refers to and does not have.
_LACKING = re.compile(
    r"unable to read (?:sha1 file of )?(?:tree |object )?(\S+)|missing blob (?:object )?'?(\w+)|"
    r"could not fetch (\w+) from promisor|bad (?:tree|object) (\w+)|"
    r"object (?:file )?(\S+) is (?:empty|corrupt)|failed to read object (\w+)"
)
_USER = re.compile(r"(?<=://)[^/\s?#]*@")


def without_repository(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without what git hands to its hooks: git started there finds the repository
    of the folder that it is in."""
    return {k: v for k, v in environment.items() if not k.startswith("GIT_") or _KEPT.fullmatch(k)}


def without_user(text: str) -> str:
    """The text with every address in it as others may see it: a user in it may be a token."""
    return _USER.sub("", text)


def git(
    where: Path, *arguments: str, given: str = "", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run git there and wait for it. UserError when it cannot be started."""
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    try:
        done = subprocess.run(
            ["git", *settings, "-C", str(where), *arguments],
            input=given.encode(),
            capture_output=True,
            env={
                **without_repository(os.environ),
                "LC_ALL": "C",
                "GIT_TERMINAL_PROMPT": "0",
                "GIT_OPTIONAL_LOCKS": "0",
                **(env or {}),
            },
            check=False,
        )
    except OSError as error:
        raise UserError(f"git cannot be run: {error.strerror}", where=where) from error
    # Not text=True, which would make line ends of the carriage returns in a source file.
    out, text = (part.decode("utf-8", "replace") for part in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, out, without_user(text))


def must_git(
    where: Path, *arguments: str, given: str = "", env: Mapping[str, str] | None = None
) -> str:
    """What git prints there; UserError with the last line of what it says when it fails."""
    done = git(where, *arguments, given=given, env=env)
    if done.returncode:
        if lacking := _LACKING.search(done.stderr):
            name = next(g for g in lacking.groups() if g).strip("'()")
            raise UserError(
                f"lacks {name}, which its commits name: a partial or damaged clone; mend it by "
                "git fetch --refetch, or clone it anew without --filter",
                where=where,
            )
        text = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        command = next(word for word in arguments if not word.startswith("-"))
        raise UserError(f"git {command}: {text[-1].removeprefix('fatal: ')}", where=where)
    return done.stdout


#: Full hashes that were found there to be those of commits, which stay so.
_COMMITS: set[tuple[Path, str]] = set()


def commit_named(repository: Path, revision: str) -> str:
    """The full hash of the commit that ``revision`` names there, empty where it names none."""
    if (repository, revision) in _COMMITS:
        return revision
    done = git(repository, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    commit = "" if done.returncode else done.stdout.strip()
    if commit and commit == revision:
        _COMMITS.add((repository, commit))
    return commit


@functools.cache
def has_file(repository: Path, commit: str, name: str) -> bool:
    """Whether the commit, given by its full hash, has that file."""
    return git(repository, "cat-file", "-e", f"{commit}:{name}").returncode == 0


def is_shallow(repository: Path) -> bool:
    """Whether it is a clone without the whole history."""
    return git(repository, "rev-parse", "--is-shallow-repository").stdout.strip() == "true"


def leads(repository: Path, first: str, last: str) -> bool:
    """Whether the first of two commits is an ancestor of the last."""
    return git(repository, "merge-base", "--is-ancestor", first, last).returncode == 0


def changed_files(repository: Path, base: str, head: str) -> list[str]:
    """The paths that differ between two commits."""
    return must_git(repository, "diff", "--name-only", base, head, "--").splitlines()


def ignored_by_git(folder: Path) -> set[Path]:
    """The untracked files and folders below that git ignores, relative to it; none where it is in
    no repository, or is ignored itself."""
    try:
        wanted = ("--others", "--ignored", "--exclude-standard", "--directory", "-z")
        listed = git(folder, "ls-files", *wanted)
        if not listed.stdout or not git(folder, "check-ignore", "--quiet", ".").returncode:
            return set()
    except UserError:  # no git here
        return set()
    return {Path(name) for name in listed.stdout.split("\0") if name.strip("./")}


def keep_out_of_status(file: Path) -> bool:
    """Have git ignore that file in this clone alone (``info/exclude``); False where it is in no
    repository, or ignored already."""
    name = file.name
    try:
        if git(file.parent, "check-ignore", "--quiet", name).returncode != 1:
            return False
        place = must_git(file.parent, "rev-parse", "--path-format=absolute", "--git-path", "info")
        inner = must_git(file.parent, "rev-parse", "--show-prefix").strip()
        exclude = Path(place.strip(), "exclude")
        exclude.parent.mkdir(exist_ok=True)
        with exclude.open("a", encoding="utf-8") as out:
            out.write(f"/{inner}{name}\n")
    except (UserError, OSError):  # no git here
        return False
    return True


def own_filters_off(repository: Path) -> tuple[str, ...]:
    """Options of git without the filters that the repository's own configuration names: they are
    commands. Those that the user configured for every repository stay, as that of git-lfs."""
    wanted = ("--name-only", "--get-regexp", r"^filter\..*\.(clean|smudge|process)$")
    text = git(repository, "config", "--local", "--includes", *wanted).stdout
    off = [f"{key}=" for key in text.splitlines()]
    off += [f"{setting.rpartition('.')[0]}.required=false" for setting in off]
    return tuple(word for setting in off for word in ("-c", setting))


def borrow(repository: Path, to: Path) -> None:
    """Make the new bare repository ``to`` with the objects, branches and tags of another. Files are
    checked out of it instead of the other, which is not written so: it has the user's settings but
    none of the other's own, and its work trees are its own. UserError."""
    asked = ("rev-parse", "--path-format=absolute", "--git-common-dir", "--show-object-format")
    common, form = must_git(repository, *asked).splitlines()
    quiet = ("--quiet", "--bare", "--template=", f"--object-format={form}")
    must_git(repository, "init", *quiet, str(to), env={"GIT_DEFAULT_REF_FORMAT": "files"})
    (to / "objects/info").mkdir(exist_ok=True)
    (to / "objects/info/alternates").write_text(f"{common}/objects\n")
    if (shallow := Path(common, "shallow")).exists():
        (to / "shallow").write_bytes(shallow.read_bytes())
    refs = must_git(repository, "for-each-ref", "--format=%(objectname) %(refname)")
    (to / "packed-refs").write_text(refs)
    for line in git(repository, "config", "--local", "--get-regexp", _REMOTES).stdout.splitlines():
        key, _, value = line.partition(" ")
        if key == "extensions.partialclone":
            must_git(to, "config", "core.repositoryFormatVersion", "1")
        must_git(to, "config", "--add", key, value)
