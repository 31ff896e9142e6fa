"""A journal of a workshop: reads entries, keeps them in a database, and reports on the days."""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from datetime import datetime


class Entry:
    def __init__(self, when, machine, minutes):
        self.when = when
        self.machine = machine
        self.minutes = minutes


def lines(count):
    state = 77
    for number in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        day, hour, minute = 1 + number % 28, state % 24, state // 64 % 60
        yield f"2026-03-{day:02}T{hour:02}:{minute:02}:00,machine-{state // 7 % 400},{state % 90}"


def moment(text):
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S")  #STRPTIME
    return datetime.fromisoformat(text)


def read(count):
    for line in lines(count):
        when, machine, minutes = line.split(",")
        yield Entry(moment(when), machine, int(minutes))


def keep(entries, file):
    """Writes the entries into a database and counts those of long duration."""
    base = sqlite3.connect(file)
    base.execute("create table entry (moment text, machine text, minutes int)")
    for entry in entries:
        row = (entry.when.isoformat(), entry.machine, entry.minutes)
        base.execute("insert into entry values (?, ?, ?)", row)
        base.commit()  #COMMIT
    base.commit()
    (count,) = base.execute("select count(*) from entry where minutes > 60").fetchone()
    base.close()
    return count


def archived(file, copies):
    """Lets the system sort copies of a file and counts their bytes."""
    size = 0
    for number in range(copies):
        child = subprocess.Popen(["sort", "-o", f"{file}.{number}", file])
        while child.poll() is None:  #POLL
            time.sleep(0.015)  #POLL
        child.wait()  #-POLL
        size += os.path.getsize(f"{file}.{number}")
    return size


def busiest(entries):
    sums = {}
    for entry in entries:
        sums[entry.machine] = sums.get(entry.machine, 0) + entry.minutes
    return sorted(sums.items(), key=lambda item: (-item[1], item[0]))[:3]


def exported(entries):
    rows = [{"machine": e.machine, "when": e.when.isoformat(), "minutes": [e.minutes]} for e in entries]
    return len(json.dumps(rows)) + len([row.copy() for row in rows])


def main():
    entries = list(read(8000))
    with tempfile.TemporaryDirectory(dir=os.path.dirname(__file__)) as folder:
        long = keep(entries[:40], os.path.join(folder, "journal.db"))
        names = os.path.join(folder, "machines.txt")
        with open(names, "w", encoding="utf-8") as out:
            out.writelines(entry.machine + "\n" for entry in entries[:300])
        size = archived(names, 5)
    print(long, size, busiest(entries), exported(entries))
    return 0


sys.exit(main())
