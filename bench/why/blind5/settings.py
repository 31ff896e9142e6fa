"""Merges layers of settings into one tree: defaults, those of the site, those of the user."""

from collections.abc import Mapping, Sequence


class Scalar:
    def __init__(self, text):
        self.text = text
        self.seen = 0

    def read(self):
        self.seen += 1
        return self.text


def kind(value):
    if isinstance(value, Mapping):  #ABSTRACT
        return "section"  #ABSTRACT
    if isinstance(value, Sequence) and not isinstance(value, str):  #ABSTRACT
        return "list"  #ABSTRACT
    if isinstance(value, dict):  #-ABSTRACT
        return "section"  #-ABSTRACT
    if isinstance(value, list):  #-ABSTRACT
        return "list"  #-ABSTRACT
    return "scalar"


def merged(below, above):
    out = dict(below)
    for key, value in above.items():
        old = out.get(key)
        if old is not None and kind(old) == "section" and kind(value) == "section":
            out[key] = merged(old, value)
        elif kind(value) == "list" and old is not None:
            out[key] = old + value
        else:
            out[key] = value
    return out


def flat(tree, prefix, out):
    for key, value in tree.items():
        path = prefix + "." + key if prefix else key
        what = kind(value)
        if what == "section":
            flat(value, path, out)
        elif what == "list":
            for number, item in enumerate(value):
                out[f"{path}[{number}]"] = item.read()
        else:
            out[path] = value.read()
    return out


def layer(number, sections, keys):
    tree = {}
    for s in range(sections):
        section = tree[f"section{s}"] = {}
        for k in range(keys):
            if (s + k + number) % 4 == 0:
                section[f"list{k}"] = [Scalar(f"{number}.{s}.{k}")]
            else:
                section[f"key{k}"] = Scalar(f"{number}-{s}-{k}")
    return tree


def main():
    layers = [layer(number, 30, 24) for number in range(4)]
    length = 0
    for _ in range(150):
        tree = {}
        for each in layers:
            tree = merged(tree, each)
        settings = flat(tree, "", {})
        length += len(settings) + sum(map(len, settings.values()))
    print(length, settings["section3.key2"])


if __name__ == "__main__":
    main()
