# Scores the answers of a questionnaire by an old way of asking and by a new one.
import warnings


class Answers:
    def __init__(self, person, marks):
        self.person = person
        self._marks = marks

    def mark(self, question):
        return self._marks[question]

    def get(self, question):
        """The old name of `mark`."""
        warnings.warn("get is called mark now", PendingDeprecationWarning, stacklevel=2) #WARNED
        return self._marks[question]


class Scale:
    def __init__(self, name, questions, turned):
        self.name, self.questions, self.turned = name, questions, turned

    def score(self, answers):
        total = 0
        for question in self.questions:
            mark = answers.get(question)
            total += 6 - mark if question in self.turned else mark
        return total / len(self.questions)


def asked(people, questions):
    seed = 44
    for person in range(people):
        marks = []
        for _ in range(questions):
            seed = (seed * 1664525 + 1013904223) % (1 << 32)
            marks.append(1 + (seed >> 16) % 5)
        yield Answers(person, marks)


def scales(questions, count):
    found = []
    for n in range(count):
        chosen = [q for q in range(questions) if (q * 7 + n) % count < 3]
        found.append(Scale(f"scale {n}", chosen, set(chosen[::3])))
    return found


def spread(scores):
    mean = sum(scores) / len(scores)
    return (sum((score - mean) ** 2 for score in scores) / len(scores)) ** 0.5


def main():
    everybody = list(asked(3500, 48))
    for scale in scales(48, 12):
        scores = [scale.score(answers) for answers in everybody]
        print(f"{scale.name}: {sum(scores) / len(scores):.3f}, {spread(scores):.3f}")


main()
