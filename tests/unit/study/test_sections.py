"""Sections of a study, their placeholders, durations and margins."""

import math
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.golden_files import Hear, refusal
from tests.unit.study.conftest import Message, Write

from whyfast.model.cost import CostsSpec
from whyfast.model.study import BuildSpec, Quick, Source
from whyfast.model.variant import Variant
from whyfast.study import load as bundled
from whyfast.study.load import load_study
from whyfast.study.notation import names_in, parse_duration, parse_margin, substitute
from whyfast.study.sections import hide


def test_absolute_source(tmp_path: Path, valid: str, write: Write) -> None:
    (tmp_path / "else where").mkdir()
    text = valid.replace('path = "src"', f'path = "{tmp_path}/x/../else where"')
    source = load_study(write(text)).source
    assert (source.kind, source.folder) == ("path", tmp_path / "else where")


def test_subject(
    tmp_path: Path,
    valid: str,
    write: Write,
    message: Message,
    monkeypatch: pytest.MonkeyPatch,
    golden: Hear,
) -> None:
    (tmp_path / "subjects/ebpf-vm").mkdir(parents=True)
    monkeypatch.setattr(bundled, "_find", lambda kind: tmp_path / kind)
    source = load_study(write(valid.replace('path = "src"', 'subject = "ebpf-vm"'))).source
    assert source == Source("subject", "ebpf-vm", tmp_path / "subjects/ebpf-vm")
    golden(message(valid.replace('path = "src"', 'subject = "ebpf_vm"')))


def test_endless_path(valid: str, message: Message) -> None:
    said = message(valid.replace('path = "src"', f'path = "{"x" * 5000}"'))
    assert said.startswith('study.toml:8: source.path: "xxx')
    # From Python 3.14 on there is no such file, without a reason.
    assert said.endswith(("File name too long", "does not exist; relative to DEMO"))


def test_incremental_is_said_by_the_study(valid: str, write: Write) -> None:
    assert not load_study(write(valid)).build.incremental
    said = valid.replace('program = "vm"', 'program = "vm"\nincremental = true')
    assert load_study(write(said)).build.incremental


SHA256 = "ab" * 32
#: From Python 3.14 on there is no such file, without a reason.
TOO_LONG = (
    " does not exist; relative to DEMO" if sys.version_info >= (3, 14) else ": File name too long"
)
DEBIAN = f'debian = "python3.14"\nversion = "3.14.6"\nsha256 = "{SHA256}"'

CASES = {
    "no version": 'debian = "python3.14"',
    "no sha256": 'debian = "python3.14"\nversion = "3.14.6"',
    "bad sha256": DEBIAN.replace(SHA256, "abc"),
    "bad package": DEBIAN.replace("python3.14", "../x"),
    "bad version": DEBIAN.replace("3.14.6", "3/14"),
    "bad suite": f'{DEBIAN}\nsuite = "../"',
    "key of another kind": 'path = "src"\nversion = "1"',
    "tarball gone": f'tarball = "x.tar.xz"\nsha256 = "{SHA256}"',
    "tarball long": f'tarball = "{"x" * 300}"\nsha256 = "{SHA256}"',
    "tarball folder": f'tarball = "src"\nsha256 = "{SHA256}"',
    "tarball address": f'tarball = "https://example.org/x.tar.xz"\nsha256 = "{SHA256}"',
    "no revision": 'git = "https://example.org/x"',
    "an option for a revision": 'git = "https://example.org/x"\nrevision = "--upload-pack=x"',
    "repository gone": 'git = "../gone"\nrevision = "v1"',
}


def test_mistakes(valid: str, message: Message, golden: Hear) -> None:
    for name, source in CASES.items():
        text = valid.replace('path = "src"', source)
        golden(f"{name}: {message(text)}")


@pytest.mark.parametrize(("more", "suite"), [("", "sid"), ('suite = "trixie"', "trixie")])
def test_debian(valid: str, write: Write, more: str, suite: str) -> None:
    file = write(valid.replace('path = "src"', f"{DEBIAN}\n{more}"))
    assert load_study(file).source == Source(
        "debian", "python3.14", file.parent, version="3.14.6", sha256=SHA256, suite=suite
    )


