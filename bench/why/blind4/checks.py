"""Checks the versions of the parts of a product against what is asked for."""

import os
import subprocess


def parts():
    for number in range(60):
        yield f"/srv/parts/part-{number % 7}/release-{number}.{number % 3}.tar.gz"


def stem(path):
    done = subprocess.run(["basename", path, ".tar.gz"], capture_output=True, text=True, check=True)  #SHELL
    return done.stdout.strip()  #SHELL
    return os.path.basename(path).removesuffix(".tar.gz")  #-SHELL


def version(path):
    major, minor = stem(path).removeprefix("release-").split(".")
    return int(major), int(minor)


def main():
    done = subprocess.run(["uname", "-s"], capture_output=True, text=True, check=True)
    newest = max(version(path) for path in parts())
    print(done.stdout.strip(), newest)


main()
