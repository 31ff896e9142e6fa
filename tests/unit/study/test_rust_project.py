"""Projects of Rust: what is timed and how it is built."""

from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.study.test_kinds import project

from whyfast.model.errors import UserError
from whyfast.study.rust_project import cargo


def test_a_library_with_criterion_is_timed_by_it(tmp_path: Path, golden: Hear) -> None:
    manifest = (
        '[package]\nname = "x"\n[dev-dependencies]\ncriterion = "0.5"\n[[bench]]\nname = "b"\n'
    )
    project(tmp_path, "Cargo.toml", text=manifest)
    project(tmp_path, "benches/b.rs", text="criterion_main!(benches);\n")
    made = cargo(tmp_path)
    assert made.runner == "criterion"
    assert made.fetch == ("cargo", "fetch")  # a library keeps no lock file
    golden(*made.steps[1:], made.link)
    assert made.benchmarks == {}  # the program lists them


@pytest.mark.parametrize("kind", ["dev-dependencies", "dependencies"])
def test_a_benchmark_of_divan_in_a_workspace_is_found_and_else_the_binary(
    tmp_path: Path, kind: str
) -> None:
    project(tmp_path, "Cargo.toml", text='[workspace]\nmembers = ["a", "b"]\n')
    for name in "ab":
        manifest = (
            f'[package]\nname = "{name}"\n[{kind}]\ndivan = "0.1"\n[[bench]]\nname = "of_{name}"\n'
        )
        project(tmp_path, f"{name}/Cargo.toml", text=manifest)
        project(tmp_path, f"{name}/benches/of_{name}.rs", text="divan::main();\n")
    made = cargo(tmp_path)
    assert (made.runner, made.otherwise) == ("divan", None)
    assert "-p a --bench of_a" in made.link
    assert "b/of_b" in made.comments[1]
    # Of a package with a program of its own, that is timed where the benchmark does not build.
    alone = tmp_path / "a"
    project(alone, "src/main.rs")
    otherwise = cargo(alone).otherwise
    assert otherwise is not None
    assert otherwise.program == "program"
    assert "--bin a" in otherwise.link


def test_examples_of_a_library_are_programs_and_else_one_is_filled_in(tmp_path: Path) -> None:
    project(tmp_path, "Cargo.toml", text='[package]\nname = "x"\n')
    assert cargo(tmp_path).incomplete
    project(tmp_path, "examples/a.rs", "examples/b.rs", text="fn main() {}\n")
    made = cargo(tmp_path)
    assert ("--example a" in made.link, made.incomplete) == (True, "")
    assert [("--example b" in o.link, bool(o.incomplete)) for o in made.others] == [
        (True, False),
        (False, True),
    ]
    assert made.otherwise is made.others[1]


def test_a_library_without_examples_is_timed_by_the_program_with_most_tests(
    tmp_path: Path,
) -> None:
    project(tmp_path, "Cargo.toml", text='[package]\nname = "serde-x"\n')
    project(tmp_path, "tests/a.rs", text="#[test]\nfn f() {}\n")
    project(tmp_path, "tests/b.rs", text="#[test]\nfn f() {}\n#[test]\nfn g() {}\n")
    made = cargo(tmp_path)
    assert made.fetch == ()
    assert "REGISTRY" in made.env  # for the other side of a change, which may ask for packages
    assert "--profile bench --test b " in made.link
    assert "target/release/deps/b-*" in made.link
    assert made.candidates == {"tests": ("{program}", "--test-threads=1")}
    assert (made.folder, made.benchmarks) == ("{source}", {})
    assert made.otherwise is made.others[0]
    assert "--example whyfast_bench" in made.others[0].link
    project(tmp_path, "src/lib.rs", text="#[test]\n" * 3)
    assert "--profile bench --lib " in cargo(tmp_path).link
    assert "target/release/deps/serde_x-*" in cargo(tmp_path).link


