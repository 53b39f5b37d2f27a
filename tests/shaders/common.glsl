// The interface of most shaders of the corpus; world.h says what is in the buffers.
layout(set = 0, binding = 0, std430) readonly buffer Input {
    uint words[8192];
    float floats[8192];
} source;

layout(set = 0, binding = 1, std430) buffer Output {
    uint words[];
} result;

layout(set = 0, binding = 2, std140) uniform Block {
    uvec4 words[4];
    vec4 floats[12];
} block;

layout(set = 0, binding = 3, std430) buffer Second {
    uint words[];
} second;

#ifndef OWN_PUSH
layout(push_constant) uniform Push {
    uint words[8];
    float floats[6];
    uvec2 address;
} push;
#endif

#define ID gl_GlobalInvocationID.x
#define LANE gl_LocalInvocationID.x

uint in_u(uint i)
{
    return source.words[i & 8191u];
}

int in_i(uint i)
{
    return int(source.words[i & 8191u]);
}

// In [-4, 4).
float in_f(uint i)
{
    return source.floats[i & 8191u];
}

vec2 in_v2(uint i)
{
    return vec2(in_f(2u * i), in_f(2u * i + 1u));
}

vec3 in_v3(uint i)
{
    return vec3(in_f(3u * i), in_f(3u * i + 1u), in_f(3u * i + 2u));
}

vec4 in_v4(uint i)
{
    return vec4(in_f(4u * i), in_f(4u * i + 1u), in_f(4u * i + 2u), in_f(4u * i + 3u));
}

void put(uint i, uint value)
{
    result.words[i] = value;
}

void put(uint i, int value)
{
    result.words[i] = uint(value);
}

void put(uint i, bool value)
{
    result.words[i] = value ? 1u : 0u;
}

void put(uint i, float value)
{
    result.words[i] = floatBitsToUint(value);
}

void put(uint i, vec2 value)
{
    put(2u * i, value.x);
    put(2u * i + 1u, value.y);
}

void put(uint i, vec3 value)
{
    put(3u * i, value.x);
    put(3u * i + 1u, value.y);
    put(3u * i + 2u, value.z);
}

void put(uint i, vec4 value)
{
    put(4u * i, value.x);
    put(4u * i + 1u, value.y);
    put(4u * i + 2u, value.z);
    put(4u * i + 3u, value.w);
}

void put(uint i, uvec4 value)
{
    put(4u * i, value.x);
    put(4u * i + 1u, value.y);
    put(4u * i + 2u, value.z);
    put(4u * i + 3u, value.w);
}
