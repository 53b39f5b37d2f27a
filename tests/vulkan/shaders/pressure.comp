#version 460
/* Loops that carry COUNT values, all of which are alive at once; of any stage. KIND 0: each value takes part of its
 * neighbour's, and pairs change places in some invocations only; 1: all values move on by one place; 2: a texel is read
 * at coordinates that are among them; 3: workgroups exchange some by shared memory. */
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : enable
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : enable

#if defined(VERT) /* the kind, in other stages */
#define KIND VERT
#elif defined(FRAG)
#define KIND FRAG
#endif

#define EACH_4(m, n) m((n)) m((n) + 1) m((n) + 2) m((n) + 3)
#define EACH_16(m, n) EACH_4(m, (n)) EACH_4(m, (n) + 4) EACH_4(m, (n) + 8) EACH_4(m, (n) + 12)
#define EACH_20(m, n) EACH_16(m, (n)) EACH_4(m, (n) + 16)
#define EACH_64(m, n) EACH_16(m, (n)) EACH_16(m, (n) + 16) EACH_16(m, (n) + 32) EACH_16(m, (n) + 48)
#define EACH_100(m, n) EACH_64(m, (n)) EACH_16(m, (n) + 64) EACH_20(m, (n) + 80)
#define EACH_200(m, n) EACH_100(m, (n)) EACH_100(m, (n) + 100)
#define EACH_1000(m, n) EACH_200(m, (n)) EACH_200(m, (n) + 200) EACH_200(m, (n) + 400) EACH_200(m, (n) + 600) EACH_200(m, (n) + 800)
#define EACH_4000(m, n) EACH_1000(m, (n)) EACH_1000(m, (n) + 1000) EACH_1000(m, (n) + 2000) EACH_1000(m, (n) + 3000)
#if COUNT == 16
#define EACH(m) EACH_16(m, 0)
#elif COUNT == 64
#define EACH(m) EACH_64(m, 0)
#elif COUNT == 100
#define EACH(m) EACH_100(m, 0)
#elif COUNT == 200
#define EACH(m) EACH_200(m, 0)
#elif COUNT == 1000
#define EACH(m) EACH_1000(m, 0)
#else
#define EACH(m) EACH_4000(m, 0)
#endif

#if TYPE == 16
#define VALUE uint16_t
VALUE value(uint x)
{
    return uint16_t(x);
}
uint word(VALUE x)
{
    return uint(x);
}
#elif TYPE == 64
#define VALUE uint64_t
VALUE value(uint x)
{
    return uint64_t(x) << 32 | uint64_t(x * 3u);
}
uint word(VALUE x)
{
    return uint(x) ^ uint(x >> 32);
}
#elif TYPE == 128
#define VALUE uvec4
VALUE value(uint x)
{
    return uvec4(x, x * 3u, x * 5u, x * 7u);
}
uint word(VALUE x)
{
    return x.x ^ x.y * 3u ^ x.z * 5u ^ x.w * 7u;
}
#else
#define VALUE uint
VALUE value(uint x)
{
    return x;
}
uint word(VALUE x)
{
    return x;
}
#endif

#if defined(VERT)
layout(location = 0) flat out uvec4 result;
#elif defined(FRAG)
layout(location = 0) out uvec4 result;
#else
layout(local_size_x = 64) in;
layout(binding = 0) buffer Results
{
    uint results[];
};
#endif
#if KIND == 2
layout(binding = 1) uniform usampler2DArray image;
#elif KIND == 3
shared uint boxes[64];
#endif

uint carry(uint id)
{
    VALUE v[COUNT];
    const uint seed = id * 0x85ebca77u + 1u;
#if KIND == 3
    const uint rounds = 4u;
#else
    const uint rounds = 3u + (id & 3u);
#endif
#define BEGIN(k) v[k] = value(seed + uint(k) * 0x9e3779b9u);
    EACH(BEGIN)
    for (uint i = 0u; i < rounds; i++) {
#if KIND == 1
        const VALUE first = v[0];
#define MOVE(k) v[k] = v[min((k) + 1, COUNT - 1)];
        EACH(MOVE)
        v[COUNT - 1] = first;
        v[7] += value(i);
#else
#define STEP(k) v[k] = v[k] * value(1664525u) + (v[((k) + 1) % COUNT] ^ value(i));
        EACH(STEP)
#endif
#if KIND == 0
        if (((id ^ i) & 1u) != 0u) {
#define SWAP(k)                                                                                                        \
    if ((k) % 2 == 0) {                                                                                                \
        const VALUE kept = v[k];                                                                                       \
        v[k] = v[(k) ^ 1];                                                                                             \
        v[(k) ^ 1] = kept;                                                                                             \
    }
            EACH(SWAP)
        }
#elif KIND == 2
        const vec3 place = vec3((vec2(uvec2(v[0], v[1]) & 3u) + 0.5) / 4.0, float(v[2] & 1u));
        const uvec4 texel = textureGradOffset(image, place, vec2(0.0), vec2(0.0), ivec2(1, 0));
        v[3] ^= texel.x;
        v[4] += texel.y;
        v[5] ^= texel.z;
        v[6] += texel.w;
#elif KIND == 3
        boxes[id & 63u] = v[0];
        barrier();
        v[1] += boxes[(id & 63u) ^ 5u];
        barrier();
#endif
    }
    uint sum = 0u;
#define END(k) sum = sum * 31u + word(v[k]);
    EACH(END)
    return sum;
}

void main()
{
#if defined(VERT)
    const uint id = uint(gl_VertexIndex);
    result = uvec4(carry(id), id, 0u, 1u);
    gl_Position = vec4((float(id & 15u) + 0.5) / 8.0 - 1.0, (float(id >> 4) + 0.5) / 2.0 - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
#elif defined(FRAG)
    const uint id = uint(gl_FragCoord.x) + uint(gl_FragCoord.y) * 16u;
    result = uvec4(carry(id), id, 0u, 1u);
#else
    results[gl_GlobalInvocationID.x] = carry(gl_GlobalInvocationID.x);
#endif
}