def test_the_program_of_a_workspace_is_timed_before_a_benchmark_of_its_packages(
    tmp_path: Path,
) -> None:
    project(tmp_path, "Cargo.toml", text='[package]\nname = "x"\n[workspace]\nmembers = ["a"]\n')
    project(tmp_path, "src/main.rs", text="fn main() {}\n")
    project(tmp_path, "a/Cargo.toml", text='[package]\nname = "a"\n')
    project(tmp_path, "a/benches/b.rs", text="#[bench]\nfn f() {}\n")
    made = cargo(tmp_path)
    assert "--release --bin x " in made.link
    assert ["-p a --bench b " in other.link for other in made.others] == [True]


def test_of_a_workspace_without_benchmarks_the_program_of_its_name_is_timed(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "tool"
    project(folder, "Cargo.toml", text='[workspace]\nmembers = ["crates/*"]\n')
    for name in ("aaa", "tool"):
        project(folder, f"crates/{name}/Cargo.toml", text=f'[package]\nname = "{name}"\n')
        project(folder, f"crates/{name}/src/main.rs", text="fn main() {}\n")
    made = cargo(folder)
    assert "--release -p tool --bin tool " in made.link
    assert "aaa" in made.comments[0]
    project(folder, "crates/tool/src/bin/t/main.rs", text="fn main() {}\n")
    (folder / "crates/tool/src/main.rs").unlink()
    assert "--release -p tool --bin t " in cargo(folder).link


@pytest.mark.parametrize("itself", [".", "./", "..", "/"])
def test_a_workspace_may_name_its_own_folder(tmp_path: Path, itself: str) -> None:
    manifest = f'[package]\nname = "x"\n[workspace]\nmembers = ["{itself}"]\n'
    project(tmp_path, "Cargo.toml", text=manifest)
    project(tmp_path, "benches/b.rs", text="#[bench]\nfn f() {}\n")
    assert "--bench b " in cargo(tmp_path).link


def test_features_that_a_target_requires_are_switched_on(tmp_path: Path) -> None:
    text = '[package]\nname = "x"\n[[bin]]\nname = "a"\nrequired-features = ["cli", "std"]\n'
    project(tmp_path, "Cargo.toml", text=text)
    assert "--release --bin a --features cli,std --offline" in cargo(tmp_path).link
    project(tmp_path, "Cargo.toml", text=text + text[text.index("[[") :].replace("bin", "bench"))
    project(tmp_path, "benches/a.rs", text="#[bench]\nfn f() {}\n")
    assert "--profile bench --bench a --features cli,std --offline" in cargo(tmp_path).link


def test_of_a_workspace_of_libraries_a_package_is_named(tmp_path: Path) -> None:
    project(tmp_path, "Cargo.toml", text='[workspace]\nmembers = ["a"]\n')
    project(tmp_path, "a/Cargo.toml", text='[package]\nname = "a"\n')
    with pytest.raises(UserError, match=r"in one: a$"):
        cargo(tmp_path)


def test_of_benchmarks_of_rust_itself_the_file_with_most_is_built_by_any_compiler(
    tmp_path: Path,
) -> None:
    project(tmp_path, "Cargo.toml", text='[package]\nname = "x"\n')
    project(tmp_path, "benches/a.rs", text="#[bench]\nfn f() {}\n")
    project(tmp_path, "benches/b-c.rs", text="#[bench]\nfn f() {}\n#[bench]\nfn g() {}\n")
    made = cargo(tmp_path)
    assert made.runner == "libtest"
    assert "--bench b-c " in made.link
    assert "target/release/deps/b_c-*" in made.link  # cargo names the file as a crate
    assert made.env["RUSTC_BOOTSTRAP"] == "1"


@pytest.mark.parametrize(
    ("wanted", "lock", "whole_seconds"),
    [
        ('"0.3.6"', "", True),
        ('"0.5"', "", False),
        ('{ version = "^0.3" }', "", True),
        ('"*"', "0.3.5", True),
        ('"*"', "0.5.1", False),
        ('"0.30"', "", False),
    ],
)
def test_criterion_before_0_4_takes_whole_seconds(
    tmp_path: Path, wanted: str, lock: str, whole_seconds: bool
) -> None:
    manifest = (
        '[package]\nname = "x"\n[target."cfg(not(miri))".dev-dependencies]\n'
        f'criterion = {wanted}\n[[bench]]\nname = "b"\n'
    )
    project(tmp_path, "Cargo.toml", text=manifest)
    project(tmp_path, "benches/b/main.rs", text="criterion_main!(benches);\n")
    if lock:
        project(tmp_path, "Cargo.lock", text=f'name = "criterion"\nversion = "{lock}"\n')
    options = ("--warm-up-time=1", "--measurement-time=1") if whole_seconds else ()
    assert cargo(tmp_path).options == options


def test_crates_are_linked_from_the_registry_and_nothing_else_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Hear
) -> None:
    monkeypatch.setenv("CARGO_HOME", "/home/me/.cargo")
    project(tmp_path, "Cargo.toml", text='[package]\nname = "prog"\n')
    project(tmp_path, "src/main.rs", text="fn main() {}\n")
    project(tmp_path, "Cargo.lock", text='source = "registry+https://x"\n')
    made = cargo(tmp_path)
    assert made.env["REGISTRY"] == "/home/me/.cargo/registry"
    golden(made.link)


