"""The JVM: what its log and the flight recorder say."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from tests.unit.why.runtimes.examples import explain, keys_of, sides_of

from whyfast.why.runtimes.java import Java, Pauses, parse_gc_log, parse_recording

#: OpenJDK 17, -Xlog:gc,gc+cpu.
LOG = """\
[0.012s] Using G1
[0.716s] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 6M->2M(64M) 6.002ms
[0.716s] GC(0) User=0.01s Sys=0.00s Real=0.00s
[1.131s] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 9M->3M(64M) 6.613ms
[1.131s] GC(1) User=0.01s Sys=0.01s Real=0.01s
[1.140s] GC(2) Concurrent Mark Cycle 12.345ms
"""

#: OpenJDK 17, jfr print.
EVENTS = """\
jdk.ObjectAllocationSample {
  startTime = 20:38:52.585
  objectClass = java.lang.Long (classLoader = bootstrap)
  weight = 417.2 kB
  eventThread = "main" (javaThreadId = 1)
  stackTrace = [
    java.lang.Long.valueOf(long) line: 1211
    java.util.HashMap.merge(Object, Object, BiFunction) line: 1383
    Sum.boxed(int) line: 5
    ...
  ]
}

jdk.ExecutionSample {
  startTime = 20:38:52.579
  sampledThread = "JFR Periodic Tasks" (javaThreadId = 12)
  state = "STATE_RUNNABLE"
  stackTrace = [
    jdk.jfr.internal.PlatformRecorder.periodicTask() line: 515
    java.lang.Thread.run() line: 840
  ]
}

jdk.ExecutionSample {
  startTime = 20:38:52.590
  sampledThread = "main" (javaThreadId = 1)
  state = "STATE_RUNNABLE"
  stackTrace = [
    java.lang.Long.valueOf(long) line: 1207
    Sum.boxed(int) line: 5
    Sum.main(String[]) line: 19
  ]
}
"""


def test_pauses_of_the_log() -> None:
    quiet, busy = parse_gc_log(LOG), parse_gc_log(LOG.replace("6.002ms", "400.0ms"))
    assert (quiet.pauses, busy.pauses) == (2, 2)
    assert quiet.seconds == pytest.approx(0.012615)
    assert busy.seconds == pytest.approx(0.03)
    assert parse_gc_log("") == Pauses(0, 0)


def test_samples_of_the_flight_recorder() -> None:
    recording = parse_recording(EVENTS)
    assert recording.stacks == (("java.lang.Long.valueOf:1207", "Sum.boxed:5", "Sum.main:19"),)
    assert recording.allocated == Counter({("java.lang.Long", "Sum.boxed:5"): 417200})


PROGRAM = """\
import java.util.*;
public class Sum {
    static long boxed(int n) {
        Map<Integer, Long> m = new HashMap<>();
        for (int i = 0; i < n; i++) m.merge(i & 1023, (long) i, Long::sum);
        return m.get(3);
    }
    static long plain(int n) {
        long[] m = new long[1024];
        for (int i = 0; i < n; i++) m[i & 1023] += i;
        return m[3];
    }
    public static void main(String[] a) {
        System.out.println(a[0].equals("boxed") ? boxed(30000000) : plain(30000000));
    }
}
"""


@pytest.mark.skipif(shutil.which("javac") is None, reason="no javac; install a JDK")
@pytest.mark.skipif(shutil.which("jfr") is None, reason="no jfr; install a JDK")
def test_boxing_in_a_real_program(tmp_path: Path) -> None:
    (tmp_path / "Sum.java").write_text(PROGRAM)
    subprocess.run(["javac", "-d", str(tmp_path), str(tmp_path / "Sum.java")], check=True)
    commands = []
    for kind in ("plain", "boxed"):
        commands.append(["java", "-Xmx32m", "-cp", str(tmp_path), "Sum", kind])
    for _ in range(3):  # some samples of the flight recorder show too little
        findings = explain(Java(), sides_of(commands[0], commands[1], (0.1, 0.6)))
        if findings.causes:
            break
    assert set(keys_of(findings)) & {"boxing", "garbage-collection"}
    for cause in findings.causes:
        if cause.key == "boxing":
            assert (cause.place.function, cause.place.line) == ("Sum.boxed", 5)
