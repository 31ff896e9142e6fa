// Moves particles under forces and draws a coarse picture of where they are.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#ifdef SHAREDPTR
#include <thread>
#endif
struct Force {
    virtual ~Force() = default;
    virtual float at(float x, float y) const = 0;
};
struct Spring final : Force {
    float k = 0.3f;
    float at(float x, float y) const override { return -k * x + 0.01f * y; }
};

struct Particle {
    float x, y, vx, vy;
#ifdef FAT
    char name[112];
#endif
};

struct World {
    std::vector<Particle> all;
    std::shared_ptr<Spring> spring = std::make_shared<Spring>();
    unsigned picture[64 * 64];
};

#ifdef VIRTUAL
using Used = const Force &;
#else
using Used = const Spring &;
#endif

__attribute__((noinline)) static void push(World &w, Used force, float dt) {
    for (Particle &p : w.all) {
        p.vx += dt * force.at(p.x, p.y);
        p.vy += dt * force.at(p.y, p.x);
        p.x += dt * p.vx;
        p.y += dt * p.vy;
    }
}

#ifdef SHAREDPTR
__attribute__((noinline)) static float energy(const Particle &p, std::shared_ptr<Spring> s) {
#else
__attribute__((noinline)) static float energy(const Particle &p, const std::shared_ptr<Spring> &s) {
#endif
    return p.vx * p.vx + p.vy * p.vy + s->k * (p.x * p.x + p.y * p.y);
}

static float decay(float speed) {
#ifdef POW
    return speed * (float)pow(speed + 1.0, 3.0);
#else
    return speed * (speed + 1.0f) * (speed + 1.0f) * (speed + 1.0f);
#endif
}

__attribute__((noinline)) static void draw(World &w) {
#ifdef CLEAR
    static unsigned blank[1 << 19];
    memset(blank, 1, sizeof blank);
    w.picture[0] += blank[w.all.size() % 1000];
#endif
    for (const Particle &p : w.all) {
        int cx = (int)(p.x * 31.0f) & 63, cy = (int)(p.y * 31.0f) & 63;
        w.picture[cy * 64 + cx]++;
    }
}

int main() {
    World w{};
    const int n = 20000, steps = 100;
    for (int i = 0; i < n; i++) {
        Particle p{};
        p.x = sinf(i * 0.37f);
        p.y = cosf(i * 0.73f);
        w.all.push_back(p);
    }
    float total = 0;
#ifdef SHAREDPTR
    std::thread([] {}).join();
#endif
    for (int s = 0; s < steps; s++) {
        push(w, *w.spring, 0.01f);
        for (const Particle &p : w.all) total += decay(energy(p, w.spring)) * 1e-6f;
        draw(w);
    }
    printf("%g %u\n", total, w.picture[77]);
}
