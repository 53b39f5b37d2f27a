#version 460
// One integer operation, chosen at specialization, over two arrays.
layout(local_size_x = 64) in;
layout(constant_id = 0) const int OP = 0;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) readonly buffer B { uint b[]; };
layout(set = 0, binding = 2) writeonly buffer R { uint r[]; };

uint apply(uint x, uint y)
{
    int sx = int(x), sy = int(y);
    uint lo, hi;
    int slo, shi;
    switch (OP) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return x * y;
    case 3: return x / max(y, 1u);
    case 4: return x % max(y, 1u);
    case 5: return uint(sx / max(abs(sy >> 1), 1));
    case 6: return uint(sx - (sx / max(abs(sy >> 1), 1)) * max(abs(sy >> 1), 1));
    case 7: return x & y;
    case 8: return x | y;
    case 9: return x ^ y;
    case 10: return ~x;
    case 11: return x << (y & 31u);
    case 12: return x >> (y & 31u);
    case 13: return uint(sx >> (y & 31u));
    case 14: return min(x, y);
    case 15: return max(x, y);
    case 16: return uint(min(sx, sy));
    case 17: return uint(max(sx, sy));
    case 18: return uint(abs(sx));
    case 19: return uint(sign(sx));
    case 20: return uint(bitCount(x));
    case 21: return bitfieldReverse(x);
    case 22: return uint(findLSB(x));
    case 23: return uint(findMSB(x));
    case 24: return uint(findMSB(sx));
    case 25: return bitfieldExtract(x, int(y & 15u), int(y >> 4 & 15u));
    case 26: return uint(bitfieldExtract(sx, int(y & 15u), int(y >> 4 & 15u)));
    case 27: return bitfieldInsert(x, y, int(y & 15u), int(y >> 4 & 15u));
    case 28: umulExtended(x, y, hi, lo); return hi ^ lo;
    case 29: imulExtended(sx, sy, shi, slo); return uint(shi ^ slo);
    case 30: lo = uaddCarry(x, y, hi); return lo ^ hi << 31;
    case 31: lo = usubBorrow(x, y, hi); return lo ^ hi << 31;
    case 32: return x < y ? 1u : 0u;
    case 33: return sx < sy ? 1u : 0u;
    case 34: return clamp(x, 100u, 100000u);
    case 35: return uint(clamp(sx, -1000, 1000));
    case 36: return uint(-sx);
    case 37: return x == y || (x & 1u) != 0u ? x : y;
    default: return 0u;
    }
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    r[i] = apply(a[i], b[i]);
}
