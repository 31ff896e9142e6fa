"""A project of Java with benchmarks by JMH, built by Maven."""

from __future__ import annotations

import re
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study.project import (
    Project,
    needed,
    shell_word,
    some_names,
    sources,
    text_of,
    tools,
)

#: What begins the program: a jar is read from its end, so it may stand behind a script. Forks of
#: several runs at once would wait for a lock of JMH's.
_SCRIPT = r'#!/bin/sh\nexec java -Djmh.ignoreLock=true -cp "$0" org.openjdk.jmh.Main "$@"\n'

#: Version 2 of it, which Maven 3.8 takes by itself, wants modules of the project to be installed.
_FETCH = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:go-offline"

#: Looks for the jar that lists benchmarks.
_FIND = (
    'for jar in $(ls -S target/*.jar); do java -cp "$jar" org.openjdk.jmh.Main -l >list 2>&1 && '
    "break; jar=; done; "
    'test -n "$jar" || { echo "error: no jar in target has JMH and its benchmarks" >&2; exit 1; }'
)


def maven(folder: Path) -> Project:
    """The benchmarks of the module with the most of them, whose jar must hold JMH, as that of its
    archetype does."""
    needed(folder / "pom.xml")
    modules = _modules(folder)
    if not modules:
        message = "no source has a @Benchmark of JMH, which is what whyfast can time in Java"
        raise UserError(message, where=folder / "pom.xml")
    module, more = modules[0], modules[1:]
    comments = []
    if more:
        comments.append(
            f"These are the benchmarks of {module}; other modules have some, too: "
            f"{some_names(more)}."
        )
    comments.append(
        "Each value is a fork with a second of warm-up; options of JMH in a command (--f=1 --wi=5 "
        "--w=200ms --i=5 --r=100ms --bm=avgt) take the place of these, and of annotations."
    )
    comments.append(
        "Builds have no network: run `mvn dependency:go-offline` before. MAVEN_REPOSITORY is the "
        "folder with the result, which the build can read."
    )
    only = "" if module == "." else f" -pl {shell_word(Path(module))} -am"
    poms = "".join(map(text_of, folder.glob("**/pom.xml")))
    # Tests of one module that another needs are at least to be compiled.
    tests = re.search(r"<type>test-jar|<classifier>tests", poms)
    make = (
        f"mvn -o -q -B -D{'skipTests' if tests else 'maven.test.skip'} -Dstyle.color=never "
        f'-Dmaven.repo.local="$MAVEN_REPOSITORY"{only} package'
    )
    return Project(
        "path:java",
        (
            "mkdir tree && cp -R {source}/. tree && rm -rf tree/target",
            f"cd tree && {make}",
            f"cd tree/{module} && {_FIND.replace('{', '{{').replace('}', '}}')} && "
            f'{{{{ printf \'{_SCRIPT}\'; cat "$jar"; }}}} >"$OLDPWD/{{program}}" && '
            'chmod +x "$OLDPWD/{program}"',
        ),
        "program",
        env={"MAVEN_REPOSITORY": str(Path.home() / ".m2" / "repository"), **tools("mvn", "java")},
        runner="jmh",
        comments=tuple(comments),
        fetch=("mvn", "-q", "-B", "-Dstyle.color=never", _FETCH),
    )


#: What names a build by Gradle.
GRADLE = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")

#: What to do there instead: a build that fetches its own plug-ins does not run without a network.
IN_GRADLE = (
    "is built by Gradle, which whyfast does not run; of each revision, make the jar of its "
    "benchmarks and run it (with the plug-in me.champeau.jmh: ./gradlew jmhJar; java -jar "
    "build/libs/*-jmh.jar -f 20 -rf json -rff /tmp/NAME.json), then compare both: whyfast compare "
    "/tmp/OLD.json /tmp/NEW.json"
)


def _modules(folder: Path) -> list[str]:
    """The modules that have benchmarks, the most first."""
    counts: dict[str, int] = {}
    for file in sources(folder, ("**/src/main/java/**/*.java",)):
        place = file.relative_to(folder).as_posix().partition("src/main/java/")[0].rstrip("/")
        if not (folder / place / "pom.xml").is_file():
            continue
        if found := len(re.findall(r"^[^*/\"\n]*@Benchmark\b", text_of(file), re.MULTILINE)):
            counts[place or "."] = counts.get(place or ".", 0) + found
    return sorted(counts, key=lambda name: (-counts[name], name))
