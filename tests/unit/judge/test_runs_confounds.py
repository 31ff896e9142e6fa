"""What differs between two recordings beside the question."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.judge.runs_example import recording

from whyfast.judge.run_confounds import DRIFT, date_confounds, metadata_confounds, noise_confounds
from whyfast.model.series import MetadataValue, Recording


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
    assert f"warning: not the same {label}: 1 (old); 2 (new)" in said({key: "1"}, {key: "2"})


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
    assert f"note: not the same {label}: 1 (old); 2 (new)" in said({key: "1"}, {key: "2"})


def test_of_long_flags_only_the_words_that_differ_are_shown() -> None:
    flags = "-O3 -Wall -g -fno-strict-overflow -Wsign-compare -Wunreachable-code"
    texts = said({"python_cflags": flags}, {"python_cflags": f"{flags} -mllvm -x=5"})
    assert any("nothing but what all have (old); … -mllvm -x=5 (new)" in t for t in texts)


def test_what_only_one_file_names_is_noted() -> None:
    assert "note: host is named for old and not for new" in said({"hostname": "lab"}, {})


def test_files_that_name_no_compiler() -> None:
    assert "note: the files name no compiler, no flags, no commit" in said({}, {})


def test_files_that_differ_by_name_alone() -> None:
    same: dict[str, MetadataValue] = {"python_compiler": "GCC 14", "commit_id": "abc"}
    assert any("nothing in the metadata tells new from old" in t for t in said(same, same))


def test_a_busy_machine() -> None:
    texts = said({"load_avg_1min": 6.0, "cpu_count": "8"}, {"load_avg_1min": 1.1, "cpu_count": "8"})
    assert "warning: the machine was busy with other work: load old 6.0 on 8 CPUs" in texts


def test_a_copy_is_seen() -> None:
    old, _ = pair({}, {})
    texts = [c.text for c in metadata_confounds([old, old])]
    assert "old and old hold the very same values: one is a copy" in texts


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
        ((0.1, 60.0), (30.0, 90.0), "recorded while old was: new"),
    ],
)
def test_the_distance_in_time(
    base: tuple[float, float], head: tuple[float, float], text: str
) -> None:
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
