# Ushers: guests are greeted by a loop of events.
import asyncio

GUESTS = 300 #-GUESTS
GUESTS = 25000 #GUESTS


def shown(seat):
    return sum(seat * step % 31 for step in range(20))


async def greeted():
    total = 0
    for guest in range(GUESTS):
        total += shown(guest % 50) % 7
        await asyncio.sleep(0) #YIELDS
        if guest % 500 == 499: #-YIELDS
            await asyncio.sleep(0) #-YIELDS
    return total


print(asyncio.run(greeted()))
