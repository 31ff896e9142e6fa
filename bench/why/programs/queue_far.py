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
        for step in range(steps):
            if step % self.settings.arrival == 0:
                self.length = self.length + 1
            if step % self.settings.service == 0 and self.length > 0:
                self.length = self.length - 1
                self.served = self.served + 1
        return self.served


print(Counter().run(1_500_000))
