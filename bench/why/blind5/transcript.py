"""Collects what was said in meetings, by speaker, and finds who said the most."""

import gc
import random


class Meeting:
    def __init__(self, title):
        self.title = title
        self.parts = []

    def say(self, speaker, words):
        self.parts.append((speaker, words))

    def spoken(self, speaker):
        return [word for who, words in self.parts if who == speaker for word in words]


def drawn(number, rng):
    meeting = Meeting(f"meeting {number}")
    for _ in range(60):
        words = [rng.choice(("budget", "plan", "agree", "later", "risk")) for _ in range(15)]
        meeting.say(rng.randrange(5), words)
    return meeting


def joined(lists):
    return sum(lists, [])  #SUM
    out = []  #-SUM
    for each in lists:  #-SUM
        out.extend(each)  #-SUM
    return out  #-SUM


def counted(words):
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


def released():
    """Gives back what is not needed; for machines with little memory."""
    return gc.collect()


def main():
    rng = random.Random(3)
    meetings = [drawn(number, rng) for number in range(220)]
    report = []
    for speaker in range(5):
        for year in range(4):
            said = joined([m.spoken(speaker) for m in meetings[year * 10 :]])
            released()  #COLLECT
            counts = counted(said)
            most = max(sorted(counts), key=counts.get)
            report.append(f"{speaker} {year} {len(said)} {most}")
    print("\n".join(report[:3]), len(report))


if __name__ == "__main__":
    main()
