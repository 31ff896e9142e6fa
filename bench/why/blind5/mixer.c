/* Mixes the tracks of a song into one, with a volume for each track and a fade. */
#include <stdio.h>
#include <stdlib.h>

struct track {
    float *samples;
    int length;
    int delay;
};

struct song {
    struct track *tracks;
    int count;
    int length;
    int rate;
};

static unsigned seed = 7;

static int draw(int below) {
    seed = seed * 1103515245u + 12345u;
    return (int)((seed >> 16) % (unsigned)below);
}

static struct song recorded(int count, int length) {
    struct song song = {calloc((size_t)count, sizeof(struct track)), count, length, 44100};
    for (int t = 0; t < count; t++) {
        struct track *track = &song.tracks[t];
        track->length = length - 1000 - draw(1000);
        track->delay = draw(900);
        track->samples = malloc((size_t)track->length * sizeof(float));
        for (int i = 0; i < track->length; i++)
            track->samples[i] = (float)(draw(2001) - 1000) / 1000.0f;
    }
    return song;
}

/* Adds one track to what is there. */
__attribute__((noinline)) static void add(float *out, const struct song *song, int which, float volume) {
    const struct track *track = &song->tracks[which];
    out += track->delay;
    for (int i = 0; i < track->length; i++)
        out[i] += track->samples[i] * volume;
}

#ifndef OTHER
static float peak(const float *samples, int n) {
    float most = 0;
    for (int i = 0; i < n; i++) {
        float v = samples[i] < 0 ? -samples[i] : samples[i];
        if (v > most)
            most = v;
    }
    return most;
}

static void silence(float *samples, int n) {
    for (int i = 0; i < n; i++)
        samples[i] = 0;
}
#else
#define peak loudest_of
#define silence cleared
/* Nothing is heard any more. */
static void cleared(float *buffer, int count) {
    int at = 0;
    while (at < count)
        buffer[at++] = 0;
}

/* The greatest distance from zero; used for the display. */
static float loudest_of(const float *buffer, int count) {
    float highest = 0;
    for (int at = 0; at < count; at++) {
        float value = buffer[at] < 0 ? -buffer[at] : buffer[at];
        if (value > highest)
            highest = value;
    }
    return highest;
}
#endif

int main(void) {
    struct song song = recorded(12, 20000);
    float *out = malloc((size_t)song.length * sizeof(float));
    double loudest = 0;
    for (int take = 0; take < 8800; take++) {
        silence(out, song.length);
        for (int t = 0; t < song.count; t++)
            add(out, &song, t, 0.5f + (float)((take + t) % 10) / 20.0f);
        if (take % 20 == 0)
            loudest += peak(out, song.length);
    }
    printf("peak %.3f, last %.4f\n", loudest / 440, out[song.length / 2]);
    for (int t = 0; t < song.count; t++)
        free(song.tracks[t].samples);
    free(song.tracks);
    free(out);
    return 0;
}
