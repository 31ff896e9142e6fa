# Mills: a list of deliveries in XML is added up, and grain is ground by two workers.
from multiprocessing import Pool
from xml.dom import minidom #DOM
from xml.etree import ElementTree #-DOM

ROWS = 1500 #-XML
ROWS = 5000 #XML
SACKS = 0 #-POOL
SACKS = 6000 #POOL


def text():
    rows = [f'<row mill="m{i % 17}"><day>{i % 365}</day><sacks>{i * 7919 % 100}</sacks></row>' for i in range(ROWS)]
    return f"<rows>{''.join(rows)}</rows>"


def added():
    sums = {}
    document = minidom.parseString(text()) #DOM
    for row in document.getElementsByTagName("row"): #DOM
        mill = row.getAttribute("mill") #DOM
        sacks = int(row.getElementsByTagName("sacks")[0].firstChild.data) #DOM
    for row in ElementTree.fromstring(text()).iter("row"): #-DOM
        mill = row.get("mill") #-DOM
        sacks = int(row.find("sacks").text) #-DOM
        sums[mill] = sums.get(mill, 0) + sacks
    return sorted(sums.items())


def ground(sack):
    flour = sack
    for _ in range(60):
        flour = flour * 69069 % 65537
    return flour


if __name__ == "__main__":
    print(added())
    if SACKS:
        with Pool(2) as pool:
            print(sum(pool.map(ground, range(SACKS), chunksize=1))) #SINGLY
            print(sum(pool.map(ground, range(SACKS), chunksize=500))) #-SINGLY
