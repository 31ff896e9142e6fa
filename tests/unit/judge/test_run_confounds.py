"""What differs between recorded runs beside the question."""

from dataclasses import replace

import pytest
from tests.unit.judge.runs_example import recording

from whyfast.judge.run_confounds import (
    DRIFT,
    date_confounds,
    metadata_confounds,
    noise_confounds,
    one_form,
    same_fact,
    same_revision,
)
from whyfast.model.sample import MetadataValue, Recording


def pair(a: dict[str, MetadataValue], b: dict[str, MetadataValue]) -> tuple[Recording, Recording]:
    return (
        replace(recording("old", {"x": [0.0, 0.1]}), metadata=a),
        replace(recording("new", {"x": [0.2, 0.3]}), metadata=b),
    )


def said(a: dict[str, MetadataValue], b: dict[str, MetadataValue]) -> list[str]:
    return [f"{c.severity}: {c.text}" for c in metadata_confounds(pair(a, b))]


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("hostname", "host"),
        ("platform", "system (kernel)"),
        ("boot_time", "boot"),
        ("cpu_model_name", "CPU model"),
        ("cpu_config", "CPU configuration"),
        ("python_hash_seed", "hash seed"),
        ("timer", "timer"),
        ("perf_version", "pyperf version"),
    ],
)
def test_a_machine_that_differs_is_a_warning(key: str, label: str) -> None:
    assert f"warning: different {label}: 1 (old); 2 (new)" in said({key: "1"}, {key: "2"})


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("python_version", "Python version"),
        ("python_compiler", "compiler"),
        ("commit_id", "commit"),
        ("chaos_width", "chaos_width"),
    ],
)
def test_any_other_difference_is_noted(key: str, label: str) -> None:
    assert f"note: different {label}: 1 (old); 2 (new)" in said({key: "1"}, {key: "2"})


def test_of_long_flags_only_the_words_that_differ_are_shown() -> None:
    flags = "-O3 -Wall -g -fno-strict-overflow -Wsign-compare -Wunreachable-code"
    texts = said({"python_cflags": flags}, {"python_cflags": f"{flags} -mllvm -x=5"})
    assert any("only what all have (old); … -mllvm -x=5 (new)" in t for t in texts)
    texts = said({"python_cflags": flags}, {"python_cflags": f"{flags} {flags}"})
    assert any("the same words, in another order or repeated" in t for t in texts)


def test_what_only_one_file_names_is_noted() -> None:
    assert "note: host is recorded for old, not for new: it may differ" in said(
        {"hostname": "lab"}, {}
    )


def test_files_that_name_no_compiler() -> None:
    assert "note: the files name no compiler, no flags, no commit" in said({}, {})


def test_files_that_differ_by_name_alone() -> None:
    same: dict[str, MetadataValue] = {"python_compiler": "GCC 14", "commit_id": "abc"}
    assert any("nothing in the metadata distinguishes new from old" in t for t in said(same, same))


def test_a_busy_machine() -> None:
    texts = said({"load_avg_1min": 6.0, "cpu_count": "8"}, {"load_avg_1min": 1.1, "cpu_count": "8"})
    assert any("load old 6.0 on 8 CPUs; times" in text for text in texts)


def test_a_copy_is_seen() -> None:
    old, _ = pair({}, {})
    texts = [c.text for c in metadata_confounds([old, old])]
    assert "old and old hold the same values: one is a copy" in texts


def test_drift_is_never_excluded() -> None:
    old, new = pair({}, {})
    (without,) = date_confounds([old, new], [])
    assert DRIFT in without.text
    assert without.severity == "warning"
    (calibrated,) = date_confounds([old, new], [old, new])
    assert DRIFT in calibrated.text
    assert "2 reruns" in calibrated.text