def test_tarball(valid: str, write: Write) -> None:
    text = f'tarball = "study.toml"\nsha256 = "{SHA256.upper()}"'
    file = write(valid.replace('path = "src"', text))
    assert load_study(file).source == Source("tarball", "study.toml", file, sha256=SHA256)


@pytest.mark.parametrize("address", ["https://example.org/x", "git@example.org:x/y.git"])
def test_git_address(valid: str, write: Write, address: str) -> None:
    file = write(valid.replace('path = "src"', f'git = "{address}"\nrevision = "v1"'))
    assert load_study(file).source == Source("git", address, file.parent, revision="v1")


def test_git_folder(valid: str, write: Write) -> None:
    file = write(valid.replace('path = "src"', 'git = "src"\nrevision = "v1"'))
    assert load_study(file).source == Source("git", "src", file.parent / "src", revision="v1")


def test_packages(valid: str, write: Write, message: Message, golden: Hear) -> None:
    text = valid.replace("[build]", '[build]\npackages = ["make", "zlib1g-dev", "make"]')
    assert load_study(write(text)).build.packages == ("make", "zlib1g-dev")
    golden(message(text.replace('"zlib1g-dev"', '"zlib,evil"')))


def test_without_it_nothing_is_restricted(valid: str, write: Write) -> None:
    assert load_study(write(valid)).quick == Quick((), (), None)


def test_all_of_it(valid: str, write: Write) -> None:
    quick = '[quick]\nvariants = ["clang19-tail"]\nbenchmarks = "collatz"\nbudget = "20s"\n'
    assert load_study(write(valid + quick)).quick == Quick(("clang19-tail",), ("collatz",), 20.0)


@pytest.mark.parametrize(
    ("table", "mistake"),
    [
        (
            'variants = ["clang19-tal"]',
            'quick.variants[0]: no variant "clang19-tal"; did you mean "clang19-tail"?',
        ),
        ('variants = "base"', 'quick.variants: no variant "base"; valid: '),
        (
            'benchmarks = ["colatz"]',
            'quick.benchmarks[0]: no benchmark "colatz"; did you mean "collatz"?',
        ),
        ("benchmarks = []", "quick.benchmarks: is empty; name a benchmark, or leave it out"),
        ('budget = "soon"', 'quick.budget: "soon" is not a duration; write budget = "3m" or'),
        ("turns = 3", "quick.turns: unknown key; valid: variants, benchmarks, budget"),
    ],
)
def test_mistakes_of_quick(valid: str, message: Message, table: str, mistake: str) -> None:
    line = valid.count("\n") + 2
    assert f"study.toml:{line}: {mistake}" in message(f"{valid}[quick]\n{table}\n")


def test_values_are_hidden_by_the_names_of_variables() -> None:
    plain = {"LANG": "C", "api_token_file": "", "MONKEYS": "3"}
    secret = {"npm_Token": "a", "MY_SECRET": "b", "SSH_KEY": "c", "PASSWORD": "d", "pin_1": "e"}
    build = BuildSpec((), "a", env={**plain, **secret}, hide=("PIN_*",))
    build, (variant,), values = hide(build, [Variant("v", env={"MY_SECRET": "other"})])
    shown = {**build.env}
    assert {k: shown[k] for k in plain if k != "MONKEYS"} == {"LANG": "C", "api_token_file": ""}
    assert {k: values[shown[k]] for k in (*secret, "MONKEYS")} == {**secret, "MONKEYS": "3"}
    assert values[variant.env["MY_SECRET"]] == "other"
    assert variant.env["MY_SECRET"] != shown["MY_SECRET"]
    assert all(value.startswith("hidden:") for value in values)


