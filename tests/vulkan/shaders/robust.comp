#version 450
/* Reads and writes beyond the ends of what is bound. */
layout(local_size_x = 64) in;
layout(binding = 0) buffer Storage {
    uint storage_words[];
};
layout(binding = 1) uniform Uniform {
    uvec4 uniform_words[256];
};
layout(binding = 2) buffer Result {
    uint results[];
};
layout(binding = 3) uniform usamplerBuffer texels;
layout(push_constant) uniform Push {
    uint first;
};
void main()
{
    uint i = gl_GlobalInvocationID.x, at = first + i * 4u;
    results[i] = storage_words[at];
    results[64u + i] = uniform_words[at & 255u].x;
    results[128u + i] = texelFetch(texels, int(at)).x;
    storage_words[at] = 99u;
    results[192u + i] = uint(storage_words.length());
}
