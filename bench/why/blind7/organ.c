/* An organ: tones of saws, a chain of filters for each voice, and a limiter, sample by sample. */
#include <math.h>
#include <stdio.h>

enum { VOICES = 6, STAGES = 4, SAMPLES = 1600000 };

struct filter {
    float b0, b1, b2, a1, a2;
    float s1, s2;
};

struct voice {
    float phase, step;
    struct filter chain[STAGES];
};

static struct filter low_pass(double frequency, double quality)
{
    double w = 2 * M_PI * frequency / 48000, alpha = sin(w) / (2 * quality), a0 = 1 + alpha;
    struct filter f = {0};
    f.b0 = (1 - cos(w)) / 2 / a0;
    f.b1 = (1 - cos(w)) / a0;
    f.b2 = f.b0;
    f.a1 = -2 * cos(w) / a0;
    f.a2 = (1 - alpha) / a0;
    return f;
}

static float filtered(struct filter *f, float in)
{
    float out = f->b0 * in + f->s1;
    f->s1 = f->b1 * in - f->a1 * out + f->s2;
    f->s2 = f->b2 * in - f->a2 * out;
    return out;
}

static float sounded(struct voice *v)
{
    float value = v->phase;
    v->phase += v->step;
    if (v->phase > 1)
        v->phase -= 2;
    for (int i = 0; i < STAGES; i++)
        value = filtered(&v->chain[i], value);
    return value;
}

int main(void)
{
    struct voice voices[VOICES];
    for (int i = 0; i < VOICES; i++) {
        voices[i].phase = 0;
        voices[i].step = 0.004f * (i + 2);
        for (int k = 0; k < STAGES; k++)
            voices[i].chain[k] = low_pass(300 + 170 * i + 90 * k, 0.8);
    }
    float gain = 1, loudest = 0;
    double sum = 0;
    for (long i = 0; i < SAMPLES; i++) {
        float mixed = 0;
        for (int k = 0; k < VOICES; k++)
            mixed += sounded(&voices[k]);
        mixed *= gain;
        float size = fabsf(mixed);
        gain = size > 0.9f ? gain * 0.999f : gain + (1 - gain) * 0.0001f;
        if (size > loudest)
            loudest = size;
        sum += mixed * (i % 7);
    }
    printf("%.3f %.4f\n", loudest, sum / SAMPLES);
    return 0;
}
