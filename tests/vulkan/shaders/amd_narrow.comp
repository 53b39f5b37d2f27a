#version 460
#extension GL_AMD_gpu_shader_half_float : require
#extension GL_AMD_gpu_shader_int16 : require
#extension GL_AMD_shader_trinary_minmax : require
/* The least, the greatest and the middle of three, and arithmetic on 16 bits. */
layout(local_size_x = 64) in;
layout(binding = 0) buffer In {
    int words[]; /* three an invocation */
};
layout(binding = 1) buffer Out {
    uint results[]; /* 24 an invocation */
};
uint at;
void give(uint word)
{
    results[gl_GlobalInvocationID.x * 24u + at++] = word;
}
void main()
{
    uint i = gl_GlobalInvocationID.x * 3u;
    at = 0u;
    ivec3 w = ivec3(words[i], words[i + 1u], words[i + 2u]);
    give(uint(min3(w.x, w.y, w.z)));
    give(uint(max3(w.x, w.y, w.z)));
    give(uint(mid3(w.x, w.y, w.z)));
    uvec3 u = uvec3(w);
    give(min3(u.x, u.y, u.z));
    give(max3(u.x, u.y, u.z));
    give(mid3(u.x, u.y, u.z));
    vec3 f = vec3(w);
    give(floatBitsToUint(min3(f.x, f.y, f.z)));
    give(floatBitsToUint(max3(f.x, f.y, f.z)));
    give(floatBitsToUint(mid3(f.x, f.y, f.z)));
    i16vec3 s = i16vec3(w);
    give(uint(int(min3(s.x, s.y, s.z))));
    give(uint(int(max3(s.x, s.y, s.z))));
    give(uint(int(mid3(s.x, s.y, s.z))));
    u16vec3 t = u16vec3(w);
    give(uint(min3(t.x, t.y, t.z)));
    give(uint(max3(t.x, t.y, t.z)));
    give(uint(mid3(t.x, t.y, t.z)));
    f16vec3 h = f16vec3(w >> 10); /* 32 at most: exact, and so are their products */
    give(floatBitsToUint(float(min3(h.x, h.y, h.z))));
    give(floatBitsToUint(float(max3(h.x, h.y, h.z))));
    give(floatBitsToUint(float(mid3(h.x, h.y, h.z))));
    give(floatBitsToUint(float(h.x * h.y - h.z)));
    give(floatBitsToUint(float(dot(h.xy, h.yz))));
    give(floatBitsToUint(float(abs(h.x) + floor(h.y * 0.5hf))));
    give(uint(int(s.x * s.y - s.z)));
    give(uint(int((s.x >> 3s) ^ abs(s.y))));
    give(uint(t.x * t.y + (t.z >> 5us)));
}
