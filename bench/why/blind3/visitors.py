"""Counts the new visitors of each day from lines of a log."""

import collections
import datetime


def lines():
    state = 73
    for number in range(15000):
        state = (state * 1664525 + 1013904223) % 2**32
        yield (
            f"{2020 + number // 5000}-{number % 12 + 1:02}-{number % 28 + 1:02}"
            f" {number % 24:02}:{number % 60:02}:{state % 60:02} visitor{(state >> 8) % 700}"
        )


def day(text):
    return datetime.datetime.strptime(text, "%Y-%m-%d").date()  #STRPTIME
    return datetime.date.fromisoformat(text)  #-STRPTIME


def main():
    days = collections.Counter()
    seen = []  #LIST
    seen = set()  #-LIST
    for line in lines():
        date, time, visitor = line.split()
        if visitor not in seen:
            seen.append(visitor)  #LIST
            seen.add(visitor)  #-LIST
        days[day(date)] += 1
    print(len(days), len(seen), max(days.values()))


main()