@pytest.mark.parametrize(
    ("base", "head", "text"),
    [
        ((0.1, 60.0), (660.0, 700.0), "recorded after old: new 10 min"),
        ((86400.0 * 9, 86400.0 * 9 + 60), (1.0, 86400.0), "recorded before old: new 8 days"),
        ((0.1, 60.0), (30.0, 90.0), "recorded at the same time as old: new"),
    ],
)
def test_distance_in_time(base: tuple[float, float], head: tuple[float, float], text: str) -> None:
    old = recording("old", {"x": [0.0]}, started=base[0], ended=base[1])
    new = recording("new", {"x": [0.0]}, started=head[0], ended=head[1])
    assert any(text in c.text for c in date_confounds([old, new], []))


def test_a_copy_of_a_run_did_not_disturb_it() -> None:
    old = recording("old", {"x": [0.0]}, started=1.0, ended=60.0)
    said = date_confounds([old, replace(old, name="new")], [])
    assert [c.kind for c in said] == ["session-drift"]


def test_noise_of_another_machine_is_a_warning() -> None:
    base, _ = pair({"hostname": "lab"}, {})
    rerun, _ = pair({"hostname": "attic"}, {})
    (found,) = noise_confounds(base, [rerun])
    assert "have another host (attic) than old (lab)" in found.text


def test_boots_a_second_apart_are_one() -> None:
    texts = ["2023-03-06 05:49:52", "2023-03-06 05:49:53", "2023-03-06 05:52:00", "unknown"]
    forms = one_form("boot_time", texts)
    assert forms == {
        "2023-03-06 05:49:52": "2023-03-06 05:49:52",
        "2023-03-06 05:49:53": "2023-03-06 05:49:52",
        "2023-03-06 05:52:00": "2023-03-06 05:52:00",
        "unknown": "unknown",
    }


def test_a_revision_and_its_prefix_are_one() -> None:
    forms = one_form("commit_id", ["c4e4b91557f1", "c4e4b91", "c4e4b92", "v3.11"])
    assert forms["c4e4b91557f1"] == forms["c4e4b91"] == "c4e4b91"
    assert forms["c4e4b92"] == "c4e4b92"
    texts = ["3.11.0 (64-bit) revision deaf509", "3.11.0 (64-bit) revision deaf509e8f"]
    assert len(set(one_form("python_version", texts).values())) == 1


def test_neither_is_a_confound() -> None:
    a = replace(
        recording("a", {"x": [0.0]}),
        metadata={
            "boot_time": ("2023-03-06 05:49:52", "2023-03-06 05:49:53"),
            "commit_id": "c4e4b91557",
        },
    )
    b = replace(
        recording("b", {"x": [0.1]}),
        metadata={"boot_time": "2023-03-06 05:49:54", "commit_id": "c4e4b91"},
    )
    found = metadata_confounds([a, b])
    assert {c.kind for c in found} == {"unnamed"}
    other = replace(b, metadata={**b.metadata, "boot_time": "2023-03-07 05:49:54"})
    kinds = [c.kind for c in metadata_confounds([a, other]) if c.severity == "warning"]
    assert kinds == ["boot_time"]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("2026-01-01 10:00:00", "2026-01-01 10:00:01", True),
        ("2026-01-01 10:00:00", "2026-01-01 10:00:02", True),
        ("2026-01-01 10:00:00", "2026-01-01 10:00:03", False),
        ("2026-01-01 10:00:00", "whenever", False),
    ],
)
def test_times_of_boot_jitter(a: str, b: str, same: bool) -> None:
    assert same_fact("boot_time", a, b) is same
    assert not same_fact("commit_date", a, b)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("abc1234", "ABC1234def5", True),
        ("abc1234", "abc1235", False),
        ("abc123", "abc1234", False),  # too short to name a commit
        ("1234567", "12345678", False),  # numbers
        ("abc1234", "abc1234def+", False),  # a checkout with changes
        ("main", "main", True),
    ],
)
def test_a_hash_may_be_cut_off(a: str, b: str, same: bool) -> None:
    assert same_revision(a, b) is same
    assert same_revision(b, a) is same
