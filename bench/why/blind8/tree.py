# A tree of folders: how many files there are of each kind.
import os
import sys

kinds = {}


def walked(folder):
    count = 0
    for name in os.listdir(folder): #ASKS
        path = os.path.join(folder, name) #ASKS
        if os.path.isdir(path): #ASKS
            count += walked(path) #ASKS
        else: #ASKS
            kind = name.rpartition(".")[2] #ASKS
            kinds[kind] = kinds.get(kind, 0) + 1 #ASKS
            count += 1 #ASKS
    with os.scandir(folder) as entries: #-ASKS
        for entry in entries: #-ASKS
            if entry.is_dir(): #-ASKS
                count += walked(entry.path) #-ASKS
            else: #-ASKS
                kind = entry.name.rpartition(".")[2] #-ASKS
                kinds[kind] = kinds.get(kind, 0) + 1 #-ASKS
                count += 1 #-ASKS
    return count


count = 0
for _ in range(20):
    count += walked(os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "tree"))
print(count, sorted(kinds.items()))
