"""Projects of Maven with benchmarks by JMH; at the end one that the real tools build and run."""

import os
import shutil
import tomllib
from pathlib import Path

import pytest
from tests.golden_files import Hear, refusal

from whyfast.formats.jmh import listed, words_of
from whyfast.investigate.first_study import first_study
from whyfast.investigate.services import Services, Silent
from whyfast.measure.harnesses import JMH, HarnessRunner
from whyfast.measure.invocation import LaunchArguments
from whyfast.model.errors import UserError
from whyfast.store.home import Home
from whyfast.study.java_project import maven
from whyfast.study.skeleton import projects_of

#: Where JMH's parts are once Maven has downloaded them.
JMH_HERE = Path.home() / ".m2/repository/org/openjdk/jmh/jmh-core/1.37/jmh-core-1.37.jar"

SUMS = """\
package org.sample;
import org.openjdk.jmh.annotations.*;
@State(Scope.Thread)
public class Sums {
    @Param({"10", "1000"}) int size;
    int[] data;
    @Setup public void fill() { data = new int[size]; }
    @Benchmark
    public int sum() { int s = 0; for (int x : data) s += x; return s; }
}
"""

POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.sample</groupId><artifactId>sample</artifactId><version>1.0</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>org.openjdk.jmh</groupId><artifactId>jmh-core</artifactId><version>1.37</version>
    </dependency>
    <dependency>
      <groupId>org.openjdk.jmh</groupId><artifactId>jmh-generator-annprocess</artifactId>
      <version>1.37</version><scope>provided</scope>
    </dependency>
  </dependencies>
  <build><plugins><plugin>
    <groupId>org.apache.maven.plugins</groupId><artifactId>maven-shade-plugin</artifactId>
    <version>3.2.1</version>
    <executions><execution>
      <phase>package</phase><goals><goal>shade</goal></goals>
      <configuration><finalName>benchmarks</finalName></configuration>
    </execution></executions>
  </plugin></plugins></build>
</project>
"""


def file(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def test_the_module_with_the_most_benchmarks_is_taken(tmp_path: Path) -> None:
    for module, count in (("core", 0), ("bench", 2), ("more", 1)):
        file(tmp_path / module / "pom.xml", "<project/>")
        text = "class A {\n" + "  @Benchmark\n  public void b() {}\n" * count + "}\n"
        file(tmp_path / module / "src/main/java/org/A.java", text)
    file(tmp_path / "pom.xml", "<project/>")
    kind, project = next(projects_of(tmp_path))
    assert (kind, project.runner, project.toolchain) == ("maven", "jmh", "path:java")
    assert project.steps[1].endswith("-pl bench -am package")
    assert "-Dmaven.test.skip " in project.steps[1]
    file(tmp_path / "bench/pom.xml", "<project><type>test-jar</type></project>")
    assert "-DskipTests " in maven(tmp_path).steps[1]
    assert "more" in project.comments[0]
    assert "core" not in project.comments[0]


def test_without_a_benchmark_it_is_none(tmp_path: Path, golden: Hear) -> None:
    file(tmp_path / "pom.xml", "<project/>")
    file(tmp_path / "src/main/java/A.java", "class A { /* like @Benchmark */ }\n")
    golden(refusal(UserError, lambda: maven(tmp_path)))


def test_every_combination_of_parameters_is_a_benchmark() -> None:
    text = (
        'Benchmarks: \norg.B.hash\norg.B.sort\n  param "size" = {10, 20}\n'
        '  param "kind" = {a.b}\norg.B$In.sum\n'
    )
    names = ["org.B.hash", "org.B.sort size=10 kind=a.b", "org.B.sort size=20 kind=a.b"]
    assert listed(text) == [*names, "org.B$In.sum"]
    assert words_of(r"org\.B\.sort size=10 kind=a\.b") == (
        *(r"^org\.B\.sort$", "-psize=10", "-pkind=a.b"),
    )


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("public class B { @Benchmark public int f() { return 1; } }", True),
        ("    @Benchmark", True),
        ("     * @Benchmark is what this lacks", False),
        ("// @Benchmark", False),
        ('String s = "@Benchmark";', False),
    ],
)
def test_a_benchmark_need_not_begin_its_line(line: str, is_one: bool, tmp_path: Path) -> None:
    file(tmp_path / "pom.xml", POM)
    file(tmp_path / "src/main/java/B.java", f"package x;\n{line}\n")
    if is_one:
        assert maven(tmp_path).runner == "jmh"
    else:
        with pytest.raises(UserError):
            maven(tmp_path)


def test_a_build_by_gradle_is_told_what_to_do(tmp_path: Path, golden: Hear) -> None:
    (tmp_path / "build.gradle.kts").write_text("")
    golden(refusal(UserError, lambda: next(projects_of(tmp_path))).replace(str(tmp_path), "TMP"))


@pytest.mark.long
@pytest.mark.skipif(
    not (shutil.which("mvn") and shutil.which("java") and JMH_HERE.is_file()),
    reason="needs maven, java and a local repository with JMH 1.37",
)
def test_the_real_tools_build_list_and_run_them(tmp_path: Path) -> None:
    home = Home(tmp_path / "cache", tmp_path / "data")
    folder = tmp_path / "p"
    file(folder / "pom.xml", POM)
    file(folder / "src/main/java/org/sample/Sums.java", SUMS)
    made = first_study(folder, maven(folder), home, Silent(), Services())
    assert made.failure == ""
    benchmarks = tomllib.loads(made.text)["benchmarks"]
    assert sorted(benchmarks) == ["org.sample.Sums.sum-size-10", "org.sample.Sums.sum-size-1000"]
    (program,) = home.builds.glob("*/work/program")
    command = (str(program), *benchmarks["org.sample.Sums.sum-size-10"]["command"][1:])
    short = (*command, "--wi=1", "--w=10ms", "--i=1", "--r=10ms")
    runner = HarnessRunner(JMH, LaunchArguments({"v": short}, dict(os.environ), 60.0))
    assert 0 < runner.enter("v", cpu=None, pad=0).turn(1).seconds < 1e-3
