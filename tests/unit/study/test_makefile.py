"""Which program a Makefile makes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from whyfast.study.c_project import makefile_in, program_of


def made_by(folder: Path, text: str) -> tuple[str, str] | None:
    (folder / "Makefile").write_text(text)
    return program_of(folder / "Makefile")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("all: prog other\n", ("prog", "prog")),
        ("NAME = tool\nall: $(NAME)$(EXT)\n", ("tool", "tool")),
        # As of goldmark: it only lints, tests and measures.
        (
            ".PHONY: test lint\nlint:\n\tgolangci-lint run ./...\ntest:\n\tgo test -o x ./...\n"
            "cov: test\n\tgo tool cover -html=profile.out\n",
            None,
        ),
        # As of bzip2: a library is no program.
        (
            "all: libz.a zip test\nzip: libz.a zip.o\n\t$(CC) -o zip zip.o -L. -lz\n"
            "libz.a: $(OBJS)\n\t$(AR) cq libz.a $(OBJS)\ntest: zip\n\t./zip\n",
            ("zip", "zip"),
        ),
        # Phony targets are followed, in the order in which they are needed.
        (
            ".PHONY: all tools\nall: tools\ntools: one two\n%: %.c\n\t$(CC) -o $@ $<\n",
            ("one", "one"),
        ),
        # A recipe that names no file makes none.
        ("go:\n\techo yes\nprog: prog.o\n", ("prog", "prog")),
        ("check-all lint-fix doc.html:\n\t$(CC) -o $@\n", None),
        ("prog: ; $(CC) -o $@ prog.c # links\n", ("prog", "prog")),
        ("SRC = a.c \\\n  b.c\nprog: $(SRC:.c=.o)\n\t$(CC) -o $@ $^\n", ("prog", "prog")),
        # No file is named: what a compiler makes is a.out. The helper behind it is not it.
        (
            "O = b.o gram.o\na.out: $O\n\t$(CC) $O -lm\ngram.c: gram.y help\n\t$(YACC) gram.y\n"
            "help: help.c\n\t$(CC) help.c -o help\n",
            ("a.out", "a.out"),
        ),
        ("a.out: x\n\techo no\nprog: prog.o\n\t$(CC) -o $@ $<\n", ("prog", "prog")),
        ("P = calc$x\nx =\nall: $P\n", ("calc", "calc")),
        ("all: all\n", None),
        ("", None),
    ],
)
def test_the_first_target_that_links_is_it(
    tmp_path: Path, text: str, found: tuple[str, str] | None
) -> None:
    assert made_by(tmp_path, text) == found


def test_a_makefile_that_asks_another_is_followed(tmp_path: Path) -> None:
    """As of lz4, by -C, and of Lua, by cd."""
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "Makefile").write_text("lz: lz.o\n\t$(CC) $^ -o $@\n")
    text = "DIR = programs\n.PHONY: lz lib\nall: lib lz\nlib:\n\t@:\nlz:\n\t$(MAKE) -C $(DIR) $@\n"
    assert made_by(tmp_path, text) == ("lz", "programs/lz")
    text = "all:\n\t@cd programs && $(MAKE)\n"
    assert made_by(tmp_path, text) == ("all", "programs/lz")


def test_makefiles_that_ask_each_other_come_to_an_end(tmp_path: Path) -> None:
    assert made_by(tmp_path, "all:\n\t$(MAKE) -C . all\n") is None


def test_the_file_that_make_would_read(tmp_path: Path) -> None:
    assert makefile_in(tmp_path) is None
    for name in ("Makefile", "makefile", "GNUmakefile"):
        (tmp_path / name).touch()
        assert makefile_in(tmp_path) == tmp_path / name


def test_hostile_makefiles_are_read_in_no_time(tmp_path: Path) -> None:
    """Where a pattern went back over what it has read, these would take years."""
    assert made_by(tmp_path, "a: " + "$(x)" * 4000 + "=\n") is None
    assert made_by(tmp_path, "a: " + "$(" * 4000 + "=\n") is None
    assert made_by(tmp_path, "V = " + "$(V)" * 500 + "\nall: $(V)\n") is None
    assert made_by(tmp_path, "a" + " " * 900_000 + "\n") is None


def test_what_is_no_plain_file_or_has_no_end_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "GNUmakefile")
    (tmp_path / "makefile").symlink_to("/dev/zero")
    assert makefile_in(tmp_path) is None
    (tmp_path / "Makefile").write_bytes(b"all: prog\n")
    os.truncate(tmp_path / "Makefile", 50_000_000_000)  # of zeros, without room on the disk
    assert program_of(tmp_path / "Makefile") == ("prog", "prog")


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(alphabet="ab: =$(){}\t\n\\.#%|;+?@-CMAKE", max_size=120))
def test_whatever_stands_there_is_read(tmp_path: Path, text: str) -> None:
    found = made_by(tmp_path, text)
    assert found is None or all(found)