def test_names_in_order() -> None:
    assert names_in("{cc} {cflags} -o {program} {cc}") == ["cc", "cflags", "program", "cc"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("make", "make"),
        ("{a}{b}", "1{a}"),
        ("{{a}}", "{a}"),
        ("{{{a}}}", "{1}"),
        ("awk '{{print $1}}' {a}", "awk '{print $1}' 1"),
        ("$${{HOME}}", "$${HOME}"),
        ("{{}}", "{}"),
    ],
)
def test_substitute(text: str, expected: str) -> None:
    assert substitute(text, {"a": "1", "b": "{a}"}) == expected


@pytest.mark.parametrize("text", ["{", "}", "{a", "a}", "{{}", "{a}}", "{a{b}", "{{a}"])
def test_stray_brace(text: str) -> None:
    with pytest.raises(ValueError, match="stray"):
        names_in(text)
    with pytest.raises(ValueError, match="stray"):
        substitute(text, {"a": "", "b": ""})


@pytest.mark.parametrize(("text", "name"), [("{b}", "b"), ("{}", ""), ("{ a }", " a ")])
def test_unknown_placeholder(text: str, name: str) -> None:
    assert names_in(text) == [name]
    with pytest.raises(KeyError):
        substitute(text, {"a": "1"})


@given(st.text())
def test_escaped_text_comes_back(text: str) -> None:
    escaped = text.replace("{", "{{").replace("}", "}}")
    assert names_in(escaped) == []
    assert substitute(escaped, {}) == text


@given(st.text("{}ab"))
def test_names_are_what_substitute_asks_for(text: str) -> None:
    try:
        names = names_in(text)
    except ValueError:
        return
    substitute(text, dict.fromkeys(names, ""))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90.0),
        ("3m", 180.0),
        ("1h", 3600.0),
        ("1ms", 0.001),
        ("500us", 0.0005),
        ("500 µs", 0.0005),
        ("1.5s", 1.5),
        (" .5 s ", 0.5),
        (2, 2.0),
        (0.25, 0.25),
    ],
)
def test_duration(text: object, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds, rel=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "3",
        "1m30s",
        "-1s",
        "1e3s",
        "٣s",
        "5 min",
        "1S",
        "0ms",
        "9" * 400 + "s",
        10**400,
        math.nan,
        True,
        None,
    ],
)
def test_bad_duration(text: object, golden: Hear) -> None:
    golden(refusal(ValueError, lambda: parse_duration(text)))


@pytest.mark.parametrize(
    ("text", "margin"),
    [("1%", 0.01), ("0.5 %", 0.005), (" 2% ", 0.02), ("99.9%", 0.999), (0.01, 0.01)],
)
def test_margin(text: object, margin: float) -> None:
    assert parse_margin(text) == pytest.approx(margin, rel=1e-12)


@pytest.mark.parametrize("text", ["0.01", "1 percent", "100%", "0.0%", 1.5, 10**400, False, {}])
def test_bad_margin(text: object, golden: Hear) -> None:
    golden(refusal(ValueError, lambda: parse_margin(text)))


@given(st.one_of(st.text(), st.text("0123456789. smhu%-"), st.integers(), st.floats()))
def test_anything_is_a_quantity_or_a_value_error(value: object) -> None:
    for parse, most in ((parse_duration, math.inf), (parse_margin, 1.0)):
        try:
            quantity = parse(value)
        except ValueError:
            continue
        assert 0 < quantity < most


def test_costs(valid: str, write: Write) -> None:
    assert load_study(write(valid)).costs == CostsSpec()
    text = f'{valid}\n[costs]\nsize = "1%"\nallocations = 0.05\n'
    spec = load_study(write(text)).costs
    # The margin of what is counted asks for counting it.
    assert spec == CostsSpec({"size": 0.01, "allocations": 0.05}, count=True)
    assert load_study(write(f"{valid}\n[costs]\nbuild = true\n")).costs == CostsSpec(build=True)


@pytest.mark.parametrize("line", ['sise = "1%"', 'size = "much"', "build = 3"])
def test_mistakes_in_costs(line: str, valid: str, message: Message, golden: Hear) -> None:
    golden(message(f"{valid}\n[costs]\n{line}\n"))
