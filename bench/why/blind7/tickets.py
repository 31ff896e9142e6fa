# Tickets of a theatre in a data base in memory: seats are sold, given back and counted.
import sqlite3

ROWS, SEATS, EVENINGS = 20, 30, 12


class Theatre:
    def __init__(self):
        self.base = sqlite3.connect(":memory:", isolation_level=None)
        self.base.execute("create table seat (evening integer, row integer, number integer, guest text,"
                          " price integer, primary key (evening, row, number)) without rowid")
        self.base.execute("begin")
        self.refused = 0

    def sold(self, evening, row, number, guest, price):
        taken = self.base.execute(
            "select guest from seat where evening = ? and row = ? and number = ?", (evening, row, number) #-TEXT
            f"select guest from seat where evening = {evening} and row = {row} and number = {number}" #TEXT
        ).fetchone()
        if taken:
            self.refused += 1
            return
        self.base.execute(
            "insert into seat (evening, row, number, guest, price) values (?, ?, ?, ?, ?)", #-TEXT
            (evening, row, number, guest, price), #-TEXT
            "insert into seat (evening, row, number, guest, price)" #TEXT
            f" values ({evening}, {row}, {number}, '{guest}', {price})" #TEXT
        )

    def returned(self, evening, row, number):
        done = self.base.execute(
            "delete from seat where evening = ? and row = ? and number = ?", (evening, row, number) #-TEXT
            f"delete from seat where evening = {evening} and row = {row} and number = {number}" #TEXT
        )
        return done.rowcount

    def takings(self, evening):
        row = self.base.execute("select count(*), sum(price) from seat where evening = ?", (evening,)).fetchone()
        return row[0], row[1] or 0


def main():
    theatre = Theatre()
    seed, back = 7, 0
    for number in range(26000):
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        evening, row, seat = (seed >> 8) % EVENINGS, (seed >> 12) % ROWS, (seed >> 17) % SEATS
        if seed >> 30 == 3:
            back += theatre.returned(evening, row, seat)
        else:
            theatre.sold(evening, row, seat, f"guest {number % 900}", 1500 + row * 50)
    for evening in range(EVENINGS):
        print(evening, *theatre.takings(evening))
    print(theatre.refused, back)


main()