def test_benchmarks_of_a_package_beside_the_workspace_that_uses_it(tmp_path: Path) -> None:
    project(tmp_path, "Cargo.toml", text='[package]\nname = "x"\n')
    bench = '[package]\nname = "b"\n[dev-dependencies]\ncriterion = "0.5"\n'
    project(tmp_path, "inner/bench/Cargo.toml", text=f'{bench}[[bench]]\nname = "t"\n')
    project(tmp_path, "inner/bench/benches/t.rs", text="criterion_main!(benches);\n")
    assert cargo(tmp_path).incomplete  # it times another crate
    used = f'{bench}x = {{ path = "../.." }}\n[[bench]]\nname = "t"\n'
    project(tmp_path, "inner/bench/Cargo.toml", text=used)
    made = cargo(tmp_path)
    at = ("--manifest-path", "inner/bench/Cargo.toml")
    assert (made.runner, made.fetch) == ("criterion", ("cargo", "fetch", *at))
    # By a path that is the same in all builds, as cargo makes hashes of it.
    assert 'cd {source} && ln -sfn "$PWD" "$CARGO_HOME/source" && ' in made.link
    there = '"$CARGO_HOME/source"/inner/bench/Cargo.toml'
    assert f"--profile bench --manifest-path {there} --bench t --offline" in made.link
    assert made.folder == "{source}/inner/bench"  # as cargo does
    assert made.comments[0] == "The program is the benchmark b/t."


def test_a_program_without_work_is_timed_by_tests_of_its_code(tmp_path: Path) -> None:
    project(tmp_path, "Cargo.toml", text='[package]\nname = "tool"\n')
    project(tmp_path, "src/main.rs", text="fn main() {}\n#[test]\nfn f() {}\n")
    project(tmp_path, "tests/a.rs", text="#[test]\n" * 9)  # they start the program
    made = cargo(tmp_path)
    assert "--release --bin tool " in made.link
    (tests,) = made.others
    assert "--profile bench --bin tool " in tests.link
    assert "target/release/deps/tool-*" in tests.link
    assert tests.env == made.env  # so that packages are compiled once
    project(tmp_path, "src/lib.rs", text="#[test]\nfn f() {}\n")
    assert "--profile bench --lib " in cargo(tmp_path).others[0].link


def test_a_workspace_of_libraries_is_timed_by_the_tests_of_one(tmp_path: Path) -> None:
    project(tmp_path, "Cargo.toml", text='[workspace]\nmembers = ["crates/*"]\n')
    for name in ("aaa", "bbb"):
        project(tmp_path, f"crates/{name}/Cargo.toml", text=f'[package]\nname = "{name}"\n')
    project(tmp_path, "crates/bbb/tests/t.rs", text="#[test]\nfn f() {}\n")
    made = cargo(tmp_path)
    assert "--profile bench -p bbb --test t " in made.link
    assert made.folder == "{source}/crates/bbb"
