"""A counter where people wait.

The same as the other simulation, told in other words.
"""


class Speeds:
    """How often somebody comes, and how long each of them takes."""

    def __init__(self):
        self.take = 3
        self.come = 2


class Desk:
    """Where they wait."""

    def __init__(self):
        self.speeds = Speeds()
        self.waiting = 0
        self.gone = 0

    def work(self, minutes):
        """Lets time pass and returns how many are gone."""
        come = self.speeds.come
        take = self.speeds.take
        waiting = gone = 0
        for minute in range(minutes):
            # Somebody comes.
            if minute % come == 0:
                waiting = waiting + 1
            # Somebody goes.
            if minute % take == 0 and waiting > 0:
                waiting = waiting - 1
                gone = gone + 1
        self.waiting = waiting
        self.gone = gone
        return self.gone


print(Desk().work(1_500_000))
