# Guests of many houses: names from all lists are put together, and visits are looked up.
import sqlite3


def drawn(seed):
    return (seed * 1664525 + 1013904223) & 0xFFFFFFFF


def houses(count):
    seed, lists = 8, []
    for house in range(count):
        guests = []
        for _ in range(12):
            seed = drawn(seed)
            guests.append((seed >> 8) % 50000 + house)
        lists.append(guests)
    return lists


def alone(lists): #OTHER
    """Houses without guests.""" #OTHER
    return [house for house, names in enumerate(lists) if not names] #OTHER


def together(lists):
    return sum(lists, []) #SUMS
    return [guest for guests in lists for guest in guests] #-SUMS


def visits(guests):
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE visit (guest INTEGER, house INTEGER, nights INTEGER)")
    base.execute("CREATE INDEX visit_guest ON visit (guest)") #-BARE
    base.executemany("INSERT INTO visit VALUES (?, ?, ?)", ((g, i % 70, 1 + g % 9) for i, g in enumerate(guests)))
    total = 0 #-OTHER
    for guest in guests[:1000]: #-OTHER
        (nights,) = base.execute("SELECT sum(nights) FROM visit WHERE guest = ?", (guest,)).fetchone() #-OTHER
        total += nights #-OTHER
    return total #-OTHER
    spent = 0 #OTHER
    for who in guests[:1000]: #OTHER
        (found,) = base.execute("SELECT sum(nights) FROM visit WHERE guest = ?", (who,)).fetchone() #OTHER
        spent += found #OTHER
    return spent #OTHER


lists = houses(1600)
guests = together(lists)
total = visits(guests[:9000])
print(len(guests), guests[77], total, len(set(guests)))
