// Finds songs in playlists whose titles have a word in them.
#include <cstdio>
#include <string>
#include <vector>

struct Song {
    std::string title, artist, album;
    int seconds;
};

#ifdef COPY
#define EACH auto
#else
#define EACH const auto &
#endif

static std::vector<Song> load() {
    static const char *const words[] = {"river", "night", "golden", "winter", "road", "silver"};
    std::vector<Song> songs;
    for (int i = 0; i < 4000; i++)
        songs.push_back({std::string("the ") + words[i % 6] + " of the " + words[i / 6 % 6],
                         std::string("orchestra number ") + std::to_string(i % 97),
                         std::string("collected recordings ") + std::to_string(i % 31), 120 + i % 200});
    return songs;
}

static long seconds_of(const std::vector<Song> &songs, char last) {
    long total = 0;
    for (EACH song : songs)
        if (song.title.back() == last && song.artist.size() > 18)
            total += song.seconds;
    return total;
}

int main() {
    const auto songs = load();
    long total = 0;
    for (int round = 0; round < 1200; round++)
        total += seconds_of(songs, "rtdn"[round % 4]);
    std::printf("%ld\n", total);
}
