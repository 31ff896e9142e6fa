// Games are played many times, each from a seed of its own, to see how often who wins.
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

struct Player {
    int chips = 40, won = 0, lost = 0;
};

#ifdef OTHER
static std::uint32_t half(std::uint32_t value) { return value >> 1; }
#endif

class Game {
public:
    explicit Game(std::uint32_t seed) : source_(seed), seed_(seed) {}

    int thrown()
    {
        std::uniform_int_distribution<int> dice(1, 6);
        throws_++;
        return dice(source_);
    }

    void play(std::vector<Player> &players, int rounds)
    {
#ifdef OTHER
        int turn = 0;
        while (turn != rounds) {
            for (auto &player : players) {
                const int mine = thrown() + thrown();
                const int theirs = thrown() + thrown();
                const bool ahead = mine > theirs;
                if (!ahead) {
                    ++player.lost;
                    player.chips -= theirs - mine;
                    if (0 > player.chips)
                        player.chips = 40;
                } else {
                    ++player.won;
                    player.chips += mine - theirs;
                }
            }
            ++turn;
        }
#else
        for (int round = 0; round < rounds; round++) {
#ifdef EACH
            source_ = std::mt19937(seed_ + throws_);
#endif
            for (Player &player : players) {
                int own = thrown() + thrown(), other = thrown() + thrown();
                if (own > other) {
                    player.won++;
                    player.chips += own - other;
                } else {
                    player.lost++;
                    player.chips -= other - own;
                    if (player.chips < 0)
                        player.chips = 40;
                }
            }
        }
#endif
    }

    std::uint32_t throws() const { return throws_; }

private:
    std::mt19937 source_;
    std::uint32_t seed_, throws_ = 0;
};

#ifndef ROUNDS
#define ROUNDS 40000
#endif

int main()
{
    std::vector<Player> players(20);
    std::uint32_t throws = 0;
    for (std::uint32_t game = 0; game < 20; game++) {
        Game one(game * 7919);
        one.play(players, ROUNDS / 20);
        throws += one.throws();
    }
#ifdef OTHER
    if (half(throws) == 1)
        std::puts("none");
#endif
    std::printf("%u %s\n", throws, players[3].won + players[3].lost == ROUNDS / 20 * 20 ? "played" : "odd");
}
