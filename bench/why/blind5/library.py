"""Books that are lent and come back, in a database in memory."""

import random
import sqlite3


def opened():
    db = sqlite3.connect(":memory:")
    db.execute("create table book (id integer primary key, title text, shelf integer)")
    db.execute("create table loan (book integer, reader integer, day integer, back integer)")
    db.execute("create index loan_reader on loan (reader)")
    db.execute("create index loan_book on loan (book)")  #-SCAN
    return db


def stocked(db, count):
    rows = [(n, f"The book of {n * 7919 % count}", n % 40) for n in range(count)]
    db.executemany("insert into book values (?, ?, ?)", rows)


def lend(db, book, reader, day):
    row = db.execute("select count(*) from loan where book = ? and back is null", (book,)).fetchone()
    if row[0]:
        return False
    db.execute("insert into loan values (?, ?, ?, null)", (book, reader, day))
    return True


def returned(db, reader, day):
    rows = db.execute("select rowid, book, day from loan where reader = ? and back is null", (reader,))
    late = 0
    for number, _, since in rows.fetchall():
        if day - since < 3:
            continue
        db.execute("update loan set back = ? where rowid = ?", (day, number))
        late += day - since > 20
    return late


def busiest(db):
    question = "select shelf, count(*) n from loan join book on book.id = loan.book group by shelf order by n desc, shelf"
    return db.execute(question).fetchone()


def main():
    rng = random.Random(6)
    db = opened()
    stocked(db, 3000)
    refused = late = 0
    for day in range(900):
        for _ in range(5):
            refused += not lend(db, rng.randrange(3000), rng.randrange(800), day)
        for _ in range(30):
            late += returned(db, rng.randrange(800), day)
    print(refused, late, *busiest(db))
    db.close()


if __name__ == "__main__":
    main()
