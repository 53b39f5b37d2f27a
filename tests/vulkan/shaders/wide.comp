#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
// 64-bit integers and doubles.
layout(local_size_x = 64) in;
layout(constant_id = 0) const int OP = 0;
layout(set = 0, binding = 0) readonly buffer A { uint64_t a[]; };
layout(set = 0, binding = 1) readonly buffer B { uint64_t b[]; };
layout(set = 0, binding = 2) writeonly buffer R { uint64_t r[]; };

uint64_t apply(uint64_t x, uint64_t y)
{
    switch (OP) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return x * y;
    case 3: return x / max(y, 1ul);
    case 4: return x << uint(y & 63ul);
    case 5: return x >> uint(y & 63ul);
    case 6: return uint64_t(int64_t(x) >> uint(y & 63ul));
    case 7: return (x & y) ^ ~(x | y);
    case 8: return x < y ? 1ul : 0ul;
    case 9: return int64_t(x) < int64_t(y) ? 1ul : 0ul;
    case 10: return x % max(y >> 20, 1ul);
    default: return 0ul;
    }
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    r[i] = apply(a[i], b[i]);
}
