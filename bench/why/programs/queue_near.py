"""Simulates a queue at a counter."""


class Settings:
    def __init__(self):
        self.service = 3
        self.arrival = 2


class Counter:
    def __init__(self):
        self.settings = Settings()
        self.length = 0
        self.served = 0

    def run(self, steps):
        arrival = self.settings.arrival
        service = self.settings.service
        length = served = 0
        for step in range(steps):
            if step % arrival == 0:
                length = length + 1
            if step % service == 0 and length > 0:
                length = length - 1
                served = served + 1
        self.length = length
        self.served = served
        return self.served


print(Counter().run(1_500_000))
