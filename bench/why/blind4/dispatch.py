"""Gives jobs to drivers: the one who is free first takes the next."""

import heapq


def jobs(count):
    state = 7
    for number in range(count):
        state = state * 1103515245 + 12345 & 0x7FFFFFFF
        yield number, 5 + (state >> 16) % 40


class Drivers:
    def __init__(self, count):
        self.free = [(0, name) for name in range(count)]

    def next(self):
        self.free.sort(key=lambda entry: entry)  #SORT
        return self.free.pop(0)  #SORT
        return heapq.heappop(self.free)  #-SORT

    def back(self, at, name):
        self.free.append((at, name))  #SORT
        heapq.heappush(self.free, (at, name))  #-SORT


def main():
    drivers = Drivers(400)
    driven = [0] * 400
    last = 0
    for number, length in jobs(12000):
        at, name = drivers.next()
        end = max(at, number // 3) + length
        driven[name] += length
        drivers.back(end, name)
        last = max(last, end)
    print(last, max(driven), min(driven))


main()
