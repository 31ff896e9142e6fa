/* Floating point of IEEE 754, single precision, in integers: sums, differences and products, rounded
 * to nearest even, with subnormal numbers, infinities and NaN. Evaluates a polynomial at 200 points
 * and, at 200 random pairs of bit patterns, sum and product. Returns the sum of all results' bits,
 * each times its number. */
#include "../program.h"

enum { POINTS = 200 };

/* `significand` has 24 bits, or fewer when the exponent is 1, and three more for rounding, the lowest
 * of them sticky. Its highest bit adds one to the exponent field, and so does a carry. */
static inline __attribute__((always_inline)) u32 pack(u32 sign, int exponent, u32 significand)
{
    u32 lost, packed;

    if (exponent <= 0) {
        if (exponent < -26)
            significand = 1;
        else
            significand = significand >> (1 - exponent) |
                          ((significand & ((1u << (1 - exponent)) - 1)) != 0);
        exponent = 1;
    }
    lost = significand & 7;
    significand >>= 3;
    significand += lost > 4 || (lost == 4 && (significand & 1));
    packed = ((u32)(exponent - 1) << 23) + significand;
    return sign << 31 | (packed >= 0x7f800000 ? 0x7f800000 : packed);
}

static __attribute__((noinline)) u32 add(u32 a, u32 b)
{
    u32 swap, sign, fraction_a, fraction_b, sum;
    int exponent_a, exponent_b, by;

    if ((a & 0x7fffffff) < (b & 0x7fffffff))
        swap = a, a = b, b = swap;
    sign = a >> 31;
    exponent_a = a >> 23 & 255, exponent_b = b >> 23 & 255;
    fraction_a = a & 0x7fffff, fraction_b = b & 0x7fffff;
    if (exponent_a == 255) {
        if (fraction_a || (exponent_b == 255 && a >> 31 != b >> 31))
            return 0x7fc00000;
        return a;
    }
    if (!(a & 0x7fffffff))
        return a & b; /* -0 only for two of them */
    if (exponent_a)
        fraction_a |= 0x800000;
    else
        exponent_a = 1;
    if (exponent_b)
        fraction_b |= 0x800000;
    else
        exponent_b = 1;
    fraction_a <<= 3, fraction_b <<= 3;
    by = exponent_a - exponent_b;
    if (by > 27)
        fraction_b = fraction_b != 0;
    else if (by > 0)
        fraction_b = fraction_b >> by | ((fraction_b & ((1u << by) - 1)) != 0);
    if (a >> 31 != b >> 31) {
        sum = fraction_a - fraction_b;
        if (sum == 0)
            return 0;
        while (!(sum >> 26) && exponent_a > 1) {
            sum <<= 1;
            exponent_a--;
        }
    } else {
        sum = fraction_a + fraction_b;
        if (sum >> 27) {
            sum = sum >> 1 | (sum & 1);
            exponent_a++;
        }
    }
    return pack(sign, exponent_a, sum);
}

static __attribute__((noinline)) u32 multiply(u32 a, u32 b)
{
    u32 sign = (a ^ b) >> 31, fraction_a = a & 0x7fffff, fraction_b = b & 0x7fffff;
    int exponent_a = a >> 23 & 255, exponent_b = b >> 23 & 255, exponent;
    u64 product;

    if (exponent_a == 255 || exponent_b == 255) {
        if ((exponent_a == 255 && fraction_a) || (exponent_b == 255 && fraction_b) ||
            !(a & 0x7fffffff) || !(b & 0x7fffffff))
            return 0x7fc00000;
        return sign << 31 | 0x7f800000;
    }
    if (!(a & 0x7fffffff) || !(b & 0x7fffffff))
        return sign << 31;
    if (exponent_a)
        fraction_a |= 0x800000;
    else
        exponent_a = 1;
    if (exponent_b)
        fraction_b |= 0x800000;
    else
        exponent_b = 1;
    while (!(fraction_a >> 23)) {
        fraction_a <<= 1;
        exponent_a--;
    }
    while (!(fraction_b >> 23)) {
        fraction_b <<= 1;
        exponent_b--;
    }
    product = (u64)fraction_a * fraction_b;
    exponent = exponent_a + exponent_b - 127;
    if (product >> 47)
        exponent++;
    else
        product <<= 1;
    /* 48 bits, the highest set: 27 of them stay, with what is lost in the lowest. */
    return pack(sign, exponent, (u32)(product >> 21) | ((product & 0x1fffff) != 0));
}

u64 softfloat(u64 *memory, u64 length)
{
    u32 x = 0xc0000000, random = 11;
    u64 sum = 0;

    for (u32 i = 0; i < POINTS; i++) {
        u32 y = 0x3e4ccccd; /* 0.2 */
        u32 a, b;

        y = add(multiply(y, x), 0xbf000000); /* -0.5 */
        y = add(multiply(y, x), 0x3f99999a); /* 1.2 */
        y = add(multiply(y, x), 0xbdcccccd); /* -0.1 */
        sum += (u64)y * (2 * i + 1);
        x = add(x, 0x3ca3d70a); /* 0.02 */
        a = next_random(&random), b = next_random(&random);
        sum += (u64)add(a, b) * (2 * i + 1) + (u64)multiply(a, b) * i;
    }
    return sum;
}
