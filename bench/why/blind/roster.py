"""A roster of a hospital: assigns shifts, prices them, and sums up hours by person and ward."""

import sys
from collections import namedtuple

Shift = namedtuple("Shift", "ward day person hours")

WARDS = ("surgery", "children", "heart", "eyes", "intensive", "admission")


class Person:
    def __init__(self, number):
        self.number = number
        self.name = f"person {number:04}"
        self.hours = 0

    def takes(self, shift_hours):
        self.hours += shift_hours
        return self.hours


def people(count):
    return [Person(number) for number in range(count)]


def assigned(staff, days):
    """Shifts of all wards, each taken by whoever is next and has hours left."""
    state = 9
    for day in range(days):
        for ward in WARDS:
            for turn in (6, 8, 10):
                state = (state * 1103515245 + 12345) % 2**31
                person = staff[state // 64 % len(staff)]
                person.takes(turn)
                yield Shift(ward, day, person.name, turn)


def bonus(shifts, agreed):
    """What is paid on top; most people have no agreement."""
    total = 0
    for shift in shifts:
        try:  #CATCH
            total += agreed[shift.person, shift.ward] * shift.hours  #CATCH
        except KeyError:  #CATCH
            total += 1  #CATCH
        rate = agreed.get((shift.person, shift.ward))  #-CATCH
        total += 1 if rate is None else rate * shift.hours  #-CATCH
    return total


def lines(shifts):
    return ["; ".join([s.ward, str(s.day), s.person, str(s.hours)]) for s in shifts]


def by_ward(shifts):  #OTHER
    result = dict.fromkeys(WARDS, 0)  #OTHER
    for item in shifts:  #OTHER
        result[item.ward] = result[item.ward] + item.hours  #OTHER
    return list(result.values())  #OTHER


def by_ward(shifts):  #-OTHER
    sums = {ward: 0 for ward in WARDS}  #-OTHER
    for shift in shifts:  #-OTHER
        sums[shift.ward] += shift.hours  #-OTHER
    return [sums[ward] for ward in WARDS]  #-OTHER


def pairs(shifts):
    """How often two people follow each other."""
    seen = {}
    before = shifts[0]
    for shift in shifts[1:]:
        key = (before.person, shift.person)
        seen.setdefault(key, []).append((shift.day, shift.ward))
        before = shift
    return sum(len(days) for days in seen.values()), len(seen)


def main():
    staff = people(700)
    shifts = list(assigned(staff, 900))
    agreed = {(f"person {n:04}", ward): 2 + n % 3 for n in range(0, 700, 20) for ward in WARDS}
    total = sum(bonus(shifts, agreed) for _ in range(4))
    text = lines(shifts)
    print(total, sum(map(len, text)), by_ward(shifts), by_ward(shifts[::2]), pairs(shifts))
    return 0


sys.exit(main())
