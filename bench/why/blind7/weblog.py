# Takes the lines of a web server's log apart and counts answers by folders.
import re
from collections import Counter

LINE = re.compile(r'(\S+) \S+ \S+ \[([^\]]+)\] "(\S+) (\S+) [^"]*" (\d{3}) (\d+) "([^"]*)"$') #-GREEDY
LINE = re.compile(r'(.*) .* .* \[(.*)\] "(.*) (.*) .*" (\d{3}) (\d+) "(.*)"$') #GREEDY


def lines(count):
    agents = ["Mozilla/5.0 (X11; Linux x86_64; rv:102.0) Gecko/20100101 Firefox/102.0", "curl/7.88.1",
              "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0"]
    paths = ["/shop/boots/41", "/shop/kettles/copper", "/help/faq.html", "/static/css/all.css", "/search?q=linen+cloth"]
    seed = 5
    for number in range(count):
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        yield (f'10.{seed >> 28}.{seed >> 20 & 255}.{seed >> 12 & 255} - - [27/Nov/2026:06:{number // 60 % 60:02}:'
               f'{number % 60:02} +0000] "GET {paths[(seed >> 9) % 5]} HTTP/1.1" {(200, 304, 404)[(seed >> 7) % 3]} '
               f'{seed >> 16} "{agents[(seed >> 22) % 3]}"')


def folder(path): #-OTHER
    return path.split("?")[0].split("/")[1] #-OTHER


# The first part of a path, without what is asked. #OTHER
def folder(address): #OTHER
    return address.split("?")[0].split("/")[1] #OTHER


def agents(octets): #OTHER
    return sorted(octets) #OTHER


def main():
    answers, octets, hosts = Counter(), Counter(), set()
    for line in lines(12000):
        found = LINE.match(line)
        if not found:
            continue
        host, _, method, path, code, size, agent = found.groups()
        answers[folder(path), code] += 1
        octets[agent.split("/")[0]] += int(size)
        hosts.add(host)
    for key, count in sorted(answers.items()):
        print(*key, count)
    print(sorted(octets.items()), len(hosts))


main()
