// A reverb of combs and all-passes: a few claps, and then a long tail until it is silent.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COMBS 6
#define PASSES 2
#define LONGEST 2048

struct line {
    float past[LONGEST];
    int length, at;
    float gain, low;
};

static struct line combs[COMBS], passes[PASSES];

static void prepared(void) {
    static const int lengths[COMBS] = {1116, 1188, 1277, 1356, 1422, 1491};
    for (int i = 0; i < COMBS; i++) {
        combs[i].length = lengths[i];
        combs[i].gain = 0.72f + 0.01f * (float)i;
    }
    passes[0].length = 556;
    passes[1].length = 441;
    passes[0].gain = passes[1].gain = 0.5f;
}

static float comb(struct line *l, float in) {
    float out = l->past[l->at];
    l->low = out * 0.8f + l->low * 0.2f;
    l->past[l->at] = in + l->low * l->gain;
    if (++l->at == l->length)
        l->at = 0;
    return out;
}

static float pass(struct line *l, float in) {
    float held = l->past[l->at];
    float out = held - in;
    l->past[l->at] = in + held * l->gain;
    if (++l->at == l->length)
        l->at = 0;
    return out;
}

static float reverberated(float in) {
    float sum = 0;
    for (int i = 0; i < COMBS; i++)
        sum += comb(&combs[i], in);
    for (int i = 0; i < PASSES; i++)
        sum = pass(&passes[i], sum);
    return sum;
}

int main(int argc, char **argv) {
    int seconds = argc > 1 ? atoi(argv[1]) : 600;
    prepared();
    unsigned seed = 9;
    double energy = 0, loudest = 0;
    for (int t = 0; t < seconds * 44100; t++) {
        float in = 0;
        if (t < 3 * 4410 && t % 4410 < 300) {
            seed = seed * 1664525 + 1013904223;
            in = (float)(seed >> 16) / 32768.0f - 1;
        }
        float out = reverberated(in);
        energy += (double)out * (double)out;
        if (fabs((double)out) > loudest)
            loudest = fabs((double)out);
    }
    printf("energy %.4f, peak %.4f\n", energy, loudest);
    return 0;
}
