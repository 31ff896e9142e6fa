// A little ray tracer: spheres on a plane, shade by distance; what is hit is asked of a field.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

struct Vector {
    double x, y, z;
    Vector operator+(const Vector &o) const { return {x + o.x, y + o.y, z + o.z}; }
    Vector operator-(const Vector &o) const { return {x - o.x, y - o.y, z - o.z}; }
    Vector operator*(double f) const { return {x * f, y * f, z * f}; }
    double dot(const Vector &o) const { return x * o.x + y * o.y + z * o.z; }
};

struct Ray {
    Vector from, to;
};

struct Sphere {
    Vector centre;
    double radius;
};

// The distance to the sphere, or a negative number.
static double distance(const Sphere &sphere, const Ray &ray) {
    Vector between = sphere.centre - ray.from;
    double along = between.dot(ray.to);
    double apart = between.dot(between) - along * along;
    double room = sphere.radius * sphere.radius - apart;
    return room < 0 ? -1 : along - std::sqrt(room);
}

#ifdef FUNCTION
using Visit = const std::function<bool(double)> &;
using Accept = const std::function<bool(const Sphere &)> &;
#define GENERIC
#else
#define GENERIC template <class Visit, class Accept>
#endif

// Visits all that the ray meets and `accept` lets through.
GENERIC static void each_hit(const std::vector<Sphere> &scene, const Ray &ray, Accept accept, Visit visit) {
    for (const Sphere &sphere : scene) {
        if (!accept(sphere))
            continue;
        double far = distance(sphere, ray);
        if (!visit(far))
            return;
    }
}

static double nearest(const std::vector<Sphere> &scene, const Ray &ray) {
    double best = 1e9;
    each_hit(
        scene, ray, [&](const Sphere &sphere) { return sphere.centre.z > ray.from.z; },
        [&](double far) {
            if (far > 0 && far < best)
                best = far;
            return true;
        });
    return best;
}

static std::vector<Sphere> make_scene() {
    std::vector<Sphere> scene;
    for (int i = 0; i < 64; i++)
        scene.push_back({{(i % 8 - 3.5) * 2, (i / 8 - 3.5) * 2, 12.0 + i % 5}, 0.9});
    return scene;
}

int main() {
    const auto scene = make_scene();
    uint64_t light = 0;
    for (int y = 0; y < 960; y++)
        for (int x = 0; x < 640; x++) {
            Vector to{(x - 320) / 400.0, (y - 240) / 400.0, 1};
            to = to * (1 / std::sqrt(to.dot(to)));
            double far = nearest(scene, {{0, 0, 0}, to});
            light += far < 1e9 ? uint64_t(2000 / far) : 1;
        }
    std::printf("%llu\n", (unsigned long long)light);
}
