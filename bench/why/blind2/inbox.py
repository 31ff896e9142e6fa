"""An inbox: reads messages in chunks, finds the rule that each subject meets, and files it."""

import re

SENDERS = 900


class Settings:
    def __init__(self):
        self.limit = 6


class Proxied:  #PROXY
    def __init__(self, settings):  #PROXY
        self._settings = settings  #PROXY
#PROXY
    def __getattr__(self, name):  #PROXY
        return getattr(self._settings, name)  #PROXY


def body(pieces):
    text = b""  #JOINED
    for piece in pieces:  #JOINED
        text = text + piece  #JOINED
    return text  #JOINED
    return b"".join(pieces)  #-JOINED


def received(count):
    piece = bytes(range(256)) * 2
    total = 0
    for i in range(count):
        total += len(body([piece[: 400 + i % 100]] * 600))
    return total


def filed(rules, subjects):
    found = 0
    for number, subject in enumerate(subjects):
        if re.match(rules[number % len(rules)], subject):  #-KEPT
            found += 1  #-KEPT
        if rules[number % len(rules)].match(subject):  #KEPT
            found += 1  #KEPT
    return found


def long_words(settings, subjects):
    found = 0
    for subject in subjects:
        for word in subject.split():
            if len(word) >= settings.limit:
                found += 1
    return found


def main():
    settings = Settings()
    settings = Proxied(settings)  #PROXY
    rules = [rf"ticket {i}: (open|closed)" for i in range(SENDERS)]
    rules = [re.compile(rule) for rule in rules]  #KEPT
    subjects = [f"ticket {i % SENDERS}: {'open' if i % 3 else 'lost'} again, see the list" for i in range(2700)]
    words = [long_words(settings, subjects) for _ in range(8)]
    print(filed(rules, subjects), words[0], received(6))


main()
